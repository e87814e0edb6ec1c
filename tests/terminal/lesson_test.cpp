// `flashscope lesson` as a student, a teacher and an author use it: lists, whole lessons, lessons
// taken with scripted answers, checks of right and broken files, pages.
#include <algorithm>

#include "lesson_desk.h"

using namespace flashscope::terminal_tests;
namespace fs = std::filesystem;

TEST_CASE("lesson check tells what a lesson holds, and exits with 0") {
  const Desk desk;
  const Result result = desk.lesson("check " + kTiny);
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(has(result.out, "07-tiny.md: 1 stop, 1 quiz, 1 expect, 2 tasks, 1 figure: all hold"));
}

TEST_CASE("lesson check names file, line and reason of every mistake, and exits with 2") {
  const Desk desk;
  const std::string tiny = text_of(kTiny);
  std::string broken = replaced(tiny, "says = \"0.1353\"", "says = \"0.1354\"");
  broken = replaced(broken, "Now alpha is 0.1353.", "Now alpha is 0.1354.");
  broken = replaced(broken, "solution = { q-tile = 4 }", "solution = { q-tile = 1 }");
  const std::string path = desk.write("bad.md", broken);
  const Result result = desk.lesson("check bad.md");
  CHECK(result.exit_code == 2);
  CHECK(result.err.empty());
  const std::vector<std::string> lines = lines_of(result.out);
  REQUIRE(lines.size() >= 3);
  CHECK(lines[0].starts_with("bad.md:" + std::to_string(line_of(broken, "says = \"0.1354\"")) +
                             ": "));
  CHECK(has(lines[1], "bad.md:"));
  CHECK(has(lines.back(), "2 mistakes"));

  const auto json = nlohmann::json::parse(desk.lesson("check bad.md --json").out);
  CHECK(json["schema"] == "flashscope.lesson_check/1");
  CHECK(json["lessons"][0]["holds"] == false);
  CHECK(json["lessons"][0]["mistakes"].size() == 2);
  CHECK(json["lessons"][0]["tasks"] == 2);
}

TEST_CASE("a lesson that can't be read does not hide the others that are checked") {
  const Desk desk;
  const std::string tiny = text_of(kTiny);
  for (const auto& [from, to] :
       {std::pair{"[stop]", "[stopp]"}, std::pair{"walk = \"step\"", "walk = \"far\""},
        std::pair{"minutes = 3", "minutes = "}, std::pair{"rows = [0]", "rows = [0"},
        std::pair{"# A tiny lesson", "A tiny lesson"}}) {
    CAPTURE(std::string(to));
    desk.write("bad.md", replaced(tiny, from, to));
    const Result result = desk.lesson("check bad.md " + kTiny);
    CHECK(result.exit_code == 2);
    CHECK(result.out.starts_with("bad.md:"));
    CHECK(has(result.out, "bad.md: 1 mistake\n"));
    CHECK(has(result.out, "07-tiny.md: 1 stop"));
    for (const char* verb : {"show bad.md", "take bad.md", "export bad.md"}) {
      CHECK(fault_of_refusal(desk.lesson(verb), "bad.md:") == "");
    }
  }
}

TEST_CASE("lesson show prints every block within the columns there are") {
  const Desk desk;
  for (const int columns : {60, 80, 160}) {
    CAPTURE(columns);
    const std::string out =
        output_of(words("lesson show " + kTiny), desk.surroundings("", columns));
    for (const std::string& line : lines_of(out)) {
      CAPTURE(line);
      CHECK(columns_of(line) <= columns);
    }
  }
  const std::string out = output_of(words("lesson show " + kTiny), desk.surroundings());
  CHECK(has(out, "Lesson 7 · A tiny lesson"));
  CHECK(has(out, "`four` keys"));
  CHECK(has(out, "queries"));
  CHECK(has(out, "█"));
  CHECK(has(out, "alpha[0] = e^(1-3) = 0.1353"));
  CHECK(has(out, "alpha[0] = 0.1353"));
  CHECK(has(out, "What is l of row 0"));
  CHECK(has(out, "A  "));
  CHECK(has(out, "Make the loads smaller"));
  CHECK_FALSE(has(out, "\x1b"));
  CHECK_FALSE(has(out, "[[expect]]"));
}

TEST_CASE("lesson show keeps answers and the teacher's section back until asked") {
  const Desk desk;
  const std::string plain = desk.lesson("show " + kTiny).out;
  for (const char* secret :
       {"Answer ", "was not converted", "Which of the two", "option q-tile 4", "Ask the class"}) {
    CHECK_FALSE(has(plain, secret));
  }
  const std::string all = desk.lesson("show --answers --teacher " + kTiny).out;
  for (const char* said : {"Answer ", "was not converted", "Which of the two", "option q-tile 4",
                           "edit l = alpha * l => l = l + rowsum P", "Ask the class"}) {
    CHECK(has(all, said));
  }
}

