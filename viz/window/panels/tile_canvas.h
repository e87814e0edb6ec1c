// A grid of equal cells that fits its place, or is zoomed with the mouse wheel and dragged; and
// what is drawn on such grids: axis labels and hatching. Shared by the tile map and the tile view.
#pragma once

#include <cstdint>
#include <functional>
#include <imgui.h>
#include <optional>
#include <string>
#include <utility>

#include "sim/index_range.h"
#include "viz/window/theme.h"

namespace flashscope::window {

// Where the cells are on the screen during one frame.
struct CanvasFrame {
  ImVec2 corner, end;            // of the whole canvas, labels included
  ImVec2 min, max;               // of the place for cells; the last cell may end before max
  double width = 0, height = 0;  // of a cell
  double first_column = 0, first_row = 0;  // what lies at `min`; fractions of a cell count
  IndexRange columns, rows;                // that show, in part or whole
  std::optional<std::pair<std::int64_t, std::int64_t>> hovered;  // (row, column)
  bool clicked = false;                                          // on `hovered`, and not dragged
  float x(double column) const {
    return min.x + static_cast<float>((column - first_column) * width);
  }
  float y(double row) const { return min.y + static_cast<float>((row - first_row) * height); }
};

class TileCanvas {
 public:
  // One item of Dear ImGui of this size; `margin` is kept free at the left and at the top. A cell
  // is at most `stretch` times as long one way as the other. Keys +, - and 0 zoom while the window
  // has the focus.
  CanvasFrame begin(const char* id, ImVec2 size, ImVec2 margin, std::int64_t rows,
                    std::int64_t columns, double stretch);

  void fit() { zoom_ = 1; }
  bool is_fitted() const { return zoom_ <= 1; }
  // Of a cell in the last frame, in pixels.
  ImVec2 cell_size() const { return cell_size_; }
  // At the next begin(), about the middle of what shows.
  void zoom_by(double factor) { wanted_factor_ *= factor; }
  // At the next begin(): moves as little as brings this cell into view.
  void show(std::int64_t row, std::int64_t column) { wanted_cell_ = {row, column}; }

 private:
  double zoom_ = 1;
  ImVec2 cell_size_{0, 0};
  double first_column_ = 0, first_row_ = 0;
  double wanted_factor_ = 1;
  std::optional<std::pair<std::int64_t, std::int64_t>> wanted_cell_;
};

// Every how many cells a label fits: 1, 2, 5, 10, 20, 50, …
std::int64_t label_step(double cell_pixels, double label_pixels);

// A grid's axis. Both lines use the mono font.
struct AxisLabels {
  std::function<std::string(std::int64_t)> name;    // "3"
  std::function<std::string(std::int64_t)> detail;  // beneath it; may be none
  std::int64_t count = 0;
  std::int64_t offset = 0;   // what the first one is called: round numbers get the labels
  std::int64_t strong = -1;  // in the accent colour
};
// Whether cells of this size have room for details.
bool columns_have_details(const Theme& theme, float cell_width, const std::string& widest);
bool rows_have_details(const Theme& theme, float cell_height);
// Above the cells, and at their left.
void draw_column_labels(const CanvasFrame& frame, const Theme& theme, const AxisLabels& labels);
void draw_row_labels(const CanvasFrame& frame, const Theme& theme, const AxisLabels& labels);
// What the labels of rows take at the left, and those of columns at the top.
ImVec2 label_margin(const Theme& theme, const AxisLabels& rows, const AxisLabels& columns);

// Diagonal lines in a rectangle; they continue from one rectangle into the next.
void draw_hatch(ImDrawList& draw, ImVec2 min, ImVec2 max, ImU32 color, float spacing);

// Of the theme's palette: `part` of the way from one colour to another.
ImU32 mix_colors(ImU32 from, ImU32 to, float part);

// A button of a row of choices. On the same line as the item before it when it fits.
bool choice_button(const char* label, bool is_chosen, const Theme& theme, ImU32 mark = 0);
// Stays on the line if `width` more pixels fit into it.
void same_line_if_fits(float width);

}  // namespace flashscope::window
