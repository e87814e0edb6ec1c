// The score tiles of a head as an inline SVG.
#pragma once

#include <string>
#include <vector>

#include "sim/attention/tile_plan.h"

namespace flashscope::pages {

struct TileMapPicture {
  std::string id;     // of the element; unique on the page
  std::string title;  // for those who can't see it
  std::int64_t first_q_tile = 0, first_kv_tile = 0;
  std::int64_t q_tiles = 0, kv_tiles = 0;  // of the whole head
  std::int64_t tiles_per_cell = 1;         // along a side
  struct Cell {
    TileClass tile_class = TileClass::empty;
    std::int64_t op = -1;     // first op of its step; -1: never visited
    std::int64_t order = -1;  // number of its step
    bool is_done = false, is_current = false;
  };
  std::vector<std::vector<Cell>> cells;  // (q tiles, kv tiles) shown
};

// `plays`: a player says which tiles are done; else all are drawn alike.
std::string tile_map_svg(const TileMapPicture& picture, bool plays);
// What the looks mean.
std::string tile_map_legend(bool plays);

}  // namespace flashscope::pages
