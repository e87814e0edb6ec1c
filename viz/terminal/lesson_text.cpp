// Filling lines and aligning tables; see lesson_text.h.
#include "viz/terminal/lesson_text.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace flashscope::terminal {
namespace {

using lessons::Span;
using lessons::Text;
using lessons::TextBlock;

constexpr int kWidestText = 88;
constexpr int kNarrowestCell = 6;  // columns of a table's cell before it runs over the edge

bool has_colour() {
  static const bool colour = styled("x", Style::title) != "x";
  return colour;
}

std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int n = 0; n < count; ++n) result += text;
  return result;
}

Style style_of(Span::Style span, Style around) {
  switch (span) {
    case Span::Style::code:
      return Style::code;
    case Span::Style::strong:
    case Span::Style::emphasis:
      return Style::title;
    case Span::Style::plain:
    case Span::Style::link:
      break;
  }
  return around;
}

// What no line break separates: pieces of spans that touch each other.
struct Word {
  std::string text;  // with its colours
  int width = 0;
  bool breaks = false;  // a hard line break stands before it
};

// Cuts spans into words. A space inside of a span is one between words too.
class WordCutter {
 public:
  explicit WordCutter(Style around) : around_(around) {}

  void add(const Span& span) {
    const Style style = style_of(span.style, around_);
    std::string text = span.text;
    if (span.style == Span::Style::code && !has_colour()) text = "`" + text + "`";
    std::size_t begin = 0;
    for (std::size_t n = 0; n <= text.size(); ++n) {
      const bool ends = n == text.size();
      if (!ends && text[n] != ' ' && text[n] != '\n') continue;
      append(std::string_view(text).substr(begin, n - begin), style);
      if (ends) break;
      finish();
      breaks_ = breaks_ || text[n] == '\n';
      begin = n + 1;
    }
    if (span.style == Span::Style::link && !span.target.empty() && span.target != span.text) {
      finish();
      append("(" + span.target + ")", Style::dim);
    }
  }

  std::vector<Word> words() {
    finish();
    return std::move(words_);
  }

 private:
  void append(std::string_view piece, Style style) {
    if (piece.empty()) return;
    word_.text += styled(piece, style);
    word_.width += display_width(piece);
  }
  void finish() {
    if (word_.width == 0) return;
    word_.breaks = std::exchange(breaks_, false);
    words_.push_back(std::exchange(word_, {}));
  }

  Style around_;
  Word word_;
  bool breaks_ = false;
  std::vector<Word> words_;
};

int width_of(const Text& text) {
  int width = 0;
  for (const std::string& line : filled(text, INT32_MAX)) {
    width = std::max(width, display_width(line));
  }
  return width;
}

// Columns of a table: as wide as their cells, the widest ones narrowed until all fit.
std::vector<int> column_widths(const TextBlock& table, int gap) {
  std::vector<int> widths;
  for (const auto& row : table.rows) {
    widths.resize(std::max(widths.size(), row.size()), 1);
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], width_of(row[c].text));
    }
  }
  const int room = text_width() - gap * static_cast<int>(widths.size());
  while (!widths.empty() && std::accumulate(widths.begin(), widths.end(), 0) > room) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kNarrowestCell) break;
    --*widest;
  }
  return widths;
}

std::string table_text(const TextBlock& table) {
  constexpr int kGap = 2;
  const std::vector<int> widths = column_widths(table, kGap);
  std::string text;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto& row = table.rows[r];
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t c = 0; c < row.size(); ++c) {
      cells.push_back(filled(row[c].text, widths[c], r == 0 ? Style::title : Style::plain));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t n = 0; n < height; ++n) {
      std::string line;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const std::string cell = n < cells[c].size() ? cells[c][n] : "";
        line += std::string(kGap, ' ');
        line += row[c].right_aligned ? pad_left(cell, widths[c]) : pad_right(cell, widths[c]);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
    }
    if (r == 0) {
      const int all = std::accumulate(widths.begin(), widths.end(), 0) +
                      kGap * (static_cast<int>(widths.size()) - 1);
      text += "  " + styled(repeated("─", all), Style::dim) + "\n";
    }
  }
  return text;
}