TEST_CASE("a lesson is taken with scripted answers, and the list shows it finished") {
  const Desk desk;
  const std::string answers = kToQuiz + right_letter(desk) + "\n\n" + "option q-tile 4\n\n" +
                              "edit l = alpha => l = l + rowsum P\n\n";
  const Result result = desk.lesson("take " + kTiny, answers);
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(has(result.out, "step 1 of 6"));
  CHECK(has(result.out, "step 6 of 6"));
  CHECK(has(result.out, "Right."));
  CHECK(has(result.out, "alpha times the old sum"));
  CHECK(has(result.out, "K and V are loaded once for each q tile."));
  CHECK(has(result.out, "l keeps terms in the old unit."));
  CHECK(has(result.out, "Finished. 1 of 1 right at the first try. 2 of 2 tasks solved."));
  CHECK(has(result.out, desk.progress().filename().string()));
  CHECK_FALSE(has(result.out, "\x1b"));
  CHECK_FALSE(has(result.out, "was not converted"));
  desk.write("07-tiny.md", text_of(kTiny));
  const std::string list = desk.lesson("list --folder .").out;
  CHECK(has(list, "A tiny lesson"));
  CHECK(has(list, "✓ finished, 1 of 1 right"));
}

TEST_CASE("a wrong answer is told why, may be tried again, and counts as the first try") {
  const Desk desk;
  const std::string wrong(1, wrong_letter(desk));
  SUBCASE("again") {
    const Result result = desk.lesson(
        "take " + kTiny, kToQuiz + wrong + "\n" + right_letter(desk) + "\n\nskip\n\nskip\n\n");
    CHECK(has(result.out, "No."));
    CHECK(has(result.out, "Right."));
    CHECK(has(result.out, "Finished. 0 of 1 right at the first try. 0 of 2 tasks solved."));
    CHECK(has(result.out, "option q-tile 4"));  // skipping a task tells how
  }
  SUBCASE("Enter shows the answer") {
    const Result result = desk.lesson("take " + kTiny, kToQuiz + wrong + "\n\n");
    CHECK(has(result.out, std::string("It is ") + right_letter(desk)));
    CHECK_FALSE(has(result.out, "Right."));
  }
  SUBCASE("Enter alone does not give it away") {
    const Result result = desk.lesson("take " + kTiny, kToQuiz + "\n");
    CHECK(has(result.out, "A to C answers"));
    CHECK_FALSE(has(result.out, "It is "));
  }
}

TEST_CASE("the end of input leaves a lesson politely, and it goes on from there") {
  const Desk desk;
  Result result = desk.lesson("take " + kTiny, "\n");
  CHECK(result.exit_code == 0);
  CHECK(has(result.out, "Stopped at step 2 of 6."));
  desk.write("07-tiny.md", text_of(kTiny));
  CHECK(has(desk.lesson("list --folder .").out, "at step 2 of 6"));
  result = desk.lesson("take " + kTiny);
  CHECK_FALSE(has(result.out, "step 1 of 6"));
  CHECK(has(result.out, "You were at step 2"));
  result = desk.lesson("take --again " + kTiny);
  CHECK(has(result.out, "step 1 of 6"));
  CHECK_FALSE(has(result.out, "You were at"));
  result = desk.lesson("take --from 5 " + kTiny, "quit\n");
  CHECK(has(result.out, "step 5 of 6"));
  CHECK_FALSE(has(result.out, "step 4 of 6"));
}

TEST_CASE("commands of the debugger work at any place, and the lesson does not lose its own") {
  const Desk desk;
  // At the stop: look, run away, break the table; then on, back to the stop, on again.
  const Result result = desk.lesson(
      "take " + kTiny,
      "\nprint alpha[0]\ngoto 3\noption kv-tile 1\nedit 40 O = O + P V\nprint op\nnonsense\n"
      "hint\nhelp\nhelp debug\n\nback\nprint alpha[0]\nquit\n");
  CHECK(result.exit_code == 0);
  CHECK(has(result.out, "alpha[0] = 0.135335"));
  CHECK(has(result.out, "tiles 2 x 1"));
  CHECK(has(result.out, "there is no command 'nonsense'"));
  CHECK(has(result.out, "reverse-continue"));
  const std::size_t last = result.out.rfind("─ step 2 of 6");
  REQUIRE(last != std::string::npos);
  CHECK(last > result.out.find("step 3 of 6"));
  CHECK(has(result.out.substr(last), "alpha[0] = 0.135335"));  // where it was
}

TEST_CASE("a task stays open until its condition holds; hint helps") {
  const Desk desk;
  const Result result = desk.lesson("take --from 4 " + kTiny,
                                    "\nhint\noption kv-tile 4\noption q-tile x\nstep\noption "
                                    "q-tile 4\nquit\n");
  CHECK(has(result.out, "Still open"));
  CHECK(has(result.out, "Which of the two tile sizes"));
  CHECK(has(result.out, "q-tile"));
  const std::size_t solved = result.out.find("Solved.");
  REQUIRE(solved != std::string::npos);
  CHECK(solved > result.out.find("tiles 4 x 4"));
  CHECK(result.out.find("Solved.", solved + 1) == std::string::npos);
}

