// Lessons that are right, read whole. What is said of wrong ones is in parse_mistakes_test.cpp.
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "lessons/engine/course.h"
#include "lessons/engine/lesson.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::lessons;

namespace {

constexpr const char* kLesson = R"md(# The *online* softmax

```toml
[lesson]
minutes = 15
about = "m, l and alpha."
needs = [1, 2]
given = ["1.5 TB/s"]
```

Some prose, with `code`.

- an item

```toml
[scenario]
name = "pencil"
problem = "pencil"
algorithm = "fa2"
q-tile = 2
scale = 1          # an integer is a number too
rescale-threshold = 1e300
causal = true
seed = 7
edit = [
  { line = "l = alpha * l", to = "l = l + rowsum P" },
  { line = "O = alpha * O", to = "" },
]
record = "h200"
```

```toml
[scenarios]
zebra = { q-len = 4096, algorithm = "standard" }
ant = { q-len = 4096, q-tile = 128, kv-tile = 64 }
own = { table = "algorithm x" }
```

```toml
[scenario]
name = "pencil"
```

## A heading

```toml
[stop]
title = "The maximum moves"
tile = [0, 1]
after = "alpha = exp(m - m_new)"
walk = "since"
rows = [0, 3]
print = [
  "m_new[0]",
  "alpha[0]",
]
panels = ["Softmax state"]
tile-panel = "S"
```

```toml
[quiz]
question = "What is `l` now?"
at = { tile = 1, when = "l[0] > 1" }
answer = "l[0]"
wrong = [
  { value = "1.368 + 1.368", why = "Not scaled." },
  { value = "2" },
]
why = "So."
unit = "binary-bytes"
digits = 0
```

```toml
[quiz]
question = "Which?"
options = [
  { text = "No.", holds = "1 > 2" },
  { text = "Yes.", holds = "2 > 1", why = "Of course." },
]
```

```toml
[[expect]]
says = "1.553"
is = "l[0]"

[[expect]]
holds = "alpha[0] < 1"
at = { end = true }
```

```toml
[task]
text = "Halve the loads."
until = "here.load_bytes < 10"
hint = "Look."
why = "Because."
solution = { q-tile = 4, pack-gqa = true }
at = { op = 3 }
```

```toml
[figure]
title = "Bytes"
kind = "bars"
unit = "bytes"
log = true
series = [{ label = "fa2", value = "ant.total_bytes" }]
sweep = "q-len"
values = [1024, 2048]
```

## For the Teacher

Ask the class.

### Common answers

1. Two.

## Sources

A paper.
)md";

template <typename T>
const T& block(const Lesson& lesson, std::size_t index) {
  REQUIRE(index < lesson.blocks.size());
  REQUIRE(std::holds_alternative<T>(lesson.blocks[index]));
  return std::get<T>(lesson.blocks[index]);
}

}  // namespace

TEST_CASE("a lesson's head, prose and teacher's section") {
  const Lesson lesson = parse_lesson(kLesson, "some/where/03-online-softmax.md");
  CHECK(lesson.number == 3);
  CHECK(lesson.name == "online-softmax");
  CHECK(lesson.title == "The online softmax");
  CHECK(lesson.file == "some/where/03-online-softmax.md");
  CHECK(lesson.minutes == 15);
  CHECK(lesson.about == "m, l and alpha.");
  CHECK(lesson.needs == std::vector<int>{1, 2});
  CHECK(lesson.given == std::vector<std::string>{"1.5 TB/s"});
  CHECK((lesson.source == kLesson));

  const auto& prose = block<Prose>(lesson, 0).blocks;
  REQUIRE(prose.size() == 2);
  CHECK(plain_text(prose[0].text) == "Some prose, with code.");
  CHECK(prose[0].line == 11);
  CHECK(prose[1].kind == TextBlock::Kind::item);

  REQUIRE(lesson.teacher.size() == 3);
  CHECK(plain_text(lesson.teacher[0].text) == "Ask the class.");
  CHECK(plain_text(lesson.teacher[1].text) == "Common answers");
  CHECK(lesson.teacher[2].label == "1.");
  // The section after it is for everybody again.
  const auto& last = std::get<Prose>(lesson.blocks.back()).blocks;
  REQUIRE(last.size() == 2);
  CHECK(plain_text(last[0].text) == "Sources");
}