std::string code_text(const std::string& code) {
  std::string text;
  std::string_view rest = code;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += "    " + styled(rest.substr(0, end), Style::code) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

std::string block_text(const TextBlock& block) {
  switch (block.kind) {
    case TextBlock::Kind::heading: {
      // Smaller ones are less loud.
      const bool small = block.level > 2;
      if (!has_colour()) {
        const std::string marks = small ? "### " : "## ";
        return paragraph(block.text, marks, std::string(marks.size(), ' '));
      }
      return paragraph(block.text, small ? styled("› ", Style::dim) : "", small ? "  " : "",
                       small ? Style::code : Style::title);
    }
    case TextBlock::Kind::paragraph:
      return paragraph(block.text, "", "");
    case TextBlock::Kind::item: {
      const std::string label = (block.label == "-" ? "•" : block.label) + " ";
      const std::string outer(static_cast<std::size_t>(2 * block.level), ' ');
      return paragraph(block.text, outer + label,
                       outer + std::string(static_cast<std::size_t>(display_width(label)), ' '));
    }
    case TextBlock::Kind::quote: {
      const std::string bar = "  " + styled("│", Style::dim) + " ";
      return paragraph(block.text, bar, bar);
    }
    case TextBlock::Kind::code:
      return code_text(block.code);
    case TextBlock::Kind::table:
      return table_text(block);
    case TextBlock::Kind::rule:
      return styled(repeated("─", text_width()), Style::dim) + "\n";
  }
  return "";
}

}  // namespace

int text_width() { return std::min(screen_width(), kWidestText); }

std::vector<std::string> filled(const Text& text, int width, Style style) {
  WordCutter cutter(style);
  for (const Span& span : text) cutter.add(span);
  std::vector<std::string> lines;
  std::string line;
  int used = 0;
  for (const Word& word : cutter.words()) {
    if (used > 0 && (word.breaks || used + 1 + word.width > width)) {
      lines.push_back(std::exchange(line, ""));
      used = 0;
    }
    line += (used > 0 ? " " : "") + word.text;
    used += (used > 0 ? 1 : 0) + word.width;
  }
  if (used > 0) lines.push_back(line);
  return lines;
}

std::string paragraph(const Text& text, const std::string& first, const std::string& indent,
                      Style style) {
  std::string result;
  for (const std::string& line : filled(text, text_width() - display_width(first), style)) {
    result += (result.empty() ? first : indent) + line + "\n";
  }
  return result;
}

std::string paragraph(const std::string& plain, const std::string& first, const std::string& indent,
                      Style style) {
  return paragraph(Text{{Span::Style::plain, plain, ""}}, first, indent, style);
}

std::string told(const std::string& plain) { return paragraph(plain, "  ", "  "); }

std::string markdown_text(const std::vector<TextBlock>& blocks) {
  std::string text;
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    // Items and quoted lines that follow each other belong together.
    const bool joined =
        n > 0 && blocks[n].kind == blocks[n - 1].kind && (blocks[n].kind == TextBlock::Kind::item);
    if (n > 0 && !joined) text += "\n";
    text += block_text(blocks[n]);
  }
  return text;
}

std::string ruled(std::string_view left, std::string_view right) {
  const std::string end =
      right.empty() ? "" : fmt::format(" {} {}", right, styled("──", Style::dim));
  const int room = text_width() - display_width(left) - display_width(end) - 4;
  return fmt::format("{} {} {}{}\n", styled("──", Style::dim), styled(left, Style::title),
                     styled(repeated("─", std::max(room, 2)), Style::dim), end);
}

}  // namespace flashscope::terminal
