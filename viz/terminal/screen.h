// What a person sees: colours (only on a terminal and without NO_COLOR), tables aligned to the
// columns there are, and a progress bar on stderr.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "sim/io/number_text.h"

namespace flashscope::terminal {

enum class Style : std::uint8_t { plain, title, dim, code, number, bytes, good, bad };

// Text with its colour codes, or as it is when stdout is no terminal.
std::string styled(std::string_view text, Style style);

// "flashscope: note: …" on stderr; nothing when there is none.
void print_note(std::string_view note);

// Columns of the terminal; 80 when stdout is none and COLUMNS is not set.
int screen_width();

using io::grouped;
using io::readable_bytes;
using io::readable_count;
using io::short_number;

// Display width of UTF-8 text without colour codes (every code point counts one column).
int display_width(std::string_view text);
// Padded to `width` columns; `text` may hold colour codes and UTF-8.
std::string pad_right(const std::string& text, int width);
std::string pad_left(const std::string& text, int width);
// Lines of at most screen_width() columns, broken at spaces; all but the first are indented. A
// single word that is longer stays whole.
std::string wrapped(std::string_view text, int indent = 2);

class Table {
 public:
  // Alignment per column: 'l' or 'r'.
  explicit Table(std::string alignment) : alignment_(std::move(alignment)) {}
  void header(std::vector<std::string> cells);
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Two spaces between columns; rows indented by two.
  std::string text() const;

 private:
  std::string alignment_;
  bool has_header_ = false;
  std::vector<std::vector<std::string>> rows_;
};

// A bar that appears once something takes longer than a second, and only on a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void update(std::int64_t done, std::int64_t total);

 private:
  std::string label_;
  std::chrono::steady_clock::time_point start_, drawn_;
  bool visible_ = false;
};

}  // namespace flashscope::terminal