TEST_CASE("scenarios: options by name, edits, the order of the file, and going back") {
  const Lesson lesson = parse_lesson(kLesson, "x.md");
  CHECK(lesson.number == 0);
  CHECK(lesson.name == "x");

  const auto& pencil = block<ScenarioBlock>(lesson, 1);
  CHECK(pencil.name.text == "pencil");
  CHECK(pencil.name.line == 17);
  CHECK(pencil.opens);
  CHECK_FALSE(pencil.again);
  const ProblemOptions& options = pencil.change.options;
  CHECK(options.problem == "pencil");
  CHECK(options.q_tile == 2);
  CHECK(options.scale == 1.0);
  CHECK(options.rescale_threshold == 1e300);
  CHECK(options.causal);
  CHECK(options.seed == 7u);
  CHECK_FALSE(options.kv_tile);
  CHECK(pencil.change.given == std::vector<std::string>{"--problem", "--scale", "--causal",
                                                        "--seed", "--algorithm", "--q-tile",
                                                        "--rescale-threshold"});
  REQUIRE(pencil.change.edits.size() == 2);
  CHECK(pencil.change.edits[0].line.text == "l = alpha * l");
  CHECK(pencil.change.edits[0].line.line == 26);
  CHECK(pencil.change.edits[0].to == "l = l + rowsum P");
  CHECK(pencil.change.edits[1].to.empty());
  CHECK(pencil.change.record == "h200");

  const char* const names[] = {"zebra", "ant", "own"};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& each = block<ScenarioBlock>(lesson, 2 + i);
    CHECK(each.name.text == names[i]);
    CHECK(each.name.line == 34 + static_cast<int>(i));
    CHECK_FALSE(each.opens);
    CHECK_FALSE(each.again);
  }
  CHECK(block<ScenarioBlock>(lesson, 2).change.options.algorithm == "standard");
  CHECK(block<ScenarioBlock>(lesson, 4).change.options.table == "algorithm x");
  CHECK(block<ScenarioBlock>(lesson, 4).change.options.algorithm == "fa2");
  CHECK(block<ScenarioBlock>(lesson, 5).again);
  CHECK(block<ScenarioBlock>(lesson, 5).opens);
}

TEST_CASE("stops, quizzes and expects") {
  const Lesson lesson = parse_lesson(kLesson, "x.md");
  const auto& stop = block<StopBlock>(lesson, 7);
  CHECK(stop.title == "The maximum moves");
  CHECK(stop.place.line == 47);
  CHECK(stop.place.q_tile == 0);
  CHECK(stop.place.kv_tile == 1);
  CHECK(stop.place.after->text == "alpha = exp(m - m_new)");
  CHECK(stop.place.after->line == 50);
  CHECK_FALSE(stop.place.op);
  CHECK(stop.walk == StopBlock::Walk::since);
  CHECK(stop.rows == std::vector<std::int64_t>{0, 3});
  REQUIRE(stop.print.size() == 2);
  CHECK(stop.print[1].text == "alpha[0]");
  CHECK(stop.print[1].line == 55);
  CHECK(stop.panels == std::vector<std::string>{"Softmax state"});
  CHECK(stop.tile == "S");

  const auto& number = block<QuizBlock>(lesson, 8);
  CHECK(number.line == 62);
  REQUIRE(number.question.size() == 3);
  CHECK(number.question[1].style == Span::Style::code);
  CHECK(number.place.q_tile == 1);
  CHECK_FALSE(number.place.kv_tile);
  CHECK(number.place.when->text == "l[0] > 1");
  CHECK_FALSE(number.statements);
  REQUIRE(number.options.size() == 3);
  CHECK(number.options[0].right);
  CHECK(number.options[0].expression.text == "l[0]");
  CHECK_FALSE(number.options[1].right);
  CHECK(number.options[1].expression.line == 67);
  CHECK(number.options[1].why == "Not scaled.");
  CHECK(number.options[2].why.empty());
  CHECK(number.unit == Unit::binary_bytes);
  CHECK(number.digits == 0);
  CHECK(plain_text(number.why) == "So.");

  const auto& statements = block<QuizBlock>(lesson, 9);
  CHECK(statements.statements);
  CHECK_FALSE(statements.place.somewhere());
  CHECK(statements.digits == 4);
  REQUIRE(statements.options.size() == 2);
  CHECK(statements.options[1].text == "Yes.");
  CHECK(statements.options[1].expression.text == "2 > 1");
  CHECK(statements.options[1].why == "Of course.");

  const auto& says = block<ExpectBlock>(lesson, 10);
  CHECK(says.line == 85);
  CHECK(says.says->text == "1.553");
  CHECK(says.is->line == 87);
  CHECK_FALSE(says.holds);
  const auto& holds = block<ExpectBlock>(lesson, 11);
  CHECK(holds.line == 89);
  CHECK(holds.holds->text == "alpha[0] < 1");
  CHECK(holds.place.end);
}

