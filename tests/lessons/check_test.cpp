// The check of a whole lesson: a right one passes, and each way to be wrong is told with its line.
#include "lessons/engine/check.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace flashscope::lessons {
namespace {

const std::string kRight = R"md(# A lesson

```toml
[lesson]
minutes = 1
about = "Test."
given = ["1.5 TB/s"]
```

Memory moves 1.5 TB/s.

## The second tile

```toml
[scenario]
name = "pencil"
problem = "pencil"
algorithm = "fa2"
```

```toml
[stop]
title = "Here"
tile = [0, 1]
after = "l = alpha * l"
print = ["l[0]"]
rows = [0]
tile-panel = "S"
```

The sum l of row 0 is now 1.553, and `1.5` is code. Loads: 112 bytes.

```toml
[[expect]]
says = "1.553"
is = "l[0]"
[[expect]]
says = "112 bytes"
is = "here.load_bytes - 48"
[[expect]]
holds = "alpha[0] < 1"
```

```toml
[quiz]
question = "What is l?"
answer = "l[0]"
wrong = [ { value = "2" } ]
```

```toml
[figure]
title = "Bytes"
kind = "bars"
bars = [ { label = "loads", value = "here.load_bytes" } ]
```

```toml
[task]
text = "Load less."
until = "here.load_bytes < pencil.load_bytes"
solution = { q-tile = 4 }
```

## Try next

Numbers such as 9.9 MB are free here.

## Sources

A paper, 2.5 pages.

## For the teacher

3.5 minutes.
)md";

CheckReport check_of(const std::string& text) { return check(parse_lesson(text, "test.md")); }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t found = text.find(from);
  REQUIRE(found != std::string::npos);
  return text.replace(found, from.size(), to);
}

int line_of(const std::string& text, const std::string& part) {
  const std::size_t found = text.find(part);
  REQUIRE(found != std::string::npos);
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(found), '\n'));
}

// One mistake, in the line that holds `at`, that says `part`.
void check_mistake(const std::string& text, const std::string& at, const std::string& part) {
  CAPTURE(part);
  const CheckReport report = check_of(text);
  REQUIRE(report.mistakes.size() == 1);
  CAPTURE(report.mistakes[0].reason);
  CHECK(report.mistakes[0].reason.find(part) != std::string::npos);
  CHECK(report.mistakes[0].line == line_of(text, at));
}

void check_hint(const std::string& text, const std::string& at, const std::string& part) {
  const CheckReport report = check_of(text);
  CHECK(report.mistakes.empty());
  REQUIRE(report.hints.size() == 1);
  CHECK(report.hints[0].reason.find(part) != std::string::npos);
  if (!at.empty()) CHECK(report.hints[0].line == line_of(text, at));
}

}  // namespace

TEST_CASE("a right lesson has no mistakes and no hints, and all its blocks are counted") {
  const CheckReport report = check_of(kRight);
  for (const auto& finding : report.mistakes) FAIL_CHECK(finding.line << ": " << finding.reason);
  for (const auto& finding : report.hints) FAIL_CHECK(finding.line << ": " << finding.reason);
  CHECK(report.stops == 1);
  CHECK(report.quizzes == 1);
  CHECK(report.expects == 3);
  CHECK(report.tasks == 1);
  CHECK(report.figures == 1);
}

TEST_CASE("a stop that is nowhere is told, and what is behind it is looked at all the same") {
  const std::string text = replaced(kRight, "tile = [0, 1]", "tile = [0, 3]");
  const CheckReport report = check_of(text);
  REQUIRE(!report.mistakes.empty());
  CHECK(report.mistakes[0].line == line_of(text, "[stop]"));
  CHECK(report.mistakes[0].reason.find("kv tiles 0 to 1") != std::string::npos);
  CHECK(report.expects == 3);
  CHECK(report.tasks == 1);
}

