// Markdown (CommonMark with GitHub's tables) as plain data that every front end draws its own way:
// the terminal in columns, the window in a panel, the export as HTML. Raw HTML in the source is
// text here, never markup; links lead to http, https or a relative address, others are text.
// Parsing is md4c's. Left out: images (their description is text), and what nests deeper than a
// list: a heading or a quote within an item is a heading or a quote.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flashscope::lessons {

struct Span {
  enum class Style : std::uint8_t { plain, emphasis, strong, code, link };
  Style style = Style::plain;
  std::string text;    // UTF-8; a hard line break is "\n", a soft one a space
  std::string target;  // of a link
};
using Text = std::vector<Span>;

struct TextBlock {
  enum class Kind : std::uint8_t { heading, paragraph, item, quote, code, table, rule };
  Kind kind = Kind::paragraph;
  int line = 1;   // of the source, from 1; code: its fence; empty blocks: a line close to theirs
  int level = 1;  // heading: 1 to 6; item: depth of the list, from 1
  // item: "-", or "1." in a numbered list; empty when it goes on with the item before it. code: its
  // language.
  std::string label;
  Text text;         // heading, paragraph, item, quote
  std::string code;  // code: its lines, each ended by "\n"
  struct Cell {
    Text text;
    bool right_aligned = false;
  };
  std::vector<std::vector<Cell>> rows;  // table: the first one is its header
};

// Never fails: every text is Markdown. With more than 20,000 cells of tables these are paragraphs.
// `first_line`: the line number of the text's first line.
std::vector<TextBlock> parse_markdown(std::string_view text, int first_line = 1);

// One paragraph, whatever it begins with: "1. x" and "# x" are no item and no heading here. Empty
// lines in it become line breaks.
Text parse_inline(std::string_view text);

// Without its styles.
std::string plain_text(const Text& text);

}  // namespace flashscope::lessons
