// The cells of the tile map: colours by class and state, the mask inside partial tiles, borders of
// splits, the current tile. Far away, bins of several tiles show their mixture.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "viz/views/tile_map_view.h"
#include "viz/window/panel.h"
#include "viz/window/panels/tile_canvas.h"

namespace flashscope::window {

class TileMapDrawing {
 public:
  void draw(const Context& context, const views::TileMapView& view, const CanvasFrame& frame);
  // To be called when the view is another.
  void forget();

 private:
  void update_bins(const Context& context, const views::TileMapView& view,
                   const CanvasFrame& frame);
  void draw_bins(const CanvasFrame& frame) const;
  void draw_masks(const Context& context, const views::TileMapView& view, const CanvasFrame& frame);
  void draw_left_out(const Context& context, const CanvasFrame& frame) const;
  void draw_marks(const Context& context, const views::TileMapView& view,
                  const CanvasFrame& frame) const;
  void draw_progress(const Context& context, const views::TileMapView& view,
                     const CanvasFrame& frame) const;
  void draw_current(const Context& context, const views::TileMapView& view,
                    const CanvasFrame& frame) const;

  views::TileMapBins bins_;
  std::vector<ImU32> colors_;        // of the bins
  std::uint64_t state_version_ = 0;  // of both; 0: none yet
  bool dark_ = false;
  using Tile = std::pair<std::int64_t, std::int64_t>;
  std::map<Tile, std::vector<views::TileMapView::Hidden>> hidden_;  // of partial tiles
  std::int64_t sampled_rows_ = 0;                                   // of hidden_
};

}  // namespace flashscope::window
