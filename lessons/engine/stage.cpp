// Carrying out the blocks of a lesson; see stage.h.
#include "lessons/engine/stage.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "lessons/engine/facts_options.h"
#include "lessons/engine/message.h"
#include "sim/io/message_text.h"
#include "sim/io/number_text.h"

namespace flashscope::lessons {
namespace {

constexpr std::size_t kMostNumbersShown = 8;
constexpr int kDigits = 4;

std::string where(const std::string& file, int line) {
  return file.empty() ? fmt::format("line {}", line)
                      : fmt::format("{}:{}", io::printable(file), line);
}

// A number, or the first ones of a tile.
std::string value_text(const expression::StateValue& value) {
  if (value.is_scalar) return format_value(value.numbers.at(0), Unit::none, kDigits);
  std::string text;
  for (std::size_t n = 0; n < std::min(value.numbers.size(), kMostNumbersShown); ++n) {
    text += fmt::format("{}{}", n == 0 ? "" : " ", io::short_number(value.numbers[n]));
  }
  if (value.numbers.empty()) return "nothing yet";
  return value.numbers.size() > kMostNumbersShown ? text + " ..." : text;
}

// A value beside what the prose says of it.
std::string found_text(double value, Unit unit) {
  constexpr int kMoreDigits = 6;
  if (std::isnan(value)) return "nan: there is nothing at this place";
  const std::string plain = format_value(value, Unit::none, kMoreDigits);
  const std::string said = format_value(value, unit, kMoreDigits);
  return unit == Unit::none || unit == Unit::times ? plain : fmt::format("{} ({})", said, plain);
}

}  // namespace

LessonError::LessonError(const std::string& file, int line, const std::string& reason)
    : Error(fmt::format("{}: {}", where(file, line), one_line(reason))),
      line_(line),
      reason_(one_line(reason)) {}

ProblemOptions changed_options(const ProblemOptions& options, const ScenarioChange& change) {
  ScenarioChange result;
  result.options = options;
  for (const std::string& name : change.given) {
    if (find_option(name).name == std::string_view("--algorithm")) result.options.table.reset();
    copy_option(result.options, change.options, name);
  }
  if (change.options.table) result.options.table = change.options.table;
  result.edits = change.edits;
  return options_of(result);
}

void require_ops(const Program& program) {
  if (program.size() == 0) throw Error("the problem has no ops (q-len, kv-len or batch is 0)");
}

struct Stage::World {
  // Holds on to the scenario's facts as well: the debugger looks at their program.
  explicit World(const Facts& known) : facts(known), here(facts.find("here")) {
    require_ops(here.program());
    scenario = lesson_scenario(here.setup());
    debugger.emplace(scenario, here.program());
  }
  Facts facts;
  const ScenarioFacts& here;
  Scenario scenario;
  std::optional<Debugger> debugger;
};

Stage::Stage(const Lesson& lesson) : lesson_(lesson) {}
Stage::~Stage() = default;

Stage::World& Stage::world() {
  if (!world_) world_ = std::make_unique<World>(facts_);
  return *world_;
}

Debugger& Stage::debugger() { return *world().debugger; }
const Scenario& Stage::scenario() { return world().scenario; }
const ProblemOptions& Stage::options() const { return facts_.find("here").options(); }
std::int64_t Stage::position() const { return world_ ? world_->debugger->session().position() : 0; }
std::int64_t Stage::previous_position() const { return previous_position_; }

Stage::Timing::Timing(Stage& stage, int line) : stage_(stage) {
  constexpr std::chrono::minutes kMost{10};  // also on slow machines, with sanitizers
  if (stage.computed_ > kMost) {
    throw LessonError(stage.lesson_.file, line,
                      "the lesson has computed for ten minutes and goes no further: make its "
                      "problems smaller, or two lessons of it");
  }
  ++stage.timings_;
}

Stage::Timing::~Timing() {
  if (--stage_.timings_ == 0) stage_.computed_ += std::chrono::steady_clock::now() - begin_;
}

// Calls `action`; what goes wrong is told with the file and the line.
template <typename Action>
auto Stage::at_line(int line, Action action) {
  const Timing timing(*this, line);
  try {
    return action();
  } catch (const LessonError& error) {
    throw LessonError(lesson_.file, error.line(), error.reason());
  } catch (const Error& error) {
    throw LessonError(lesson_.file, line, error.what());
  }
}

// Calls `action` with the lesson standing at a place, and goes back.
template <typename Action>
auto Stage::at_place(const Place& place, int line, Action action) {
  return at_line(line, [&] {
    if (!place.somewhere()) return action();
    Debugger& here = debugger();
    const std::int64_t stood = here.session().position();
    const auto go_back = [&] { here.go_to(stood); };
    try {
      // The place where the lesson stands is the first one that may be meant.
      const std::int64_t found = find_place(place, stood - 1, here, facts_);
      here.go_to(found);
      auto result = action();
      go_back();
      return result;
    } catch (...) {
      go_back();
      throw;
    }
  });
}

const Program* Stage::open_program() const {
  return has_scenario() ? &facts_.find("here").program() : nullptr;
}

// The debugger, for an expression that looks at a place: for others no data is made.
const Debugger* Stage::debugger_for(const LessonExpression& expression) {
  return expression.reads_state() ? &debugger() : nullptr;
}

double Stage::value(const std::string& text) {
  const LessonExpression expression(text, facts_, open_program());
  return expression.value(debugger_for(expression));
}

bool Stage::holds_here(const std::string& text) {
  const LessonExpression condition(text, facts_, open_program());
  return condition.condition(debugger_for(condition));
}

// A mistake in a table that the lesson writes itself is told with its line in the lesson's file.
void Stage::throw_in_table(const ScenarioChange& change, std::string_view message) const {
  constexpr std::string_view kIn = "edited table:";
  if (change.table_line == 0 || !message.starts_with(kIn)) return;
  message.remove_prefix(kIn.size());
  int line = 0;
  std::from_chars(message.data(), message.data() + message.size(), line);
  const std::size_t reason = message.find(": ");
  if (line == 0 || reason == std::string_view::npos) return;
  throw LessonError(lesson_.file, change.table_line + line - 1,
                    fmt::format("table: {}", message.substr(reason + 2)));
}

void Stage::open(const ScenarioBlock& block) {
  try {
    if (!block.again) facts_.define(block.name.text, block.change);
    if (block.opens) facts_.open(block.name.text);
  } catch (const Error& error) {
    // What follows is not to look at the scenario before.
    if (block.opens) {
      world_.reset();
      facts_.close();
    }
    throw_in_table(block.change, error.what());
    throw;
  }
  if (!block.opens) return;
  world_.reset();
  has_stopped_ = false;
  previous_position_ = 0;
}

void Stage::carry_out(const Block& block) {
  if (const auto* scenario = std::get_if<ScenarioBlock>(&block)) {
    at_line(scenario->name.line, [&] { open(*scenario); });
  } else if (const auto* stop = std::get_if<StopBlock>(&block)) {
    at_line(stop->place.line, [&] {
      Debugger& here = debugger();
      const std::int64_t stood = here.session().position();
      previous_position_ = stood;
      if (!stop->place.somewhere()) return;
      std::int64_t found = stood;
      try {
        found = find_place(stop->place, has_stopped_ ? stood : -1, here, facts_);
      } catch (const Error&) {
        here.go_to(stood);
        throw;
      }
      here.go_to(found);
      has_stopped_ = true;
    });
  }
}

void Stage::enter(std::size_t block) {
  if (block < next_block_) {
    facts_ = {};
    world_.reset();
    next_block_ = 0;
    computed_ = {};
    has_stopped_ = false;
    previous_position_ = 0;
  }
  while (next_block_ <= block && next_block_ < lesson_.blocks.size()) {
    carry_out(lesson_.blocks[next_block_++]);
  }
}

ShownQuiz Stage::quiz(const QuizBlock& quiz) {
  return at_place(quiz.place, quiz.line, [&] {
    bool reads_state = false;
    for (const QuizOption& option : quiz.options) {
      try {
        reads_state =
            reads_state ||
            LessonExpression(option.expression.text, facts_, open_program()).reads_state();
      } catch (const Error& error) {
        throw LessonError("", option.expression.line, fmt::format("quiz: {}", error.what()));
      }
    }
    return show_quiz(quiz, facts_, reads_state ? &debugger() : nullptr);
  });
}

bool Stage::expect(const ExpectBlock& expect, std::string& found) {
  return at_place(expect.place, expect.line, [&] {
    if (expect.holds) {
      const bool is = at_line(expect.holds->line, [&] { return holds_here(expect.holds->text); });
      found = is ? "it holds" : "it does not hold";
      return is;
    }
    if (!expect.says || !expect.is) throw Error("expect: write says and is, or holds");
    const std::optional<StatedNumber> stated = parse_stated(expect.says->text);
    if (!stated) {
      throw LessonError("", expect.says->line,
                        fmt::format("says '{}': it states no number", expect.says->text));
    }
    const double is = at_line(expect.is->line, [&] { return value(expect.is->text); });
    found = found_text(is, stated->unit);
    return stated->agrees(is);
  });
}

std::vector<ShownValue> Stage::values(const StopBlock& stop) {
  std::vector<ShownValue> values;
  for (const Sourced& printed : stop.print) {
    values.push_back(at_line(printed.line, [&]() -> ShownValue {
      const LessonExpression expression(printed.text, facts_, open_program());
      return {printed.text, value_text(expression.evaluate(debugger_for(expression)))};
    }));
  }
  return values;
}

bool Stage::done_at_start(const TaskBlock& task) {
  at_line(task.line, [&] {
    if (has_scenario()) require_ops(*open_program());
  });
  return at_line(task.until.line, [&] { return holds_here(task.until.text); });
}

bool Stage::solved(const TaskBlock& task) {
  const ScenarioChange& change = task.solution;
  const bool changes = !change.given.empty() || !change.edits.empty() || change.options.table;
  Facts facts = facts_;
  at_line(task.line, [&] {
    if (changes) facts.replace_here(changed_options(options(), change));
  });
  return at_line(task.until.line, [&] {
    const LessonExpression until(task.until.text, facts, &facts.find("here").program());
    if (!until.reads_state() && !task.solution_place.somewhere()) return until.condition(nullptr);
    World there(facts);
    if (!changes) there.debugger->go_to(debugger().session().position());
    if (task.solution_place.somewhere()) {
      const std::int64_t stands = there.debugger->session().position();
      there.debugger->go_to(
          find_place(task.solution_place, stands - 1, *there.debugger, there.facts));
    }
    return until.condition(&*there.debugger);
  });
}

}  // namespace flashscope::lessons
