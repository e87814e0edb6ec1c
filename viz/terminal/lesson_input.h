// What a reader of a lesson types, and texts one screen at a time. Without a terminal (a pipe)
// lines are read as they come, nothing waits between screens and no prompt is printed.
#pragma once

#include <optional>
#include <string>

#include "sim/debugger/debugger.h"

namespace flashscope::terminal {

class LessonInput {
 public:
  LessonInput();
  bool at_terminal() const { return at_terminal_; }

  // The next line without blanks around it; nothing at the end of input. `names` may be null.
  std::optional<std::string> line(const std::string& prompt, const Debugger* names);
  // Text that is longer than the screen waits for Enter between its parts. What is typed there
  // instead is the next line().
  void show(const std::string& text);

 private:
  bool at_terminal_;
  bool ended_ = false;
  std::optional<std::string> typed_early_;
};

}  // namespace flashscope::terminal
