// The drawn parts of the tile panel: the cells as a numbered heat map, its colour bar, and the
// element that one points at.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "viz/views/tile_truth.h"
#include "viz/views/tile_view.h"
#include "viz/window/panel.h"
#include "viz/window/panels/tile_canvas.h"

namespace flashscope::window {

// Which element a cell of the canvas shows. A tall vector is folded into several columns, so that
// its numbers can be read at once; everything else is shown as it lies.
struct TileArrangement {
  std::int64_t rows = 0, columns = 0;  // of the canvas
  std::int64_t folded = 0;             // entries of the vector; 0: not folded

  static TileArrangement of(const views::TileView& view, ImVec2 place);
  // (row, column) on the tile; nothing in the last column of a fold, past its end.
  std::optional<std::pair<std::int64_t, std::int64_t>> element(std::int64_t row,
                                                               std::int64_t column) const;
  // The cell of the canvas that shows an element.
  std::pair<std::int64_t, std::int64_t> cell(std::int64_t row, std::int64_t column) const;
  friend bool operator==(const TileArrangement&, const TileArrangement&) = default;
};

class TileHeatMap {
 public:
  void draw(const Context& context, const views::TileView& view, const TileArrangement& arrangement,
            const CanvasFrame& frame);
  // How many elements one cell of the picture stands for, along rows and columns.
  std::pair<std::int64_t, std::int64_t> bin() const {
    return {cells_.row_step, cells_.column_step};
  }

 private:
  void update(const Context& context, const views::TileView& view,
              const TileArrangement& arrangement, const CanvasFrame& frame);
  void draw_colors(const Context& context, const CanvasFrame& frame) const;
  void draw_grid(const Context& context, const CanvasFrame& frame) const;
  void draw_numbers(const Context& context, const views::TileView& view,
                    const TileArrangement& arrangement, const CanvasFrame& frame);

  views::TileCells cells_;
  TileArrangement arrangement_;
  std::vector<ImU32> colors_;       // of cells_; 0: hatched
  std::vector<std::string> texts_;  // of cells_, or empty
  int characters_ = 0;              // that a text of texts_ may have
  std::uint64_t state_version_ = 0;
  int buffer_ = -1;
  bool hidden_ = false, dark_ = false;
};

// The element that the mouse or the keys point at, with its exact value.
class TilePointer {
 public:
  void forget_values() { truth_.reset(); }  // when the session has moved
  void forget_place();                      // when the tile is another
  // Behind the canvas's item: takes the mouse's cell, or goes on from the last one by keys.
  void move(const TileArrangement& arrangement, const CanvasFrame& frame, TileCanvas& canvas);
  std::optional<std::pair<std::int64_t, std::int64_t>> cell() const { return cell_; }
  // `bin`: TileHeatMap::bin().
  void draw(const Context& context, const views::TileView& view, const TileArrangement& arrangement,
            const CanvasFrame& frame, std::pair<std::int64_t, std::int64_t> bin);

 private:
  void tooltip(const Context& context, const views::TileView& view, std::int64_t row,
               std::int64_t column);
  void draw_exact(const Context& context, const views::TileView& view, std::int64_t row,
                  std::int64_t column);

  std::optional<views::TileTruth> truth_;
  std::optional<std::pair<std::int64_t, std::int64_t>> cell_;  // (row, column) of the canvas
  bool by_keys_ = false;
  bool is_resting_ = false;  // the mouse stands still
};

// "row", "key", "d", "split"; empty where a vector has no columns.
const char* name_of(views::TileSide side);

// The values' range in the map's colours, `width` pixels wide.
void draw_color_bar(const Theme& theme, const views::TileView& view, bool numbers_hidden,
                    float width);
// Colours of what is no number.
ImU32 nan_color(const Theme& theme);
ImU32 plus_infinity_color(const Theme& theme);
ImU32 minus_infinity_color(const Theme& theme);

}  // namespace flashscope::window
