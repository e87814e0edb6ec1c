// Bounds of loops over kv tiles; see kv_loop.h.
#include "sim/attention/kv_loop.h"

#include <initializer_list>

namespace flashscope {
namespace {

std::vector<TileRun> right_runs(const Band& band, IndexRange rows, std::int64_t kv_tile_rows) {
  const IndexRange any = visited_kv_tiles(band, rows, kv_tile_rows);
  const IndexRange full = intersect(full_kv_tiles(band, rows, kv_tile_rows), any);
  if (any.empty()) return {};
  if (full.empty()) return {{any.begin, any.end, TileClass::partial}};
  std::vector<TileRun> result;
  if (any.begin < full.begin) result.push_back({any.begin, full.begin, TileClass::partial});
  result.push_back({full.begin, full.end, TileClass::full});
  if (full.end < any.end) result.push_back({full.end, any.end, TileClass::partial});
  return result;
}

std::vector<TileRun> non_empty(std::initializer_list<TileRun> runs) {
  std::vector<TileRun> result;
  result.reserve(runs.size());
  for (const TileRun& run : runs) {
    if (run.begin < run.end) result.push_back(run);
  }
  return result;
}

std::vector<TileRun> cut_off(std::vector<TileRun> runs, std::int64_t end) {
  while (!runs.empty() && runs.back().begin >= end) runs.pop_back();
  if (!runs.empty()) runs.back().end = smaller(runs.back().end, end);
  return runs;
}

}  // namespace

std::vector<TileRun> runs_of_loop(CausalLoop loop, const Band& band, IndexRange rows,
                                  std::int64_t kv_tile_rows) {
  if (loop == CausalLoop::right) return right_runs(band, rows, kv_tile_rows);
  const IndexRange any = visited_kv_tiles(band, rows, kv_tile_rows);
  const std::int64_t kv_tiles = ceil_div(band.kv_len, kv_tile_rows);
  // The first key that the tile's first row does not see; its kv tile is crossed by the diagonal.
  const std::int64_t hidden_from = larger(rows.begin + band.offset + band.right + 1, 0);
  const std::int64_t crossed = smaller(hidden_from / kv_tile_rows, kv_tiles);
  // Two stages are meant to meet at q_start.
  const std::int64_t meeting = smaller(larger(hidden_from - 1, 0), band.kv_len);
  const std::int64_t down = larger(any.begin, meeting / kv_tile_rows);
  const std::int64_t up = larger(any.begin, ceil_div(meeting, kv_tile_rows));
  using enum TileClass;
  switch (loop) {
    case CausalLoop::right:
      break;
    case CausalLoop::beyond_diagonal:
      return non_empty({{crossed, kv_tiles, partial}});
    case CausalLoop::beyond_diagonal_unmasked:
      // Whole tiles only: the zero-filled keys of a tail are not what this mistake is about.
      return non_empty({{crossed, any.end, partial},
                        {larger(crossed, any.end), band.kv_len / kv_tile_rows, full}});
    case CausalLoop::diagonal_left_out:
      return cut_off(right_runs(band, rows, kv_tile_rows), crossed);
    case CausalLoop::last_left_out:
      return cut_off(right_runs(band, rows, kv_tile_rows), any.end - 1);
    case CausalLoop::stages_overlap:
      return non_empty({{any.begin, up, full}, {down, any.end, partial}});
    case CausalLoop::stages_leave_hole:
      return non_empty({{any.begin, down, full}, {up, any.end, partial}});
  }
  return {};
}

}  // namespace flashscope
