// See lesson_input.h.
#include "viz/terminal/lesson_input.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
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

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
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

// Without the colour codes in front.
std::string_view visible(std::string_view line) {
  while (line.starts_with('\x1b')) line.remove_prefix(std::min(line.find('m') + 1, line.size()));
  return line;
}

bool is_indented(std::string_view line) { return visible(line).starts_with("  "); }

bool is_list(std::string_view line) {
  std::string_view text = visible(line);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return text.starts_with("•") || (digits > 0 && text.substr(digits).starts_with(". "));
}

// Lines between two empty ones, with the empty ones before them.
struct Block {
  std::size_t begin = 0, first = 0, end = 0;  // first: that is not empty
  std::size_t size() const { return end - begin; }
};

std::vector<Block> blocks_of(const std::vector<std::string_view>& lines) {
  std::vector<Block> blocks;
  std::size_t n = 0;
  while (n < lines.size()) {
    Block block{n, n, n};
    while (n < lines.size() && lines[n] == "\n") ++n;
    block.first = n;
    while (n < lines.size() && lines[n] != "\n") ++n;
    block.end = n;
    blocks.push_back(block);
  }
  return blocks;
}

// Whether a reader wants to see two blocks at once.
bool belong_together(const std::vector<std::string_view>& lines, const Block& a, const Block& b) {
  if (b.first == b.end || a.first == a.end) return true;  // only empty lines
  std::string_view last = lines[a.end - 1];
  last = last.substr(0, last.find_last_not_of('\n') + 1);
  if (last.ends_with("\x1b[0m")) last.remove_suffix(4);
  const bool ends_sentence = last.find_last_of(".:!?") == last.size() - 1;
  const bool heading = a.end - a.first == 1 && !is_list(last) && !ends_sentence;
  if (heading) return true;
  if (is_list(lines[b.first])) return last.ends_with(':');
  return is_indented(lines[b.first]) && !is_indented(lines[a.first]);
}

// How many of the blocks from `begin` on to show: as many as fit, but cut where nothing belongs
// together, if the screen is not left nearly empty by that. 0: not even the first one fits.
std::size_t fitting_blocks(const std::vector<std::string_view>& lines,
                           const std::vector<Block>& blocks, std::size_t begin,
                           std::size_t height) {
  const auto lines_to = [&](std::size_t count) {
    return blocks[begin + count - 1].end - blocks[begin].first;
  };
  std::size_t most = 0;
  while (begin + most < blocks.size() && lines_to(most + 1) <= height) ++most;
  if (most == 0 || begin + most == blocks.size()) return most;
  for (std::size_t count = most; count > 0 && lines_to(count) > height / 4; --count) {
    const Block &last = blocks[begin + count - 1], &next = blocks[begin + count];
    const bool fit_together = last.end - last.first + next.size() <= height;
    if (!fit_together || !belong_together(lines, last, next)) return count;
  }
  return most;
}

// Where to cut a block that is longer than the screen: in its lower half before the line that is
// indented least, which begins something (an op of a walk).
std::size_t cut_inside(const std::vector<std::string_view>& lines, std::size_t begin,
                       std::size_t end, std::size_t height) {
  if (end - begin <= height) return end;
  const auto indent = [&](std::size_t n) { return visible(lines[n]).find_first_not_of(' '); };
  std::size_t cut = begin + height;
  for (std::size_t n = cut; n > begin + height / 2; --n) {
    if (indent(n) < indent(cut)) cut = n;
  }
  return cut;
}

}  // namespace

std::optional<char> letter_typed(const std::string& typed) {
  std::string text = lower(typed);
  for (const std::string_view word : {"answer ", "option "}) {
    if (text.starts_with(word) && text.size() <= word.size() + 3) text.erase(0, word.size());
  }
  if (text.starts_with('(')) text.erase(0, 1);
  if (text.size() == 2 && std::string_view(").:").find(text[1]) != std::string_view::npos) {
    text.pop_back();
  }
  if (text.size() != 1) return std::nullopt;
  if (text[0] >= '1' && text[0] <= '9') return static_cast<char>('a' + (text[0] - '1'));
  return text[0] >= 'a' && text[0] <= 'z' ? std::optional(text[0]) : std::nullopt;
}

bool is_stray_answer(const std::string& typed) {
  const bool is_command = typed.size() == 1 && typed != "a" && typed == lower(typed);
  return letter_typed(typed).has_value() && !is_command;
}

LessonInput::LessonInput()
    : at_terminal_(isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1) {}

std::optional<std::string> LessonInput::line(const std::string& prompt, const Debugger* names) {
  std::fflush(stdout);
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
  if (!std::getline(std::cin, typed)) {
    ended_ = true;
    return std::nullopt;
  }
  return trimmed(typed);
}

std::vector<std::string> cut_into_screens(std::string_view text, std::size_t height) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::vector<Block> blocks = blocks_of(lines);
  std::vector<std::string> screens;
  const auto add = [&](std::size_t begin, std::size_t end) {
    std::string screen;
    for (std::size_t n = begin; n < end; ++n) screen += lines[n];
    screens.push_back(std::move(screen));
  };
  for (std::size_t begin = 0; begin < blocks.size();) {
    // Empty lines stand between what is above and below, not on top of a screen; but the first
    // screen follows what was there before.
    const std::size_t first_line = screens.empty() ? blocks[begin].begin : blocks[begin].first;
    const std::size_t count = fitting_blocks(lines, blocks, begin, height);
    if (count == 0) {
      const std::size_t end = cut_inside(lines, first_line, blocks[begin].end, height);
      add(first_line, end);
      blocks[begin].begin = blocks[begin].first = end;
      if (end == blocks[begin].end) ++begin;
      continue;
    }
    add(first_line, blocks[begin + count - 1].end);
    begin += count;
  }
  return screens;
}

std::vector<std::string> LessonInput::screens(const std::string& text) const {
  if (!at_terminal_) return {text};
  // A line remains for the prompt, and one for what stood above it.
  return cut_into_screens(text, std::max<std::size_t>(screen_height(), 8) - 2);
}

}  // namespace flashscope::terminal
