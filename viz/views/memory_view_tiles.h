// The tensors in HBM as grids of tiles, and how often each tile has been copied. Filled by
// memory_view_counter.h. Left out: where the bytes go on chip (memory_view.h), and what a fault in
// a table's addresses makes of them (Behaviour): tiles count where the table means them to be.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/attention/program.h"
#include "sim/machine/ledger.h"

namespace flashscope::views {

// What lies along one side of a tensor's grid of tiles.
enum class GridAxis : std::uint8_t { one, split, q_tile, kv_tile };

// How a tensor in HBM (of one head) is cut into tiles: K into a strip of kv tiles, the score matrix
// of `standard` into q tiles x kv tiles, a tensor that every split has into splits x q tiles.
struct TileGrid {
  int tensor = -1;  // index into Algorithm::buffers
  GridAxis row_axis = GridAxis::one;
  GridAxis column_axis = GridAxis::q_tile;
  std::int64_t rows = 0, columns = 0;  // tiles
  // A score matrix of more than kMostTiles tiles is counted by q tiles only: one cell a grid row.
  bool by_rows = false;

  static constexpr std::int64_t kMostTiles = std::int64_t{1} << 20;
  std::int64_t cells_in_row() const { return by_rows ? 1 : columns; }
};

// Some tiles of a grid that make a rectangle.
struct TileArea {
  IndexRange query_rows;  // (packed) of the head; empty where the tiles hold keys only
  IndexRange keys;        // empty where they hold queries only
  std::int64_t elements = 0;
};
TileArea area_of(const Program& program, const TileGrid& grid, IndexRange rows, IndexRange columns);

// What one load or store copies: tiles [rows) x [columns) of a tensor's grid.
struct TileCopy {
  int tensor = -1;  // in HBM
  Direction direction = Direction::load;
  IndexRange rows, columns;
  bool one_row = false;  // of each tile a single query row, not all of it
};

// Copies of one tensor in one direction.
struct CopyCounts {
  std::vector<std::uint32_t> whole;     // per cell: copies of whole tiles
  std::vector<std::uint32_t> one_rows;  // copies of single query rows; empty while there is none
  std::int64_t bytes = 0;               // in bounds, of all tiles
};

struct TensorCopies {
  TileGrid grid;
  std::int64_t bytes_per_element = 0;
  bool is_loaded = false, is_stored = false;  // by some line of the table
  CopyCounts loads, stores;

  const CopyCounts& counts(Direction direction) const {
    return direction == Direction::load ? loads : stores;
  }
};

// The grid of a tensor in HBM; nothing of it is counted yet.
TensorCopies uncopied(const Program& program, int tensor);

// How many times over a tile was copied: a single row counts as the part of the tile that it is.
double times_copied(const Program& program, const TensorCopies& tensor, Direction direction,
                    std::int64_t row, std::int64_t column);
// Of all tiles in [rows) x [columns); nothing where the grid is counted by rows.
std::optional<std::int64_t> bytes_copied(const Program& program, const TensorCopies& tensor,
                                         Direction direction, IndexRange rows, IndexRange columns);

// The tiles that share a bin when `tiles` are merged into `bins` (at most as many).
constexpr IndexRange tiles_of_bin(std::int64_t bin, std::int64_t bins, std::int64_t tiles) {
  return {bin * tiles / bins, (bin + 1) * tiles / bins};
}
// The largest times_copied() in each of bin_rows x bin_columns bins, row by row.
std::vector<float> binned_times(const Program& program, const TensorCopies& tensor,
                                Direction direction, std::int64_t bin_rows,
                                std::int64_t bin_columns);

}  // namespace flashscope::views
