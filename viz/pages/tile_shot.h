// A tile on chip as a page shows it: its elements as text where it is small; of a larger one the
// rows that are looked at with their first and last columns, and a heat map of the whole.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/attention/program.h"
#include "sim/machine/tile.h"

namespace flashscope::pages {

struct HeatMap {
  std::int64_t rows = 0, columns = 0;  // bins
  // A character per bin, row by row: one of 64 levels from low to high (A-Z a-z 0-9 * /), or '-'
  // -inf, '+' inf, '!' NaN. A bin shows its element that stands out most.
  std::string levels;
  std::string low, high;
  friend bool operator==(const HeatMap&, const HeatMap&) = default;
};

struct TileShot {
  std::vector<std::string> rows, columns;  // their names: indices within the head, or "…"
  std::vector<std::string> cells;          // (rows, columns); empty: nothing was written yet
  std::string holds;                       // "q 0 × kv 1"
  std::string size;                        // "128 × 64", in bounds
  std::optional<HeatMap> heat;             // of larger tiles
  friend bool operator==(const TileShot&, const TileShot&) = default;
};

// `writer`: the segment that wrote it last, which says of which rows and keys it speaks.
// `rows`: (packed) query rows of the head that are looked at.
TileShot shoot(const Program& program, const Buffer& buffer, const Tile& tile,
               const Segment& writer, std::span<const std::int64_t> rows);

}  // namespace flashscope::pages