TEST_CASE("each mistake is told with its line") {
  const auto with = [](const std::string& from, const std::string& to) {
    return replaced(kRight, from, to);
  };
  std::string text = with("says = \"1.553\"", "says = \"1.554\"");
  text = replaced(text, "row 0 is now 1.553", "row 0 is now 1.554");
  check_mistake(text, "says = \"1.554\"", "the prose says '1.554', but l[0] is 1.553");
  text = with("row 0 is now 1.553", "row 0 is now `1.5530`");
  check_mistake(text, "says = \"1.553\"", "does not say '1.553'");
  text = with("alpha[0] < 1", "alpha[0] > 1");
  check_mistake(text, "alpha[0] > 1", "'alpha[0] > 1' does not hold");
  text = with("value = \"2\"", "value = \"1.553\"");
  check_mistake(text, "value = \"1.553\"", "as the answer does");
  text = with("here.load_bytes\" } ]", "here.loads\" } ]");
  check_mistake(text, "here.loads", "no fact 'loads'");
  text = with("solution = { q-tile = 4 }", "solution = { kv-tile = 4 }");
  check_mistake(text, "[task]", "its solution does not make");
  text = with("until = \"here.load_bytes <", "until = \"here.load_bytes <=");
  check_mistake(text, "until =", "holds before anything is done");
  text = with("print = [\"l[0]\"]", "print = [\"l[7]\"]");
  check_mistake(text, "print =", "l[7]: row 7 is out of range");
  text = with("rows = [0]", "rows = [4]");
  check_mistake(text, "[stop]", "there are rows 0 to 3");
  text = with("tile-panel = \"S\"", "tile-panel = \"Z\"");
  check_mistake(text, "[stop]", "no such tile on chip");
}

TEST_CASE("a number counts as said only in its own section, before the expect, and whole") {
  const auto with_section = [](const std::string& prose) {
    return replaced(kRight, "## Try next\n",
                    "## Another\n\n" + prose +
                        "\n\n```toml\n[[expect]]\nsays = \"160\"\nis = \"pencil.load_bytes\"\n```\n"
                        "\nAll 160.\n\n## Try next\n");
  };
  CHECK(check_of(with_section("It loads 160.")).mistakes.empty());
  CHECK(check_of(with_section("It loads `160` bytes.")).mistakes.empty());
  check_mistake(with_section("It loads 1160."), "says = \"160\"", "does not say '160'");
  check_mistake(with_section("It loads 160.5 and 2,160 and 160,000."), "says = \"160\"",
                "does not say '160'");
}

TEST_CASE("numbers that no expect covers are hints") {
  check_hint(replaced(kRight, "Memory moves 1.5 TB/s.", "Memory moves 1.6 TB/s."), "1.6 TB/s",
             "'1.6 TB/s' is covered by no expect");
  check_hint(replaced(kRight, "Loads: 112 bytes.", "Loads: 112 bytes, 4,096 rows of 3."), "4,096",
             "'4,096' is covered by no expect");
  check_hint(replaced(kRight, "Loads: 112 bytes.", "Loads: 112 bytes.\n\n- 12.5 % of\n"), "12.5 %",
             "'12.5 %' is covered by no expect");
  check_hint(replaced(kRight, "Loads: 112 bytes.", "Loads: 112 bytes.\n\n| a |\n|---|\n| 7.5 |\n"),
             "", "'7.5' is covered by no expect");
  // 1.553 covers itself, not 11.553.
  check_hint(replaced(kRight, "is now 1.553,", "is now 1.553, not 11.553,"), "11.553",
             "'11.553' is covered by no expect");
}

TEST_CASE("missing sections are hints") {
  check_hint(replaced(replaced(kRight, "## Try next", "## Try"), "9.9 MB", "9"), "",
             "no section 'Try next'");
  const std::size_t teacher = kRight.find("## For the teacher");
  check_hint(kRight.substr(0, teacher), "", "no section 'For the teacher'");
}

TEST_CASE("a scenario that is none does not hide what is behind it") {
  const CheckReport report =
      check_of(replaced(kRight, "algorithm = \"fa2\"",
                        "algorithm = \"fa2\"\nedit = [ { line = \"x = 3\", to = \"\" } ]"));
  REQUIRE(!report.mistakes.empty());
  CHECK(report.mistakes[0].reason.find("begins with 'x = 3'") != std::string::npos);
  CHECK(report.stops == 1);
  CHECK(report.tasks == 1);
  CHECK(report.figures == 1);
}

}  // namespace flashscope::lessons
