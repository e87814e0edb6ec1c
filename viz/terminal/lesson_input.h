// What a reader of a lesson types, and texts one screen at a time. Without a terminal (a pipe)
// lines are read as they come, texts are in one part and no prompt is printed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/debugger/debugger.h"

namespace flashscope::terminal {

// An answer, as people write it: "b", "B)", "(B)", "b.", "answer b", "2". The letter is 'a' for the
// first option; which options there are is for others to look at.
std::optional<char> letter_typed(const std::string& typed);
// Whether a line where nothing is asked looks like an answer. Small letters are commands there.
bool is_stray_answer(const std::string& typed);

// What screens() does, for a screen of `height` lines.
std::vector<std::string> cut_into_screens(std::string_view text, std::size_t height);

class LessonInput {
 public:
  LessonInput();
  bool at_terminal() const { return at_terminal_; }

  // The next line without blanks around it; nothing at the end of input. `names` may be null.
  std::optional<std::string> line(const std::string& prompt, const Debugger* names);
  // A text cut into parts of at most a screen; one part without a terminal. A heading stays with
  // what it heads, and a table, list, figure or code with the sentence before it, where they fit.
  std::vector<std::string> screens(const std::string& text) const;

 private:
  bool at_terminal_;
  bool ended_ = false;
};

}  // namespace flashscope::terminal
