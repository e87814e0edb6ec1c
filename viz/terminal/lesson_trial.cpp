// See lesson_trial.h.
#include "viz/terminal/lesson_trial.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "lessons/engine/evaluate.h"
#include "lessons/engine/watched.h"
#include "sim/error.h"
#include "sim/model/sram_budget.h"
#include "sim/scenario/problem_json.h"
#include "viz/terminal/lesson_text.h"
#include "viz/terminal/problem_options.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

// What `print`, or as much of it as names no other command, is to print; nothing for other
// commands.
std::optional<std::string> to_print(const std::string& command) {
  const std::size_t end = std::min(command.find(' '), command.size());
  const std::string word = command.substr(0, end);
  if (word.empty() || !std::string_view("print").starts_with(word)) return std::nullopt;
  const std::size_t rest = std::min(command.find_first_not_of(' ', end), command.size());
  if (rest == command.size()) return std::nullopt;
  return command.substr(rest);
}

std::string fault_text(const Error& error) {
  const std::string reason = error.what();
  // Lines below the first one show the place with a caret.
  const bool one_line = reason.find('\n') == std::string::npos;
  return styled(one_line ? wrapped(reason) : reason, Style::bad) + "\n";
}

}  // namespace

LessonTrial::LessonTrial(lessons::Stage& stage)
    : stage_(stage), output_(open_memstream(&buffer_, &size_)) {}

LessonTrial::~LessonTrial() {
  prompt_.reset();
  std::fclose(output_);
  std::free(buffer_);
}

std::string LessonTrial::subject() const {
  if (prompt_ && !moved_) return describe(prompt_->program().problem());
  return stage_.has_scenario() ? describe(stage_.facts().find("here").program().problem()) : "";
}

const Debugger* LessonTrial::names() const {
  return prompt_ && prompt_->has_debugger() ? &prompt_->debugger() : nullptr;
}

// As the lesson's own scenarios are made, on the same tensors where they are the same.
DebugPrompt::Source LessonTrial::source() {
  DebugPrompt::Source source;
  source.set_up = lessons::lesson_setup;
  source.make_scenario = [this](const Setup& setup, const ProblemOptions& options) {
    const ProblemOptions& open = stage_.options();
    const bool same =
        options.seed == open.seed && options.distribution == open.distribution &&
        options.problem == open.problem &&
        to_json(setup.problem) == to_json(stage_.facts().find("here").program().problem());
    return same ? stage_.scenario() : lessons::lesson_scenario(setup);
  };
  source.data_later = true;
  source.empty_line_repeats = false;
  return source;
}

// Whether the session is still the stage's scenario, untouched.
bool LessonTrial::is_of_stage() {
  const ProblemOptions &here = prompt_->options(), &there = stage_.options();
  const bool is_set = prompt_->has_debugger() && !prompt_->debugger().session().events().empty();
  return prompt_->generation() == first_generation_ && !is_set && here.table == there.table &&
         problem_arguments(here) == problem_arguments(there);
}

DebugPrompt& LessonTrial::prompt() {
  if (prompt_ && !moved_) return *prompt_;
  if (!prompt_ || !is_of_stage()) {
    prompt_.emplace(stage_.options(), output_, source());
    first_generation_ = prompt_->generation();
  }
  facts_.reset();
  prompt_->begin_at(stage_.position());
  moved_ = false;
  return *prompt_;
}

const lessons::Facts& LessonTrial::facts() {
  const DebugPrompt& session = prompt();
  if (!facts_ || generation_ != session.generation()) {
    facts_ = stage_.facts();
    if (session.generation() != first_generation_) facts_->replace_here(session.options());
    generation_ = session.generation();
  }
  return *facts_;
}

std::string LessonTrial::printed() {
  std::fflush(output_);
  std::string text(buffer_, size_);
  std::rewind(output_);  // the next text begins anew
  return text;
}

const Debugger* LessonTrial::debugger_for(const std::string& expression) {
  const lessons::LessonExpression parsed(expression, facts(), &prompt().program());
  return parsed.reads_state() ? &prompt().debugger() : nullptr;
}

// Tiles are as the last op left them, which is what the lesson speaks of.
std::string LessonTrial::print(const std::string& expression) {
  const lessons::LessonExpression parsed(expression, facts(), &prompt().program());
  const bool reads_state = parsed.reads_state();
  const expression::StateValue value =
      parsed.evaluate(reads_state ? &prompt().debugger() : nullptr);
  const bool is_nan = std::all_of(value.numbers.begin(), value.numbers.end(),
                                  [](double number) { return std::isnan(number); });
  if (reads_state && is_nan && expression.find('.') == std::string::npos &&
      prompt().looks_at_nothing(expression)) {
    return fmt::format("{} = nothing yet\n", expression);
  }
  return printed_value(expression, value);
}

std::string LessonTrial::fit_text() {
  const Program& program = prompt().program();
  const ProblemOptions& options = prompt().options();
  const Device& chip = device(options);
  const Budget needs = budget(program.algorithm(), program.problem(), program.tiling(),
                              program.precision(), chip, placement(options));
  if (needs.fits) return "";
  const auto kib = [](std::int64_t bytes) {
    return lessons::format_value(static_cast<double>(bytes), lessons::Unit::binary_bytes, 4);
  };
  std::string why = needs.reason;
  if (needs.shared_bytes > needs.shared_limit_bytes) {
    why = fmt::format(
        "it needs {} of the {} of shared memory that a block of {} may have (see "
        "info sram)",
        kib(needs.shared_bytes), kib(needs.shared_limit_bytes), chip.name);
  }
  const std::string text =
      fmt::format("That tiling does not fit: {}. It is counted all the same.", why);
  return styled(wrapped(text), Style::bad) + "\n";
}

std::string LessonTrial::execute(const std::string& command) {
  if (!stage_.has_scenario()) {
    return paragraph(std::string("Nothing is on stage yet: the lesson opens a scenario later on. "
                                 "Enter goes on."),
                     "  ", "  ");
  }
  std::string text;
  try {
    const std::uint64_t before = prompt().generation();
    if (const auto expression = to_print(command)) {
      text = print(*expression);
    } else {
      prompt().execute(command);
    }
    text += printed();
    if (prompt().generation() != before) text += fit_text();
  } catch (const Error& error) {
    text += printed() + fault_text(error);
  }
  return text;
}

std::string LessonTrial::position_text() { return prompt().position_text(); }

bool LessonTrial::holds(const std::string& condition) {
  try {
    return lessons::LessonExpression(condition, facts(), &prompt().program())
        .condition(debugger_for(condition));
  } catch (const Error&) {
    return false;
  }
}

std::vector<lessons::ShownValue> LessonTrial::watched(const std::string& condition) {
  try {
    return lessons::watched(condition, facts(), debugger_for(condition));
  } catch (const Error&) {
    return {};
  }
}

std::string LessonTrial::state() {
  const DebugPrompt& session = prompt();
  const std::size_t sets =
      session.has_debugger() ? session.debugger().session().events().size() : 0;
  return fmt::format("{} {} {}", session.generation(), session.position(), sets);
}

}  // namespace flashscope::terminal
