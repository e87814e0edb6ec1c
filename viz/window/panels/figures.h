// How the traffic and budget panels set figures: bars of parts, numbers flush right, dim notes.
#pragma once

#include <imgui.h>
#include <optional>
#include <span>
#include <string>

#include "viz/window/theme.h"

namespace flashscope::window {

struct BarPart {
  std::string label;  // drawn where it fits
  double size = 0;
  double filled = 0;  // 0 to size; the rest is faded
  ImU32 color = 0;
  std::string tip;
};

// A bar over the width there is, which stands for `whole`; parts of nothing are left out. `limit`:
// a line across, and what lies beyond it is marked as too much. `id`: of the item, as "##loads".
void draw_bar(const Theme& theme, const char* id, std::span<const BarPart> parts, double whole,
              std::optional<double> limit = {});

// In the font of numbers, flush right in the column or line.
void draw_number(const Theme& theme, const std::string& text, ImU32 color);
inline void draw_number(const Theme& theme, const std::string& text) {
  draw_number(theme, text, theme.text);
}
// A name and its figure on one line, or below each other where there is no room.
void draw_named_number(const Theme& theme, const char* name, const std::string& explanation,
                       const std::string& number, ImU32 color);

// Columns of a table, set up and headed by a dim line: the first flush left, numbers flush right.
struct ColumnHead {
  const char* name = "";
  const char* tip = "";
  float width = 1;  // its part of the table
};
void draw_heads(const Theme& theme, std::span<const ColumnHead> heads);
// A number in the next column.
void draw_number_cell(const Theme& theme, const std::string& text, ImU32 color);
inline void draw_number_cell(const Theme& theme, const std::string& text) {
  draw_number_cell(theme, text, theme.text);
}

// Flush left, wrapped.
void draw_note(ImU32 color, const std::string& text);
// A small square in the color of a tensor, then the text.
void draw_swatch(ImU32 color, const std::string& text);
// A tooltip of the last item, wrapped at a readable width.
void tip(const std::string& text);
constexpr ImGuiTableFlags kFigureTable =
    ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_SizingStretchProp;

// Space and a dim title.
void draw_heading(const Theme& theme, const char* text);

// Whether there is room for this many times the font's size.
bool is_wide(float ems);

}  // namespace flashscope::window
