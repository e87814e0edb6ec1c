// Colours, units, tables and the progress bar; see screen.h.
#include "viz/terminal/screen.h"

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace flashscope::terminal {
namespace {

bool use_colour() {
  static const bool colour = isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  return colour;
}

}  // namespace

std::string styled(std::string_view text, Style style) {
  static constexpr const char* kCodes[] = {"", "1", "2", "1;36", "33", "35", "32", "1;31"};
  if (!use_colour() || style == Style::plain) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes[static_cast<std::size_t>(style)], text);
}

void print_note(std::string_view note) {
  if (!note.empty()) fmt::print(stderr, "flashscope: note: {}\n", note);
}

int screen_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int width = columns != nullptr ? std::atoi(columns) : 0;
  return width > 0 ? width : 80;
}

int display_width(std::string_view text) {
  int width = 0;
  bool escape = false;
  for (const char c : text) {
    if (c == '\x1b') escape = true;
    // A byte 10xxxxxx continues a code point that was counted already.
    if (!escape && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++width;
    if (escape && c == 'm') escape = false;
  }
  return width;
}

std::string pad_right(const std::string& text, int width) {
  return text +
         std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
}

std::string pad_left(const std::string& text, int width) {
  return std::string(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ') +
         text;
}

std::string wrapped(std::string_view text, int indent) {
  const int width = screen_width();
  std::string result, line;
  while (!text.empty()) {
    const std::size_t word = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find(' ', word), text.size());
    const bool fits = display_width(line) + display_width(text.substr(0, end)) <= width;
    if (fits || line.empty()) {
      line += text.substr(0, end);
    } else {
      result += line + "\n";
      line = std::string(static_cast<std::size_t>(indent), ' ');
      line += text.substr(word, end - word);
    }
    text.remove_prefix(end);
  }
  return result + line;
}

void Table::header(std::vector<std::string> cells) {
  has_header_ = true;
  rows_.insert(rows_.begin(), std::move(cells));
}

std::string Table::text() const {
  std::vector<int> widths(alignment_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], display_width(row[c]));
    }
  }
  std::string result;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line = " ";
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string& cell = rows_[r][c];
      line += (c == 0 ? " " : "  ");
      line += alignment_[c] == 'r' ? pad_left(cell, widths[c]) : pad_right(cell, widths[c]);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    result += (has_header_ && r == 0 ? styled(line, Style::dim) : line) + "\n";
  }
  return result;
}

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), start_(std::chrono::steady_clock::now()), drawn_(start_) {}

ProgressBar::~ProgressBar() {
  if (visible_) fmt::print(stderr, "\r\x1b[K");
}

void ProgressBar::update(std::int64_t done, std::int64_t total) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (isatty(STDERR_FILENO) != 1 || now - start_ < 1s || now - drawn_ < 100ms || total <= 0) return;
  drawn_ = now;
  visible_ = true;
  constexpr int kWidth = 30;
  const double part = static_cast<double>(done) / static_cast<double>(total);
  const int filled = static_cast<int>(part * kWidth);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r{} [{}{}] {:3.0f} %  {:.0f} s left\x1b[K", label_, std::string(filled, '='),
             std::string(kWidth - filled, ' '), 100 * part, seconds / part - seconds);
  std::fflush(stderr);
}

}  // namespace flashscope::terminal