TEST_CASE("tasks and figures") {
  const Lesson lesson = parse_lesson(kLesson, "x.md");
  const auto& task = block<TaskBlock>(lesson, 12);
  CHECK(plain_text(task.text) == "Halve the loads.");
  CHECK(task.until.text == "here.load_bytes < 10");
  CHECK(plain_text(task.hint) == "Look.");
  CHECK(plain_text(task.why) == "Because.");
  CHECK(task.solution.options.q_tile == 4);
  CHECK(task.solution.given == std::vector<std::string>{"--q-tile", "--pack-gqa"});
  CHECK(task.solution_place.op == 3);

  const auto& figure = block<FigureBlock>(lesson, 13);
  CHECK(figure.kind == FigureBlock::Kind::bars);
  CHECK(figure.title == "Bytes");
  CHECK(figure.unit == Unit::bytes);
  CHECK(figure.logarithmic);
  REQUIRE(figure.series.size() == 1);
  CHECK(figure.series[0].label == "fa2");
  CHECK(figure.series[0].value.text == "ant.total_bytes");
  CHECK(figure.sweep->text == "q-len");
  CHECK(figure.values == std::vector<std::string>{"1024", "2048"});
}

TEST_CASE("a solution's edit stands in it or beside it") {
  for (const char* solution :
       {"solution = { q-tile = 4, edit = [{ line = \"a\", to = \"b\" }] }",
        "solution = { q-tile = 4 }\nedit = [{ line = \"a\", to = \"b\" }]"}) {
    const Lesson lesson = parse_lesson(
        std::string("# T\n\n```toml\n[lesson]\nminutes = 1\nabout = \"a\"\n```\n\n```toml\n[task]\n"
                    "text = \"t\"\nuntil = \"1\"\n") +
            solution + "\n```\n",
        "x.md");
    const auto& task = block<TaskBlock>(lesson, 0);
    CHECK(task.solution.options.q_tile == 4);
    REQUIRE(task.solution.edits.size() == 1);
    CHECK(task.solution.edits[0].to == "b");
  }
}

TEST_CASE("a byte order mark and line ends of Windows change nothing") {
  std::string windows = "\xEF\xBB\xBF";
  for (const char* c = kLesson; *c != '\0'; ++c)
    windows += *c == '\n' ? "\r\n" : std::string(1, *c);
  const Lesson lesson = parse_lesson(windows, "x.md");
  CHECK(lesson.title == "The online softmax");
  CHECK(lesson.blocks.size() == parse_lesson(kLesson, "x.md").blocks.size());
  CHECK(block<StopBlock>(lesson, 7).print[1].line == 55);
}

TEST_CASE("toml that is only shown is not carried out") {
  const Lesson lesson = parse_lesson(
      "# T\n\n```toml\n[lesson]\nminutes = 1\nabout = \"a\"\n```\n\n"
      "````text\n```toml\n[stop]\n```\n````\n\n```text\n[stop]\n```\n",
      "x.md");
  REQUIRE(lesson.blocks.size() == 1);
  CHECK(block<Prose>(lesson, 0).blocks.size() == 2);
}

TEST_CASE("the course: every lesson is found by number, name and file, and is itself") {
  int previous = 0;
  for (const CourseFile& course : course_files()) {
    CAPTURE(course.file);
    const std::string file(course.file);
    const Lesson lesson = load_lesson(file);
    CHECK(lesson.number > previous);
    previous = lesson.number;
    CHECK((lesson.source == course.text));
    CHECK(load_lesson(std::to_string(lesson.number)).title == lesson.title);
    CHECK(load_lesson(lesson.name).title == lesson.title);
    CHECK(load_lesson(file.substr(0, file.size() - 3)).title == lesson.title);
    const Lesson from_disk = load_lesson(FLASHSCOPE_SOURCE_DIR "/lessons/" + file);
    CHECK((from_disk.source == lesson.source));  // too long to print
    CHECK(from_disk.number == lesson.number);
  }
}

TEST_CASE("a lesson that is not there") {
  CHECK_THROWS_AS(load_lesson("no-such-lesson"), Error);
  CHECK_THROWS_AS(load_lesson(""), Error);
  CHECK_THROWS_AS(load_lesson("99999999999999999999"), Error);
  CHECK_THROWS_WITH_AS(load_lesson("/"), "/: is a directory; name a file", Error);
  CHECK_THROWS_AS(load_lesson("no/such.md"), Error);
  CHECK_THROWS_AS(load_lesson("/dev/null"), Error);
}
