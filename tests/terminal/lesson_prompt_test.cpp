// What a reader types in a lesson, and what is answered; the list; blocks as text.
#include "lesson_desk.h"

using namespace flashscope::terminal_tests;

TEST_CASE("an answer is understood as people write it; another letter is asked for anew") {
  const Desk desk;
  const std::string right(1, right_letter(desk));
  const std::string small(1, static_cast<char>(right[0] - 'A' + 'a'));
  const std::string number(1, static_cast<char>(right[0] - 'A' + '1'));
  for (const std::string& typed : {right + ")", small + ".", "(" + right + ")", "answer " + small,
                                   "Answer " + right + ")", small, number, right + ":"}) {
    CAPTURE(typed);
    CHECK(has(desk.lesson("take " + kTiny, kToQuiz + typed + "\n").out, "Right."));
  }
  for (const char* typed : {"D", "z)", "9", "answer d", "s"}) {
    CAPTURE(std::string(typed));
    const Result result = desk.lesson("take --again " + kTiny, kToQuiz + typed + "\n");
    CHECK(has(result.out, "A to C, please."));
    CHECK_FALSE(has(result.out, "there is no command"));
    CHECK_FALSE(has(result.out, "No."));
  }
  // Where nothing is asked, an answer is not taken for a command.
  const Result result = desk.lesson("take --again " + kTiny, "B)\nA\nanswer c\n");
  CHECK_FALSE(has(result.out, "there is no command"));
  CHECK(has(result.out, "Nothing is asked here."));
}

TEST_CASE("an empty line reminds once") {
  const Desk desk;
  const std::string quiz = desk.lesson("take " + kTiny, kToQuiz + "\n\n\n\n").out;
  const std::size_t first = quiz.find("A to C answers");
  REQUIRE(first != std::string::npos);
  CHECK(quiz.find("A to C answers", first + 1) == std::string::npos);
}

TEST_CASE("back and b go one step back; at a question b is an answer") {
  const Desk desk;
  for (const char* word : {"back", "b"}) {
    const std::string out =
        desk.lesson("take --again " + kTiny, "\n" + std::string(word) + "\n").out;
    CHECK(out.find("step 1 of 6") < out.find("step 2 of 6"));
    CHECK(out.rfind("step 1 of 6") > out.rfind("step 2 of 6"));
  }
  const std::string out = desk.lesson("take --again " + kTiny, kToQuiz + "b\n").out;
  CHECK((has(out, "Right.") || has(out, "No.")));
}

TEST_CASE("a task tells what its condition looks at, at first and after every attempt") {
  const Desk desk;
  const std::string out =
      desk.lesson("take --from 4 " + kTiny,
                  "option kv-tile 4\nstep\nprint m\noption kv-tile 1\nnonsense\n")
          .out;
  CHECK(has(out, "Type debugger commands"));
  const std::string wanted = "wanted  here.load_bytes < pencil.load_bytes\n";
  const std::string now = "now     here.load_bytes = 160 B, pencil.load_bytes = 160 B\n" + wanted;
  int times = 0;
  for (std::size_t at = out.find(now); at != std::string::npos; at = out.find(now, at + 1)) ++times;
  CHECK(times == 3);  // the beginning, and two other tilings; a step and a look change nothing
  // Solved: no state any more.
  const std::string solved = desk.lesson("take --again --from 4 " + kTiny, "option q-tile 4\n").out;
  CHECK(solved.rfind("wanted") < solved.find("option") + solved.size());
  CHECK(solved.find("Solved.") > solved.rfind("wanted"));
  CHECK(has(solved, "K and V are loaded once"));
}

TEST_CASE("a task that asks for a place tells the numbers of the place") {
  const Desk desk;
  const std::string path =
      desk.write("place.md", replaced(text_of(kTiny), "until = \"here.max_abs_error > 0.1\"",
                                      "until = \"op > 30 && alpha[0] > 1\""));
  const std::string out = desk.lesson("take --from 5 " + path, "step\nstep\ngoto 20\n").out;
  CHECK(has(out, "now     op = 19, alpha[0] = "));
  CHECK(has(out, "now     op = 20, alpha[0] = "));
}

TEST_CASE("a second hint says that there is none, and how to go on") {
  const Desk desk;
  const std::string out = desk.lesson("take --from 4 " + kTiny, "hint\nhint\nskip\n\nhint\n").out;
  const std::size_t hint = out.find("Which of the two tile sizes");
  REQUIRE(hint != std::string::npos);
  CHECK(out.find("Which of the two tile sizes", hint + 1) == std::string::npos);
  CHECK(out.find("There is no further hint; skip shows a solution.") > hint);
  CHECK(has(out, "There is no hint; skip shows a solution."));  // the other task has none at all
}

