// What a reader does beside a lesson: a debug prompt on a session of their own, which begins where
// the lesson stands. Leaving the place, changing options or the table there is harmless: the
// lesson's own stage does not move.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "lessons/engine/stage.h"
#include "viz/terminal/debug_prompt.h"

namespace flashscope::terminal {

class LessonTrial {
 public:
  explicit LessonTrial(lessons::Stage& stage);
  ~LessonTrial();
  LessonTrial(const LessonTrial&) = delete;
  LessonTrial& operator=(const LessonTrial&) = delete;

  // The lesson moved on: the next command begins there. What was changed is forgotten, breakpoints
  // and displays with it; else they stay while the scenario does.
  void move_on() { moved_ = true; }
  // What a command of the debug prompt prints, or what is wrong with it. `print` knows the facts of
  // the lesson's scenarios as well. A tiling that does not fit is told, not refused.
  std::string execute(const std::string& command);
  // "B1 H1 N4096 D64 fp16": what the session is about; empty without a scenario.
  std::string subject() const;
  // Names for completion; null when there is no session.
  const Debugger* names() const;

  // These open the session where the lesson stands, if that has not been done, and need an open
  // scenario. No data is made unless numbers are asked for.
  std::string position_text();
  // Whether a task's condition holds of the session and its scenario. One that can't be evaluated
  // there (the tile is gone, say) does not.
  bool holds(const std::string& condition);
  // What the condition looks at; nothing of one that can't be read.
  std::vector<lessons::ShownValue> watched(const std::string& condition);
  // Another text whenever a command has moved the session or made another of it.
  std::string state();

 private:
  DebugPrompt& prompt();
  DebugPrompt::Source source();
  const lessons::Facts& facts();
  std::string printed();  // what the prompt has printed since the last call
  std::string print(const std::string& expression);
  std::string fit_text();  // why the tiling does not fit; else empty
  const Debugger* debugger_for(const std::string& expression);
  bool is_of_stage();

  lessons::Stage& stage_;
  char* buffer_ = nullptr;  // of output_
  std::size_t size_ = 0;
  std::FILE* output_;
  std::optional<DebugPrompt> prompt_;
  std::uint64_t first_generation_ = 0;  // of the session as it was opened
  bool moved_ = false;
  std::optional<lessons::Facts> facts_;  // here.… are those of the session
  std::uint64_t generation_ = 0;         // of the session that facts_ is about
};

}  // namespace flashscope::terminal
