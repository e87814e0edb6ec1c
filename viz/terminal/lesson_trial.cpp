// See lesson_trial.h.
#include "viz/terminal/lesson_trial.h"

#include <fmt/format.h>

#include "lessons/engine/evaluate.h"
#include "sim/error.h"
#include "viz/terminal/lesson_text.h"
#include "viz/terminal/problem_options.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {

// Whether the session is still the stage's scenario, untouched. To open another one means making
// its data again, which takes seconds for a large problem.
bool LessonTrial::is_of_stage() const {
  const ProblemOptions &here = prompt_->options(), &there = stage_.options();
  return prompt_->generation() == first_generation_ &&
         prompt_->debugger().session().events().empty() && here.table == there.table &&
         problem_arguments(here) == problem_arguments(there);
}

DebugPrompt& LessonTrial::prompt() {
  if (prompt_ && !moved_) return *prompt_;
  const std::int64_t position = stage_.debugger().session().position();
  if (!prompt_ || !is_of_stage()) {
    facts_.reset();
    prompt_.emplace(stage_.options());
    first_generation_ = prompt_->generation();
  }
  prompt_->debugger().go_to(position);
  moved_ = false;
  return *prompt_;
}

void LessonTrial::execute(const std::string& command) {
  if (!stage_.has_scenario()) {
    fmt::print("{}", paragraph(std::string("Nothing is on stage yet: the lesson opens a scenario "
                                           "later on. Enter goes on."),
                               "  ", "  "));
    return;
  }
  try {
    prompt().execute(command);
  } catch (const Error& error) {
    const std::string reason = error.what();
    // Lines below the first one show the place with a caret.
    const bool one_line = reason.find('\n') == std::string::npos;
    fmt::print("{}\n", styled(one_line ? wrapped(reason) : reason, Style::bad));
  }
}

bool LessonTrial::holds(const std::string& condition) {
  DebugPrompt& session = prompt();
  try {
    if (!facts_ || generation_ != session.generation()) {
      facts_ = stage_.facts();
      facts_->replace_here(session.options());
      generation_ = session.generation();
    }
    return lessons::holds(condition, *facts_, &session.debugger());
  } catch (const Error&) {
    return false;
  }
}

}  // namespace flashscope::terminal
