// Grids of tiles and sums over them; see memory_view_tiles.h.
#include "viz/views/memory_view_tiles.h"

#include <algorithm>

#include "sim/attention/tile_plan.h"
#include "sim/machine/cost.h"

namespace flashscope::views {
namespace {

IndexRange one(std::int64_t index) { return {index, index + 1}; }

TileGrid grid_of(const Program& program, int tensor) {
  const Buffer& b = program.algorithm().buffers[static_cast<std::size_t>(tensor)];
  const std::int64_t kv_tiles = ceil_div(program.problem().kv_len, program.tiling().kv_tile_rows);
  TileGrid grid{tensor, GridAxis::one, GridAxis::q_tile, 1, program.q_tiles()};
  if (b.rows == Dim::kv_len) {
    grid.column_axis = GridAxis::kv_tile;
    grid.columns = kv_tiles;
  } else if (b.columns == Dim::kv_len) {  // of whichever split: a score belongs to one alone
    grid = {tensor, GridAxis::q_tile, GridAxis::kv_tile, program.q_tiles(), kv_tiles};
    grid.by_rows = kv_tiles > 0 && grid.rows > TileGrid::kMostTiles / kv_tiles;
  } else if (b.per_split) {
    grid.row_axis = GridAxis::split;
    grid.rows = program.tiling().splits;
  }
  return grid;
}

}  // namespace

TensorCopies uncopied(const Program& program, int tensor) {
  const Algorithm& algorithm = program.algorithm();
  const Stage stage = algorithm.buffers[static_cast<std::size_t>(tensor)].stage;
  TensorCopies result;
  result.grid = grid_of(program, tensor);
  result.bytes_per_element =
      bytes_per_element(format_of(stage, program.precision(), program.tiling()));
  for (const Line& line : algorithm.lines) {
    if (line.hbm != tensor) continue;
    (line.kind == LineKind::load ? result.is_loaded : result.is_stored) = true;
  }
  return result;
}

TileArea area_of(const Program& program, const TileGrid& grid, IndexRange rows,
                 IndexRange columns) {
  const auto inside = [](IndexRange tiles, std::int64_t tile_rows, std::int64_t length) {
    return IndexRange{smaller(tiles.begin * tile_rows, length),
                      smaller(tiles.end * tile_rows, length)};
  };
  const Tiling& tiling = program.tiling();
  const IndexRange q_tiles = grid.row_axis == GridAxis::q_tile ? rows : columns;
  TileArea area;
  if (grid.row_axis == GridAxis::q_tile || grid.column_axis == GridAxis::q_tile) {
    area.query_rows =
        inside(q_tiles, tiling.q_tile_rows, program.problem().q_len * program.group());
  }
  if (grid.column_axis == GridAxis::kv_tile) {
    area.keys = inside(columns, tiling.kv_tile_rows, program.problem().kv_len);
  }
  const Extent extent{area.query_rows.size(), 0, program.problem().head_dim, 1, area.keys.size()};
  area.elements =
      elements(program.algorithm().buffers[static_cast<std::size_t>(grid.tensor)], extent);
  if (grid.row_axis == GridAxis::split) area.elements *= rows.size();
  return area;
}

double times_copied(const Program& program, const TensorCopies& tensor, Direction direction,
                    std::int64_t row, std::int64_t column) {
  const TileGrid& grid = tensor.grid;
  const CopyCounts& counts = tensor.counts(direction);
  const auto cell =
      static_cast<std::size_t>(row * grid.cells_in_row() + (grid.by_rows ? 0 : column));
  double times = counts.whole[cell];
  if (grid.by_rows) times /= static_cast<double>(grid.columns);
  if (!counts.one_rows.empty()) {
    const IndexRange rows = area_of(program, grid, one(row), one(column)).query_rows;
    times += counts.one_rows[cell] / static_cast<double>(rows.size());
  }
  return times;
}

std::optional<std::int64_t> bytes_copied(const Program& program, const TensorCopies& tensor,
                                         Direction direction, IndexRange rows, IndexRange columns) {
  if (tensor.grid.by_rows) return std::nullopt;
  const CopyCounts& counts = tensor.counts(direction);
  std::int64_t total = 0;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
      const auto cell = static_cast<std::size_t>(row * tensor.grid.columns + column);
      const TileArea area = area_of(program, tensor.grid, one(row), one(column));
      total += area.elements * counts.whole[cell];
      if (!counts.one_rows.empty()) {
        total += area.elements / area.query_rows.size() * counts.one_rows[cell];
      }
    }
  }
  return total * tensor.bytes_per_element;
}

std::vector<float> binned_times(const Program& program, const TensorCopies& tensor,
                                Direction direction, std::int64_t bin_rows,
                                std::int64_t bin_columns) {
  const TileGrid& grid = tensor.grid;
  const CopyCounts& counts = tensor.counts(direction);
  const std::int64_t cells = grid.cells_in_row();
  const float per_copy = grid.by_rows ? 1.0f / static_cast<float>(grid.columns) : 1.0f;
  std::vector<float> bins(static_cast<std::size_t>(bin_rows * bin_columns));
  std::vector<float> most(static_cast<std::size_t>(cells));
  // The part of a tile that one query row is: the same along a grid row, but for the last tile.
  const auto part = [&](std::int64_t row, std::int64_t column) {
    return 1.0f /
           static_cast<float>(area_of(program, grid, one(row), one(column)).query_rows.size());
  };
  for (std::int64_t y = 0; y < bin_rows; ++y) {
    const IndexRange rows = tiles_of_bin(y, bin_rows, grid.rows);
    std::fill(most.begin(), most.end(), 0.0f);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const std::uint32_t* whole = counts.whole.data() + row * cells;
      if (counts.one_rows.empty()) {
        for (std::size_t n = 0; n < most.size(); ++n) {
          most[n] = std::max(most[n], per_copy * static_cast<float>(whole[n]));
        }
        continue;
      }
      const std::uint32_t* one_rows = counts.one_rows.data() + row * cells;
      const float first = part(row, 0), last = part(row, grid.columns - 1);
      for (std::size_t n = 0; n < most.size(); ++n) {
        const float row_part = n + 1 < most.size() ? first : last;
        most[n] = std::max(most[n], per_copy * static_cast<float>(whole[n]) +
                                        row_part * static_cast<float>(one_rows[n]));
      }
    }
    for (std::int64_t x = 0; x < bin_columns; ++x) {
      const IndexRange columns = tiles_of_bin(x, bin_columns, cells);
      if (columns.empty()) continue;
      bins[static_cast<std::size_t>(y * bin_columns + x)] =
          *std::max_element(most.begin() + columns.begin, most.begin() + columns.end);
    }
  }
  return bins;
}

}  // namespace flashscope::views
