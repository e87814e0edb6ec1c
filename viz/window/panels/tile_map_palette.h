// The colours of the tile map's cells and bins, by class and by how much of them is done.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "viz/views/tile_map_view.h"
#include "viz/window/panels/tile_canvas.h"
#include "viz/window/theme.h"

namespace flashscope::window {

// A bin has its tiles' colours in proportion, strong as far as it is done.
class TileMapPalette {
 public:
  // `has_visits`: some phase visits the tiles.
  TileMapPalette(const Theme& theme, bool has_visits) {
    for (std::size_t n = 0; n < 3; ++n) {
      done_[n] = theme.tile_class(static_cast<TileClass>(n));
      to_come_[n] = mix_colors(theme.background, done_[n], kToCome);
    }
    never_ = has_visits ? to_come_ : done_;
    never_[0] = done_[0];
    // An empty tile that is visited all the same must show that it is done.
    done_[0] = mix_colors(done_[0], theme.line, 0.55f);
  }

  ImU32 of(const views::TileMapBins::Bin& bin) const {
    const auto& colors = bin.visits == 0 ? never_ : bin.done == bin.visits ? done_ : to_come_;
    const ImU32 color = mixture(bin, colors);
    if (bin.done == 0 || bin.done == bin.visits) return color;
    return mix_colors(color, mixture(bin, done_),
                      static_cast<float>(bin.done) / static_cast<float>(bin.visits));
  }

  // Of one tile that is done.
  ImU32 done(TileClass tile_class) const { return done_[static_cast<std::size_t>(tile_class)]; }

 private:
  static constexpr float kToCome = 0.38f;  // strength of what is to come
  using Colors = std::array<ImU32, 3>;     // by TileClass
  static ImU32 mixture(const views::TileMapBins::Bin& bin, const Colors& colors) {
    const std::int64_t tiles = bin.tiles[0] + bin.tiles[1] + bin.tiles[2];
    for (std::size_t n = 0; n < 3; ++n) {
      if (bin.tiles[n] == tiles) return colors[n];
    }
    // First two of the three classes, then the third.
    const auto share = [](std::int64_t part, std::int64_t whole) {
      return static_cast<float>(part) / static_cast<float>(std::max<std::int64_t>(whole, 1));
    };
    const ImU32 first =
        mix_colors(colors[0], colors[1], share(bin.tiles[1], bin.tiles[0] + bin.tiles[1]));
    return mix_colors(first, colors[2], share(bin.tiles[2], tiles));
  }

  Colors never_, to_come_, done_;
};

}  // namespace flashscope::window