TEST_CASE("print knows the facts of scenarios, and tiles that hold nothing yet") {
  const Desk desk;
  const std::string out = desk.lesson("take --from 1 " + kTiny,
                                      "print whole.load_bytes\np here.load_bytes / 2\nprint m\n"
                                      "option q-tile 4\nprint here.load_bytes\n"
                                      "print nosuch.load_bytes\nprint here.nosuch\nprint\n")
                              .out;
  CHECK(has(out, "whole.load_bytes = 96\n"));
  CHECK(has(out, "here.load_bytes / 2 = 80\n"));
  CHECK(has(out, "m = nothing yet\n"));
  CHECK(has(out, "here.load_bytes = 96\n"));
  CHECK(has(out, "there is no scenario 'nosuch'"));
  CHECK(has(out, "there is no fact 'nosuch'"));
  CHECK(has(out, "print what?"));
}

TEST_CASE("behind a q tile, print shows what its last op left") {
  const Desk desk;
  const std::string path = desk.write(
      "between.md", replaced(text_of(kTiny), "after = \"alpha = exp(m - m_new)\"\n", ""));
  // fa2's q tile goes on behind its last kv tile; fa1's turn is over.
  const std::string fa1 = desk.write("fa1.md", replaced(text_of(path), "name = \"pencil\"",
                                                        "name = \"pencil\"\nalgorithm = \"fa1\""));
  for (const std::string& lesson : {path, fa1}) {
    CHECK(has(desk.lesson("take --from 2 " + lesson, "print l\n").out, "l = 1.553 1.871\n"));
  }
}

TEST_CASE("a task on a large problem needs no tensors while only counts are asked for") {
  const Desk desk;
  // 400 GB of tensors, which a lesson never makes.
  const std::string path = desk.write(
      "large.md",
      "# Large\n\n```toml\n[lesson]\nminutes = 1\nabout = \"x\"\n```\n\n```toml\n[scenario]\n"
      "name = \"large\"\nq-len = 1048576\nq-heads = 32\nbatch = 8\nq-tile = 64\nkv-tile = 64\n"
      "```\n\n```toml\n[task]\ntext = \"x\"\nuntil = \"here.total_bytes < large.total_bytes\"\n"
      "solution = { q-tile = 128 }\n```\n");
  const Result result = desk.lesson(
      "take " + path,
      "list\ninfo sram\noption kv-tile 32\nedit l = alpha => l = l + rowsum P\nprint m\nstep\n"
      "info traffic\nprint op\noption q-tile 128\n");
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(has(result.out, "its data is too large for a lesson"));
  CHECK(has(result.out, "now     here.total_bytes = "));
  CHECK(has(result.out, "Solved."));
}

TEST_CASE("a tiling that does not fit is told and counted, at the opening too") {
  const Desk desk;
  const std::string path = desk.write(
      "unfit.md",
      "# Unfit\n\n```toml\n[lesson]\nminutes = 1\nabout = \"x\"\n```\n\n```toml\n[scenario]\n"
      "name = \"big\"\nq-len = 512\ndevice = \"a100-80\"\nplacement = \"paper\"\nq-tile = 512\n"
      "kv-tile = 512\n```\n\n```toml\n[task]\ntext = \"x\"\nuntil = \"here.fits == 1\"\n"
      "solution = { q-tile = 64, kv-tile = 64 }\n```\n");
  const Result result = desk.lesson(
      "take " + path,
      "print here.fits\nstep\noption q-tile 256\noption q-tile 64\noption kv-tile 64\n");
  CHECK(result.exit_code == 0);
  CHECK(has(result.out, "now     here.fits = 0\n"));
  CHECK(has(result.out, "here.fits = 0\n"));
  CHECK(has(result.out, "That tiling does not fit: it needs "));
  CHECK(has(result.out, "of shared memory that"));
  CHECK(has(result.out, "Solved."));
  for (const std::string& line : lines_of(result.out)) CHECK(columns_of(line) <= 80);
}

TEST_CASE("what a lesson says at its prompts stays within 80 columns") {
  const Desk desk;
  const Result result = desk.lesson("take --from 4 " + kTiny,
                                    "help\nhelp debug\nhelp option\nlist\nxxx\nhint\noption "
                                    "mask k<=q\nskip\n\nskip\n\n");
  for (const std::string& line : lines_of(result.out)) {
    CAPTURE(line);
    CHECK(columns_of(line) <= 80);
  }
  CHECK_FALSE(has(result.out, "An empty line repeats"));  // here it goes on
}

