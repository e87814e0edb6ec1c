// `flashscope lesson` as a student, a teacher and an author use it: lists, whole lessons, lessons
// taken with scripted answers, checks of right and broken files, pages.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <doctest/doctest.h>

#include "command.h"

using namespace flashscope::terminal_tests;
namespace fs = std::filesystem;

namespace {

const std::string kTiny = FLASHSCOPE_SOURCE_DIR "/tests/data/lessons/07-tiny.md";

// A folder of the test's own, in which progress is kept too.
class Desk {
 public:
  Desk() {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Desk() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return file(name);
  }
  fs::path progress() const { return path_ / "flashscope" / "lessons.json"; }
  Surroundings surroundings(const std::string& input = "", int columns = 80) const {
    Surroundings result;
    result.environment = {"COLUMNS=" + std::to_string(columns), "XDG_STATE_HOME=" + path_.string()};
    result.folder = path_.string();
    result.input = input;
    return result;
  }
  Result lesson(const std::string& line, const std::string& input = "") const {
    return run_command(Arguments{"lesson"} + words(line), surroundings(input));
  }

 private:
  fs::path path_ = fs::temp_directory_path() / ("flashscope_lesson_" + std::to_string(getpid()));
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

int line_of(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

// The right letter of the lesson's only quiz, which the program chooses.
char right_letter(const Desk& desk) {
  const std::string out = desk.lesson("show --answers " + kTiny).out;
  const std::size_t at = out.find("Answer ");
  REQUIRE(at != std::string::npos);
  return out[at + 7];
}

char wrong_letter(const Desk& desk) { return right_letter(desk) == 'A' ? 'B' : 'A'; }

// From the figure to the quiz: two steps that only want Enter.
const std::string kToQuiz = "\n\n";

}  // namespace

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
