// [lesson], [stop], [quiz], [[expect]] and [task]; see parse_blocks.h.
#include "lessons/engine/parse_blocks.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/expression/nearest_name.h"

namespace flashscope::lessons {
namespace {

constexpr std::size_t kMostOptions = 9;  // a front end may number them by one key each

// `tile = [q tile, kv tile]`, or `tile = q tile`.
void read_tile(const TomlReader& reader, Place& place) {
  const TomlValue* value = reader.find("tile");
  if (!value) return;
  if (std::holds_alternative<std::int64_t>(value->value)) {
    place.q_tile = reader.integer("tile", 0, kNoLimit);
    return;
  }
  const std::vector<std::int64_t> tile = reader.integers("tile", 0, kNoLimit);
  if (tile.size() != 2) {
    reader.fail(value->line, fmt::format("{}: 'tile' has {} numbers: write [q tile, kv tile]",
                                         reader.what(), tile.size()));
  }
  place.q_tile = tile[0];
  place.kv_tile = tile[1];
}

void read_numbers(const TomlReader& reader, QuizBlock& quiz) {
  quiz.options.push_back({reader.required_text("answer"), {}, {}, true});
  reader.require("wrong");
  for (const TomlReader& wrong : reader.tables("wrong", "wrong answer", {"value", "why"})) {
    quiz.options.push_back({wrong.required_text("value"), {}, wrong.text_or("why", ""), false});
  }
  quiz.unit = read_unit(reader);
  quiz.digits = static_cast<int>(reader.integer("digits", 0, 17).value_or(quiz.digits));
}

void read_statements(const TomlReader& reader, QuizBlock& quiz) {
  quiz.statements = true;
  for (const std::string_view key : {"wrong", "unit", "digits"}) reader.exclude({"options", key});
  for (const TomlReader& option : reader.tables("options", "option", {"text", "holds", "why"})) {
    const std::string text = option.required_text("text").text;
    if (plain_text(parse_inline(text)).find_first_not_of(" \n") == std::string::npos) {
      option.fail(option.line_of("text"), "option: 'text' shows nothing to read");
    }
    quiz.options.push_back({option.required_text("holds"), text, option.text_or("why", ""), false});
  }
  if (quiz.options.size() < 2) {
    reader.fail(reader.line_of("options"), "quiz: one option leaves no choice");
  }
}

ScenarioChange read_solution(const TomlReader& task) {
  if (const auto* table = std::get_if<TomlTable>(&task.find("solution")->value)) {
    refuse_options(*table, "solution", task.file());
  }
  const TomlReader solution =
      *task.table("solution", "solution", joined(scenario_option_keys(), {"table", "edit"}));
  solution.exclude({"table", "edit"});
  ScenarioChange change = read_options(solution);
  change.edits = read_edits(solution);
  return change;
}

}  // namespace

Keys joined(const Keys& a, const Keys& b) {
  Keys all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

void parse_header(const TableSource& source, Lesson& lesson) {
  const TomlReader reader(source.table, "lesson", source.line, source.file,
                          {"minutes", "about", "needs", "given"});
  reader.require("minutes");
  lesson.minutes = static_cast<int>(*reader.integer("minutes", 1, 600));
  lesson.about = reader.required_text("about").text;
  for (const std::int64_t number : reader.integers("needs", 1, 999)) {
    if (std::ranges::find(lesson.needs, number) != lesson.needs.end()) {
      reader.fail(reader.line_of("needs"), fmt::format("lesson: 'needs' names {} twice", number));
    }
    lesson.needs.push_back(static_cast<int>(number));
  }
  for (const Sourced& figure : reader.texts("given")) lesson.given.push_back(figure.text);
}

const Keys& place_keys() {
  static const Keys kKeys = {"after", "before", "tile", "head", "batch",
                             "split", "op",     "when", "end"};
  return kKeys;
}

Place read_place(const TomlReader& reader) {
  reader.exclude({"after", "before"});
  for (const std::string& key : place_keys()) {
    if (key != "op") reader.exclude({"op", key});
    if (key != "end") reader.exclude({"end", key});
  }
  Place place;
  place.line = reader.line();
  place.after = reader.text("after");
  place.before = reader.text("before");
  place.when = reader.text("when");
  place.op = reader.integer("op", 0, kNoLimit);
  place.head = reader.integer("head", 0, kNoLimit);
  place.batch = reader.integer("batch", 0, kNoLimit);
  place.split = reader.integer("split", 0, kNoLimit);
  read_tile(reader, place);
  place.end = reader.flag("end");
  return place;
}

Place read_place_at(const TomlReader& reader) {
  const auto at = reader.table("at", "at", place_keys());
  if (!at) {
    Place nowhere;
    nowhere.line = reader.line();
    return nowhere;
  }
  Place place = read_place(*at);
  if (!place.somewhere()) at->fail("at says no place");
  return place;
}

Unit read_unit(const TomlReader& reader) {
  static const std::vector<std::string> kNames = {"none",  "bytes",   "binary-bytes",
                                                  "times", "percent", "microseconds"};
  return static_cast<Unit>(reader.choice("unit", kNames));
}

StopBlock parse_stop(const TableSource& source) {
  const TomlReader reader(
      source.table, "stop", source.line, source.file,
      joined({"title", "walk", "rows", "print", "panels", "tile-panel"}, place_keys()));
  StopBlock stop;
  stop.title = reader.required_text("title").text;
  stop.place = read_place(reader);
  if (!stop.place.somewhere()) {
    reader.fail("stop says no place: add tile, after, before, op, when or end");
  }
  stop.walk =
      static_cast<StopBlock::Walk>(reader.choice("walk", {"line", "step", "since", "none"}));
  stop.rows = reader.integers("rows", 0, kNoLimit);
  stop.print = reader.texts("print");
  for (const Sourced& panel : reader.texts("panels")) {
    const std::vector<std::string> names(kPanelNames.begin(), kPanelNames.end());
    if (std::ranges::find(names, panel.text) == names.end()) {
      reader.fail(panel.line, fmt::format("stop: the window has no panel '{}'; {}", panel.text,
                                          nearest_name(panel.text, names)));
    }
    stop.panels.push_back(panel.text);
  }
  stop.tile = reader.text_or("tile-panel", "");
  return stop;
}

QuizBlock parse_quiz(const TableSource& source) {
  const TomlReader reader(
      source.table, "quiz", source.line, source.file,
      {"question", "at", "answer", "wrong", "why", "unit", "digits", "options"});
  QuizBlock quiz;
  quiz.line = source.line;
  reader.require("question");
  quiz.question = reader.markdown("question");
  quiz.place = read_place_at(reader);
  reader.exclude({"answer", "options"});
  reader.require_one_of({"answer", "options"});
  if (reader.has("answer")) {
    read_numbers(reader, quiz);
  } else {
    read_statements(reader, quiz);
  }
  if (quiz.options.size() > kMostOptions) {
    reader.fail(fmt::format("quiz: {} answers to choose from; at most {} fit", quiz.options.size(),
                            kMostOptions));
  }
  quiz.why = reader.markdown("why");
  return quiz;
}

ExpectBlock parse_expect(const TableSource& source) {
  const TomlReader reader(source.table, "expect", source.line, source.file,
                          {"says", "is", "holds", "at"});
  reader.exclude({"holds", "says"});
  reader.exclude({"holds", "is"});
  reader.require_one_of({"says", "holds"});
  if (!reader.has("holds")) reader.require("is");
  ExpectBlock expect;
  expect.line = source.line;
  expect.place = read_place_at(reader);
  expect.holds = reader.text("holds");
  expect.says = reader.text("says");
  expect.is = reader.text("is");
  return expect;
}

TaskBlock parse_task(const TableSource& source) {
  const TomlReader reader(source.table, "task", source.line, source.file,
                          {"text", "until", "hint", "why", "solution", "edit", "at"});
  TaskBlock task;
  task.line = source.line;
  reader.require("text");
  task.text = reader.markdown("text");
  task.until = reader.required_text("until");
  task.hint = reader.markdown("hint");
  task.why = reader.markdown("why");
  reader.require_one_of({"solution", "edit", "at"});
  if (reader.has("solution")) task.solution = read_solution(reader);
  if (reader.has("edit")) {
    if (task.solution.options.table || !task.solution.edits.empty()) {
      reader.fail(reader.line_of("edit"),
                  "task: 'edit' beside a solution that edits the table too");
    }
    task.solution.edits = read_edits(reader);
  }
  task.solution_place = read_place_at(reader);
  return task;
}

}  // namespace flashscope::lessons
