// What lines of code look like wherever they are drawn: the colours of words, and the margin with
// line numbers, breakpoints and marks of changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "viz/views/code_text.h"
#include "viz/window/theme.h"

namespace flashscope::window {

// How one line is drawn.
struct LineLook {
  enum class Mark : std::uint8_t { none, related, current };
  enum class Dot : std::uint8_t { none, faint, off, on };
  Mark mark = Mark::none;
  Dot dot = Dot::none;
  bool dim = false;
  bool changed = false;     // differs from another version of the text
  bool gone_below = false;  // lines of the other version are missing behind this one
  bool mistake = false;
  bool clickable = false;  // its margin does something
};

ImU32 ink_colour(const Theme& theme, views::Ink ink, std::string_view word);

// Where things are in the margin, in pixels from its left end; of the mono font being pushed.
struct Margin {
  float dot = 0, numbers_end = 0, bar = 0, width = 0;
  int digits = 1;
  explicit Margin(std::size_t lines);
};
// The margin's part of a line whose row begins at `corner`.
void draw_margin(const Theme& theme, const Margin& margin, int line, const LineLook& look,
                 ImVec2 corner, float row_height);

}  // namespace flashscope::window