TEST_CASE("an edit of several lines is shown as it is typed; edited lines are marked") {
  const Desk desk;
  std::string text = replaced(text_of(kTiny), "to = \"l = l + rowsum P\" } ] }",
                              "to = \"\"\"l = alpha * l\nl = l + rowsum P\"\"\" } ] }");
  text =
      replaced(text, "until = \"here.max_abs_error > 0.1\"", "until = \"here.ops > pencil.ops\"");
  text = replaced(text, "problem = \"pencil\"\n",
                  "problem = \"pencil\"\nedit = [ { line = \"m = -inf\", to = \"m = 0\" } ]\n");
  text =
      replaced(text, "Now alpha is",
               "```toml\n[figure]\ntitle = \"The table\"\nkind = \"table\"\n```\n\n### A smaller "
               "heading\n\nNow alpha is");
  const Result shown = desk.lesson("show --answers " + desk.write("lines.md", text));
  CHECK(shown.err.empty());
  const std::string& out = shown.out;
  CHECK(has(out,
            "    edit l = alpha * l => l = alpha * l\n"
            "                          l = l + rowsum P\n"));
  CHECK(has(out, "### A smaller heading\n"));
  CHECK(has(out, "\n## Try next\n"));
  const std::size_t marked = out.find("\n> |");
  REQUIRE(marked != std::string::npos);
  CHECK(has(out.substr(marked, out.find('\n', marked + 1) - marked), "m = 0"));
  CHECK(out.find("\n> |", marked + 1) == std::string::npos);
}

TEST_CASE("numbers at the left of a walk are ops, however much of it is shown; lines are barred") {
  const Desk desk;
  const auto alpha_line = [&](const std::string& walk) {
    const std::string path = desk.write(
        "walk.md", replaced(text_of(kTiny), "walk = \"step\"", "walk = \"" + walk + "\""));
    std::string last;
    for (const std::string& line : lines_of(desk.lesson("show " + path).out)) {
      if (has(line, "alpha = exp(m - m_new)")) last = line;
    }
    return last;
  };
  const std::string step = alpha_line("step");
  CHECK(step.starts_with("  18  alpha"));
  CHECK(alpha_line("line") == step);
  CHECK(alpha_line("since") == step);
  const std::string out = desk.lesson("take " + kTiny, "goto 18\nlist\n").out;
  CHECK(has(out, "op 18 of 54"));
  CHECK(has(out, "|38| alpha = exp(m - m_new)\n"));
  CHECK(has(out, "> |38|     alpha = exp(m - m_new)\n"));
}

TEST_CASE("the list has two lines a lesson, and names only lessons that there are") {
  const Desk desk;
  const std::string tiny = text_of(kTiny);
  desk.write("01-a.md", replaced(tiny, "needs = [1]", "needs = [1, 2, 77]"));
  desk.write("02-b.md",
             replaced(replaced(tiny, "needs = [1]", "needs = [88]"), "# A tiny lesson",
                      "# A lesson with a title that is so long that it can't stand in one "
                      "line with all the rest"));
  const std::string folder = desk.lesson("list --folder .").out;
  const std::vector<std::string> lines = lines_of(folder);
  REQUIRE(lines.size() == 6);
  CHECK(has(lines[0], "needs 1, 2"));
  CHECK_FALSE(has(folder, "77"));
  CHECK_FALSE(has(folder, "88"));
  CHECK(has(lines[2], "A lesson with a title that is so long"));
  CHECK(has(lines[2], " …"));
  CHECK(has(lines[2], "3 min"));
  for (const std::string& line : lines) CHECK(columns_of(line) <= 80);

  const Result course = desk.lesson("list");
  const auto json = nlohmann::json::parse(desk.lesson("list --json").out);
  CHECK(lines_of(course.out).size() == 2 * json["lessons"].size() + 2);
  CHECK(has(course.out, "Begin with: flashscope lesson take 1\n"));
}

TEST_CASE("next is the first lesson that is not finished") {
  const Desk desk;
  const auto json = nlohmann::json::parse(desk.lesson("list --json").out);
  REQUIRE(json["lessons"].size() > 2);
  nlohmann::json kept = {{"schema", "flashscope.lessons/1"}, {"lessons", nlohmann::json::object()}};
  desk.lesson("take 1", "");  // makes the file
  kept = nlohmann::json::parse(text_of(desk.progress().string()));
  const std::string first = json["lessons"][0]["name"], third = json["lessons"][2]["name"];
  REQUIRE(kept["lessons"].contains(first));
  kept["lessons"][third] = kept["lessons"][first];
  kept["lessons"][first]["finished"] = kept["lessons"][third]["finished"] = true;
  std::ofstream(desk.progress()) << kept.dump();
  const int second = json["lessons"][1]["number"];
  CHECK(has(desk.lesson("list").out, "Next: flashscope lesson take " + std::to_string(second)));
}
