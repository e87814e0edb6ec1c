// Lessons on the stage: scenarios, stops, quizzes, expects and tasks.
#include "lessons/engine/stage.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

namespace flashscope::lessons {
namespace {

const std::string kOpening = R"md(# A lesson

```toml
[lesson]
minutes = 1
about = "Test."
```

```toml
[scenario]
name = "pencil"
problem = "pencil"
algorithm = "fa2"
```
)md";

std::string block(const std::string& toml) { return "\n```toml\n" + toml + "\n```\n"; }

Lesson lesson(const std::string& rest) { return parse_lesson(kOpening + rest, "test.md"); }

template <typename T>
const T& nth(const Lesson& lesson, int n = 0) {
  for (const Block& block : lesson.blocks) {
    if (const T* found = std::get_if<T>(&block)) {
      if (n-- == 0) return *found;
    }
  }
  throw Error("the test's lesson has no such block");
}

void enter_all(Stage& stage, const Lesson& lesson) { stage.enter(lesson.blocks.size() - 1); }

ShownQuiz quiz_of(const std::string& toml) {
  const Lesson it = lesson(block(toml));
  Stage stage(it);
  enter_all(stage, it);
  return stage.quiz(nth<QuizBlock>(it));
}

std::string reason(const std::function<void()>& action) {
  try {
    action();
  } catch (const LessonError& error) {
    return error.what();
  }
  return "nothing is wrong";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("stops follow each other, and going back starts anew") {
  const Lesson it = lesson(
      block("[stop]\ntitle = \"Here\"\ntile = [0, 1]\nafter = \"l = alpha * l\"\n"
            "print = [\"l[0]\", \"alpha\", \"here.q_len\"]") +
      block("[stop]\ntitle = \"Here\"\nafter = \"m = m_new\"") +
      block("[scenario]\nname = \"other\"\nproblem = \"pencil\"\nkv-tile = 4") +
      block("[stop]\ntitle = \"Here\"\nend = true") + block("[scenario]\nname = \"pencil\""));
  Stage stage(it);
  CHECK(!stage.has_scenario());
  std::vector<std::size_t> stops;
  std::size_t back_to_pencil = 0;
  for (std::size_t n = 0; n < it.blocks.size(); ++n) {
    if (std::holds_alternative<StopBlock>(it.blocks[n])) stops.push_back(n);
    if (std::holds_alternative<ScenarioBlock>(it.blocks[n])) back_to_pencil = n;
  }
  REQUIRE(stops.size() == 3);
  stage.enter(stops[0]);
  CHECK(stage.debugger().session().position() == 20);
  CHECK(stage.previous_position() == 0);
  const auto values = stage.values(std::get<StopBlock>(it.blocks[stops[0]]));
  REQUIRE(values.size() == 3);
  CHECK(values[0].value == "1.553");
  CHECK(values[1].value == "0.1353 1");
  CHECK(values[2].value == "4");
  stage.enter(stops[1]);
  CHECK(stage.debugger().session().position() == 23);
  CHECK(stage.previous_position() == 20);
  stage.enter(stops[2]);
  CHECK(stage.options().kv_tile == 4);
  CHECK(stage.debugger().session().at_end());
  stage.enter(back_to_pencil);
  CHECK(stage.debugger().session().position() == 0);
  CHECK(stage.facts().find("here").fact("kv_tile") == 2);
  stage.enter(stops[0]);
  CHECK(stage.debugger().session().position() == 20);
}

TEST_CASE("what fails is told with the file and the line, and the next block goes on") {
  const Lesson it = lesson(block("[stop]\ntitle = \"Here\"\ntile = [0, 7]") +
                           block("[stop]\ntitle = \"Here\"\ntile = [1, 1]"));
  Stage stage(it);
  std::string said;
  for (std::size_t n = 0; n < it.blocks.size(); ++n) {
    const std::string why = reason([&] { stage.enter(n); });
    if (why != "nothing is wrong") said += why;
  }
  CHECK(contains(said, "test.md:17: tile [0, 7]: there are kv tiles 0 to 1"));
  CHECK(stage.debugger().session().position() > 30);
  const Lesson none = parse_lesson(
      "# T\n\n```toml\n[lesson]\nminutes = 1\nabout = \"x\"\n```\n\n```toml\n[stop]\ntitle = "
      "\"Here\"\nop = 3\n```\n",
      "test.md");
  Stage bare(none);
  CHECK(contains(reason([&] { enter_all(bare, none); }), "no scenario is open"));
}

TEST_CASE("a quiz of numbers shows the computed answer among the wrong ones, always alike") {
  const std::string toml =
      "[quiz]\nquestion = \"What is l of row 0?\"\n"
      "at = { tile = [0, 1], after = \"l = alpha * l\" }\nanswer = \"l[0]\"\n"
      "wrong = [ { value = \"1.368 + 1.368\", why = \"Old units.\" }, { value = \"1.368\" } ]\n"
      "why = \"alpha * 1.368 + 1.368.\"";
  const ShownQuiz quiz = quiz_of(toml);
  REQUIRE(quiz.options.size() == 3);
  CHECK(quiz.options[quiz.right].text == "1.553");
  CHECK(quiz.options[quiz.right].right);
  std::set<std::string> texts;
  for (const ShownOption& option : quiz.options) {
    texts.insert(option.text);
    CHECK(option.right == (option.text == "1.553"));
    if (option.text == "2.736") CHECK(option.why == "Old units.");
  }
  CHECK(texts == std::set<std::string>{"1.553", "2.736", "1.368"});
  const ShownQuiz again = quiz_of(toml);
  for (std::size_t n = 0; n < 3; ++n) CHECK(again.options[n].text == quiz.options[n].text);
}

TEST_CASE("the right option stands in every place") {
  int at[3] = {};
  for (int n = 0; n < 60; ++n) {
    const ShownQuiz quiz =
        quiz_of("[quiz]\nquestion = \"Question " + std::to_string(n) +
                "?\"\nanswer = \"here.q_len\"\nwrong = [ { value = \"5\" }, { value = \"6\" } ]");
    ++at[quiz.right];
  }
  for (const int times : at) CHECK(times >= 8);
}

TEST_CASE("a quiz with no right answer, several, or two that read alike is refused") {
  const auto why = [](const std::string& toml) { return reason([&] { quiz_of(toml); }); };
  const std::string numbers = "[quiz]\nquestion = \"?\"\nanswer = \"here.q_len\"\n";
  CHECK(contains(why(numbers + "wrong = [ { value = \"2 + 2\" } ]"), "reads '4', as the answer"));
  CHECK(contains(why(numbers + "wrong = [ { value = \"5\" }, { value = \"5.00001\" } ]"),
                 "two options read '5'"));
  CHECK(contains(why(numbers + "wrong = [ { value = \"m[0]\" } ]"), "nothing at this place"));
  CHECK(contains(why(numbers + "wrong = [ { value = \"her.q_len\" } ]"), "no scenario 'her'"));
  const auto statements = [](const std::string& a, const std::string& b) {
    return "[quiz]\nquestion = \"?\"\noptions = [\n{ text = \"A\", holds = \"" + a +
           "\" },\n{ text = \"B\", holds = \"" + b + "\" },\n]";
  };
  CHECK(contains(why(statements("0", "0 > 1")), "test.md:17: quiz: no options are right"));
  CHECK(contains(why(statements("1", "here.q_len == 4")), "quiz: 2 options are right"));
  const ShownQuiz right = quiz_of(statements("here.q_len == 5", "here.q_len == 4"));
  CHECK(right.options[right.right].text == "B");
}

TEST_CASE("an expect agrees to the digits that the prose shows") {
  const auto outcome = [](const std::string& toml) {
    const Lesson it =
        lesson(block("[stop]\ntitle = \"Here\"\ntile = [0, 1]\nafter = \"l = alpha * l\"") +
               block("[[expect]]\n" + toml));
    Stage stage(it);
    enter_all(stage, it);
    std::string found;
    const bool agrees = stage.expect(nth<ExpectBlock>(it), found);
    CHECK(stage.debugger().session().position() == 20);
    return (agrees ? "yes: " : "no: ") + found;
  };
  CHECK(outcome("says = \"1.553\"\nis = \"l[0]\"") == "yes: 1.553");
  CHECK(outcome("says = \"1.55\"\nis = \"l[0]\"").starts_with("yes"));
  CHECK(outcome("says = \"1.56\"\nis = \"l[0]\"").starts_with("no"));
  CHECK(outcome("says = \"160 bytes\"\nis = \"here.load_bytes\"").starts_with("yes"));
  CHECK(outcome("holds = \"alpha[0] < 1\"").starts_with("yes"));
  CHECK(outcome("holds = \"alpha[0] > 1\"").starts_with("no"));
  CHECK(outcome("holds = \"m_new[0] == 1\"\nat = { tile = [0, 0] }").starts_with("yes"));
  CHECK(contains(reason([&] { outcome("says = \"lots\"\nis = \"l[0]\""); }), "states no number"));
  CHECK(contains(reason([&] { outcome("says = \"1\"\nis = \"q[0]\""); }), "test.md:"));
}

TEST_CASE("a task is open at the start and done with its solution") {
  const auto both = [](const std::string& toml) {
    const Lesson it = lesson(block("[task]\ntext = \"Do.\"\n" + toml));
    Stage stage(it);
    enter_all(stage, it);
    const TaskBlock& task = nth<TaskBlock>(it);
    return std::pair(stage.done_at_start(task), stage.solved(task));
  };
  using P = std::pair<bool, bool>;
  CHECK(both("until = \"here.load_bytes <= pencil.load_bytes - 64\"\nsolution = { q-tile = 4 }") ==
        P(false, true));
  CHECK(both("until = \"here.load_bytes <= pencil.load_bytes - 64\"\nsolution = { kv-tile = 4 }") ==
        P(false, false));
  CHECK(both("until = \"here.q_len == 4\"\nsolution = { q-tile = 4 }") == P(true, true));
  CHECK(both("until = \"op > 0 && alpha[0] < 1\"\n"
             "at = { tile = [0, 1], after = \"alpha =\" }") == P(false, true));
  CHECK(both("until = \"here.max_abs_error > 0.1\"\n"
             "solution = { edit = [ { line = \"l = alpha * l\", to = \"l = l + rowsum P\" } ] }") ==
        P(false, true));
}

TEST_CASE("facts of a large scenario need no data") {
  const Lesson it = parse_lesson(
      "# T\n\n```toml\n[lesson]\nminutes = 1\nabout = \"x\"\n```\n\n```toml\n[scenario]\n"
      "name = \"huge\"\nq-len = 1048576\nq-heads = 128\nhead-dim = 128\nq-tile = 128\n"
      "kv-tile = 128\n```\n\n```toml\n[[expect]]\nholds = \"here.q_len == 1048576\"\n```\n\n"
      "```toml\n[quiz]\nquestion = \"?\"\nanswer = \"here.load_bytes\"\nunit = \"bytes\"\n"
      "wrong = [ { value = \"1\" } ]\n```\n",
      "test.md");
  Stage stage(it);
  enter_all(stage, it);
  std::string found;
  CHECK(stage.expect(nth<ExpectBlock>(it), found));
  CHECK(contains(stage.quiz(nth<QuizBlock>(it)).options[0].text, "B"));
  try {
    stage.debugger();
    FAIL_CHECK("its data was made");
  } catch (const Error& error) {
    CHECK(contains(error.what(), "too large for a lesson"));
  }
}

}  // namespace flashscope::lessons
