// Tiles as text; see tile_shot.h.
#include "viz/pages/tile_shot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/io/number_text.h"

namespace flashscope::pages {
namespace {

constexpr std::int64_t kWhole = 8;      // up to this many rows or columns are shown whole
constexpr std::int64_t kFirstRows = 3;  // else these, "…" and the last one
constexpr std::int64_t kFirstColumns = 4;
constexpr std::int64_t kMostBins = 24;  // of a heat map, along a side
constexpr std::string_view kLevels =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*/";

// A side of a tile: the indices that are in bounds, as the head counts them.
IndexRange side(const Program& program, Dim dim, const Segment& writer) {
  switch (dim) {
    case Dim::q_row:
    case Dim::q_tile:
      return program.q_rows(writer);
    case Dim::kv_tile:
      return program.kv_rows(writer);
    case Dim::head_dim:
      return {0, program.problem().head_dim};
    case Dim::splits:
      return {0, program.tiling().splits};
    case Dim::kv_len:
      return {0, program.problem().kv_len};
    case Dim::q_len:
      return {0, program.problem().q_len};
    case Dim::one:
      return {0, 1};
  }
  return {};
}

bool counts_queries(Dim dim) { return dim == Dim::q_tile || dim == Dim::q_row; }

constexpr std::int64_t kGap = -1;  // stands for what is left out

// Which indices of a side are shown, counted from its beginning.
std::vector<std::int64_t> shown(std::int64_t size, std::int64_t first) {
  std::vector<std::int64_t> indices;
  if (size <= kWhole) {
    for (std::int64_t n = 0; n < size; ++n) indices.push_back(n);
    return indices;
  }
  for (std::int64_t n = 0; n < first; ++n) indices.push_back(n);
  indices.push_back(kGap);
  indices.push_back(size - 1);
  return indices;
}

std::vector<std::int64_t> shown_rows(const Buffer& buffer, IndexRange held,
                                     std::span<const std::int64_t> rows) {
  if (held.size() <= kWhole || !counts_queries(buffer.rows)) return shown(held.size(), kFirstRows);
  std::vector<std::int64_t> indices;
  for (const std::int64_t row : rows) {
    if (held.contains(row)) indices.push_back(row - held.begin);
  }
  return indices.empty() ? shown(held.size(), kFirstRows) : indices;
}

std::string holds(const Buffer& buffer, const Segment& writer) {
  if (buffer.rows == Dim::q_row) return fmt::format("row {}", writer.q_row);
  const bool keys = buffer.columns == Dim::kv_tile;
  if (buffer.rows == Dim::q_tile && keys) {
    return fmt::format("q {} × kv {}", writer.q_tile, writer.kv_tile);
  }
  if (buffer.rows == Dim::q_tile) return fmt::format("q tile {}", writer.q_tile);
  return buffer.rows == Dim::kv_tile || keys ? fmt::format("kv tile {}", writer.kv_tile) : "";
}

// NaN stands out before infinities, these before the largest magnitude.
bool stands_out(float value, float than) {
  const auto rank = [](float v) { return std::isnan(v) ? 2 : std::isinf(v) ? 1 : 0; };
  if (rank(value) != rank(than)) return rank(value) > rank(than);
  return std::abs(value) > std::abs(than);
}

HeatMap heat_map(const Tile& tile, std::int64_t rows, std::int64_t columns) {
  const std::int64_t row_step = (rows + kMostBins - 1) / kMostBins;
  const std::int64_t column_step = (columns + kMostBins - 1) / kMostBins;
  HeatMap heat;
  heat.rows = (rows + row_step - 1) / row_step;
  heat.columns = (columns + column_step - 1) / column_step;
  std::vector<float> bins;
  double low = INFINITY, high = -INFINITY;
  for (std::int64_t r = 0; r < rows; r += row_step) {
    for (std::int64_t c = 0; c < columns; c += column_step) {
      float most = tile.at(r, c);
      for (std::int64_t y = r; y < std::min(r + row_step, rows); ++y) {
        for (std::int64_t x = c; x < std::min(c + column_step, columns); ++x) {
          if (stands_out(tile.at(y, x), most)) most = tile.at(y, x);
        }
      }
      bins.push_back(most);
      if (!std::isfinite(most)) continue;
      low = std::min(low, static_cast<double>(most));
      high = std::max(high, static_cast<double>(most));
    }
  }
  for (const float value : bins) {
    if (std::isnan(value)) {
      heat.levels += '!';
    } else if (std::isinf(value)) {
      heat.levels += value < 0 ? '-' : '+';
    } else {
      const double level = high > low ? (static_cast<double>(value) - low) / (high - low) : 0;
      heat.levels += kLevels[static_cast<std::size_t>(std::lround(63 * level))];
    }
  }
  if (low <= high) {
    heat.low = io::short_number(low);
    heat.high = io::short_number(high);
  }
  return heat;
}

}  // namespace

TileShot shoot(const Program& program, const Buffer& buffer, const Tile& tile,
               const Segment& writer, std::span<const std::int64_t> rows) {
  IndexRange held = side(program, buffer.rows, writer);
  IndexRange across = side(program, buffer.columns, writer);
  held.end = std::min(held.end, held.begin + tile.rows);
  across.end = std::min(across.end, across.begin + tile.columns);

  TileShot shot;
  shot.holds = holds(buffer, writer);
  shot.size = buffer.is_vector() ? fmt::format("{}", held.size())
                                 : fmt::format("{} × {}", held.size(), across.size());
  const std::vector<std::int64_t> row_indices = shown_rows(buffer, held, rows);
  const std::vector<std::int64_t> column_indices = shown(across.size(), kFirstColumns);
  const auto name = [](IndexRange range, std::int64_t index) {
    return index == kGap ? "…" : std::to_string(range.begin + index);
  };
  for (const std::int64_t r : row_indices) shot.rows.push_back(name(held, r));
  for (const std::int64_t c : column_indices) shot.columns.push_back(name(across, c));
  for (const std::int64_t r : row_indices) {
    for (const std::int64_t c : column_indices) {
      const bool gap = r == kGap || c == kGap;
      shot.cells.push_back(gap ? "…" : io::short_number(static_cast<double>(tile.at(r, c))));
    }
  }
  const bool large = held.size() > kWhole || across.size() > kWhole;
  if (large && !buffer.is_vector() && !held.empty() && !across.empty()) {
    shot.heat = heat_map(tile, held.size(), across.size());
  }
  return shot;
}

}  // namespace flashscope::pages
