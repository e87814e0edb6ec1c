// What a reader does beside a lesson: a debug prompt on a session of their own, which begins where
// the lesson stands. Leaving the place, changing options or the table there is harmless: the
// lesson's own stage does not move.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lessons/engine/stage.h"
#include "viz/terminal/debug_prompt.h"

namespace flashscope::terminal {

class LessonTrial {
 public:
  explicit LessonTrial(lessons::Stage& stage) : stage_(stage) {}

  // The lesson moved on: the next command begins there. What was changed is forgotten, breakpoints
  // and displays with it; else they stay while the scenario does.
  void move_on() { moved_ = true; }
  // A command of the debug prompt. What is wrong with it is printed.
  void execute(const std::string& command);
  // Names for completion; null when there is no session.
  const Debugger* names() const { return prompt_ ? &prompt_->debugger() : nullptr; }

  // Opens the session where the lesson stands, if that has not been done. Needs an open scenario.
  DebugPrompt& prompt();
  // Whether a task's condition holds of the session and its scenario. One that can't be evaluated
  // there (the tile is gone, say) does not.
  bool holds(const std::string& condition);

 private:
  bool is_of_stage() const;

  lessons::Stage& stage_;
  std::optional<DebugPrompt> prompt_;
  std::uint64_t first_generation_ = 0;  // of the session as it was opened
  bool moved_ = false;
  std::optional<lessons::Facts> facts_;  // here.… are those of the session
  std::uint64_t generation_ = 0;         // of the session that facts_ is about
};

}  // namespace flashscope::terminal
