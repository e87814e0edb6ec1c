// Markdown in a panel: paragraphs that wrap at the width there is, with code, emphasis and links in
// them; headings, lists, quotes, tables and code. Sizes follow the font's.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lessons/engine/markdown.h"
#include "viz/window/theme.h"

namespace flashscope::window {

// One paragraph in a colour, over the width there is from the cursor on.
void draw_text(const lessons::Text& text, const Theme& theme, ImU32 color);
inline void draw_text(const lessons::Text& text, const Theme& theme) {
  draw_text(text, theme, theme.text);
}

// Inline Markdown for where there is one style only: a button, a coloured remark.
inline std::string without_style(std::string_view markdown) {
  return lessons::plain_text(lessons::parse_inline(markdown));
}

// Ids of tables and links are made of a block's place among them.
void draw_text_blocks(std::span<const lessons::TextBlock> blocks, const Theme& theme);

// Lines of code in a box. `marked`: a bar at the left, and brighter than the others where any is.
struct BoxedLine {
  int number = 0;  // 0: none is shown
  std::string_view text;
  bool marked = false;
};
void draw_code_box(std::span<const BoxedLine> lines, const Theme& theme);

}  // namespace flashscope::window
