// See lesson_input.h.
#include "viz/terminal/lesson_input.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "viz/terminal/debug_input.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::size_t screen_height() {
  constexpr std::size_t kUsual = 24;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : kUsual;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

// How many of the lines to show first: as many as fit, but cut between two paragraphs where one
// ends in the lower half, and not behind a single line, which is a heading.
std::size_t first_part(const std::vector<std::string_view>& lines, std::size_t begin,
                       std::size_t height) {
  const std::size_t left = lines.size() - begin;
  if (left <= height) return left;
  for (std::size_t count = height; count > height / 2; --count) {
    const std::size_t at = begin + count;
    if (lines[at] == "\n" && lines[at - 1] != "\n" && lines[at - 2] != "\n") return count;
  }
  return height;
}

}  // namespace

LessonInput::LessonInput()
    : at_terminal_(isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1) {}

std::optional<std::string> LessonInput::line(const std::string& prompt, const Debugger* names) {
  std::fflush(stdout);
  if (typed_early_) return std::exchange(typed_early_, std::nullopt);
  if (ended_) return std::nullopt;  // a terminal would go on behind Ctrl+D
  if (at_terminal_) {
    const auto typed = typed_line(prompt, names);
    if (!typed) {
      fmt::print("\n");
      ended_ = true;
      return std::nullopt;
    }
    const std::string line = trimmed(*typed);
    // Who only reads sees the text in one piece, without the prompts between.
    if (line.empty()) fmt::print("\x1b[1A\x1b[2K");
    return line;
  }
  std::string typed;
  if (!std::getline(std::cin, typed)) return std::nullopt;
  return trimmed(typed);
}

void LessonInput::show(const std::string& text) {
  if (!at_terminal_) {
    fmt::print("{}", text);
    return;
  }
  // A line remains for the prompt, and one for what stood above it.
  const std::size_t height = std::max<std::size_t>(screen_height(), 8) - 2;
  const std::vector<std::string_view> lines = lines_of(text);
  std::size_t begin = 0;
  while (begin < lines.size()) {
    const std::size_t end =
        begin + (typed_early_ ? lines.size() - begin : first_part(lines, begin, height));
    for (std::size_t n = begin; n < end; ++n) fmt::print("{}", lines[n]);
    begin = end;
    if (begin == lines.size()) break;
    const std::optional<std::string> typed = line("(Enter: more) ", nullptr);
    if (!typed) return;  // the next line() says so again
    if (!typed->empty()) typed_early_ = typed;
    if (typed_early_ == "quit" || typed_early_ == "q" || typed_early_ == "back") return;
  }
}

}  // namespace flashscope::terminal