TEST_CASE("progress that can't be kept is a note, never the end of a lesson") {
  const Desk desk;
  SUBCASE("a file where the folder should be") {
    desk.write("flashscope", "mine");
    const Result result = desk.lesson("take " + kTiny, "\n\n");
    CHECK(result.exit_code == 0);
    CHECK(has(result.err, "progress is not kept"));
    CHECK(lines_of(result.err).size() == 1);
    CHECK(has(result.out, "step 3 of 6"));
    CHECK(text_of(desk.file("flashscope")) == "mine");
  }
  SUBCASE("a damaged file") {
    fs::create_directories(desk.progress().parent_path());
    std::ofstream(desk.progress()) << "{\"schema\": ";
    const Result result = desk.lesson("take " + kTiny, "\n");
    CHECK(result.exit_code == 0);
    CHECK(has(result.err, "damaged"));
    CHECK(fs::exists(desk.progress().string() + ".damaged"));
    CHECK(has(desk.lesson("take " + kTiny).out, "You were at step 2"));
  }
}

TEST_CASE("lesson list shows the course within 80 columns, and as JSON") {
  const Desk desk;
  const Result result = desk.lesson("list");
  CHECK(result.exit_code == 0);
  for (const std::string& line : lines_of(result.out)) CHECK(columns_of(line) <= 80);
  const auto json = nlohmann::json::parse(desk.lesson("list --json").out);
  CHECK(json["schema"] == "flashscope.lesson_list/1");
  REQUIRE(json["lessons"].size() > 0);
  for (const auto& lesson : json["lessons"]) {
    CAPTURE(lesson.dump());
    CHECK(lesson["steps"] > 1);
    CHECK(lesson["progress"]["finished"] == false);
    CHECK(has(result.out, lesson["title"]));
  }
}

TEST_CASE("a folder's list names the files that are no lessons") {
  const Desk desk;
  desk.write("a.md", text_of(kTiny));
  desk.write("b.md", "# Notes\n");
  desk.write("README.md", "# Not looked at\n");
  const Result result = desk.lesson("list --folder .");
  CHECK(result.exit_code == 0);
  CHECK(has(result.out, "A tiny lesson"));
  CHECK(has(result.out, "b.md:1"));
  CHECK_FALSE(has(result.out, "Not looked at"));
}

TEST_CASE("lessons are exported as pages that are whole or not there") {
  const Desk desk;
  Result result = desk.lesson("export " + kTiny);
  CHECK(result.exit_code == 0);
  CHECK(result.out == "07-tiny.html\n");
  const std::string page = text_of(desk.file("07-tiny.html"));
  CHECK(has(page, "A tiny lesson"));
  CHECK(has(page, "</html>"));
  result = desk.lesson("export --out mine.html " + kTiny);
  CHECK(text_of(desk.file("mine.html")) == page);
  CHECK(fault_of_refusal(desk.lesson("export --out nowhere/mine.html " + kTiny), "nowhere") == "");
  CHECK(fault_of_refusal(desk.lesson("export --all"), "--out") == "");
  CHECK(fault_of_refusal(desk.lesson("export --all --out x " + kTiny), "--all") == "");
  CHECK(fault_of_refusal(desk.lesson("export"), "which lesson") == "");
}

TEST_CASE("a walk is written as a page") {
  const Desk desk;
  const std::string path = desk.file("walk.html");
  CHECK(output_of(words("walk --rows 0 --html " + path)) == path + "\n");
  CHECK(has(text_of(path), "flashscope walk --rows 0"));
  check_refused(words("walk --json --html " + path), "--json");
  check_refused(words("walk --html /nowhere/at/all.html"), "/nowhere/at/all.html");
  check_refused(words("walk --rows 99 --html " + path), "99");
}

TEST_CASE("what lesson does not know is refused in one line") {
  const Desk desk;
  for (const auto& [line, mention] :
       {std::pair{"chek", "did you mean 'check'"}, std::pair{"take", "lesson is required"},
        std::pair{"show", "lesson is required"}, std::pair{"show 99", "99"},
        std::pair{"show nosuch", "nosuch"}, std::pair{"check nosuch.md", "nosuch.md"},
        std::pair{"take 1 2", "2"}, std::pair{"show 1 --aswers", "--answers"},
        std::pair{"take 1 --from 0", "--from 0"}, std::pair{"take 1 --from 999", "999"},
        std::pair{"take 1 --from x", "'x'"}, std::pair{"list --folder /nowhere", "/nowhere"},
        std::pair{"list --folder .", "no .md"}, std::pair{"show .", "."}}) {
    CAPTURE(std::string(line));
    CHECK(fault_of_refusal(desk.lesson(line), mention) == "");
  }
  const Result help = desk.lesson("");
  CHECK(help.exit_code == 0);
  for (const char* verb : {"list", "take", "show", "check", "export"}) CHECK(has(help.out, verb));
  CHECK(desk.lesson("take --help").exit_code == 0);
}
