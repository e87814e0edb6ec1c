// A map seen from afar: how many tiles of each class a bin holds, and how many visits are done; see
// tile_map_view.h. Runs are spread over bins, so that the cost follows runs and bins, not tiles.
#include <algorithm>

#include "viz/views/tile_map_view.h"

namespace flashscope::views {
namespace {

// Calls use(bin, tiles of the run in it) for the part of a run that lies in `shown`.
template <typename Use>
void spread(IndexRange run, IndexRange shown, std::int64_t per_bin, Use use) {
  const IndexRange part = intersect(run, shown);
  if (part.empty()) return;
  std::int64_t bin = (part.begin - shown.begin) / per_bin;
  std::int64_t begin = part.begin, edge = shown.begin + (bin + 1) * per_bin;
  for (; begin < part.end; begin = edge, edge += per_bin, ++bin) {
    use(bin, static_cast<std::int32_t>(std::min(edge, part.end) - begin));
  }
}

}  // namespace

// Calls use(visit, the loop's tiles in `bins`, tiles per bin, bin number -> bin) for all visits of
// the lines that the bins show.
template <typename Use>
void TileMapView::for_each_visit(TileMapBins& bins, Use use) const {
  if (bins.bins.empty() || lines_.empty()) return;
  const IndexRange shown_lines = by_column_ ? bins.kv_tiles : bins.q_tiles;
  const IndexRange along = by_column_ ? bins.q_tiles : bins.kv_tiles;
  const std::int64_t lines_per_bin = by_column_ ? bins.kv_per_bin : bins.q_per_bin;
  const std::int64_t per_bin = by_column_ ? bins.q_per_bin : bins.kv_per_bin;
  for (std::int64_t line = shown_lines.begin; line < shown_lines.end; ++line) {
    const std::int64_t across = (line - shown_lines.begin) / lines_per_bin;
    const auto bin_at = [&](std::int64_t bin) -> TileMapBins::Bin& {
      const std::int64_t row = by_column_ ? bin : across, column = by_column_ ? across : bin;
      return bins.bins[static_cast<std::size_t>(row * bins.columns + column)];
    };
    for (const VisitRun& visit : lines_[static_cast<std::size_t>(line)]) {
      use(visit, along, per_bin, bin_at);
    }
  }
}

TileMapBins TileMapView::bins(IndexRange q_tiles, IndexRange kv_tiles, std::int64_t q_per_bin,
                              std::int64_t kv_per_bin, std::int64_t position) const {
  TileMapBins result;
  result.q_tiles = intersect(q_tiles, {0, q_tiles_});
  result.kv_tiles = intersect(kv_tiles, {0, kv_tiles_});
  result.q_per_bin = q_per_bin;
  result.kv_per_bin = kv_per_bin;
  result.rows = ceil_div(result.q_tiles.size(), q_per_bin);
  result.columns = ceil_div(result.kv_tiles.size(), kv_per_bin);
  result.bins.resize(static_cast<std::size_t>(result.rows * result.columns));
  if (result.bins.empty()) return result;
  for (std::int64_t i = result.q_tiles.begin; i < result.q_tiles.end; ++i) {
    TileMapBins::Bin* row =
        &result.bins[static_cast<std::size_t>((i - result.q_tiles.begin) / q_per_bin) *
                     static_cast<std::size_t>(result.columns)];
    spread(result.kv_tiles, result.kv_tiles, kv_per_bin,
           [&](std::int64_t bin, std::int32_t tiles) { row[bin].tiles[0] += tiles; });
    for (const ClassRun& run : classes_[static_cast<std::size_t>(i)]) {
      spread(run.kv_tiles, result.kv_tiles, kv_per_bin, [&](std::int64_t bin, std::int32_t tiles) {
        row[bin].tiles[0] -= tiles;
        row[bin].tiles[static_cast<std::size_t>(run.tile_class)] += tiles;
      });
    }
  }
  for_each_visit(result, [&](const VisitRun& visit, IndexRange along, std::int64_t per_bin,
                             const auto& bin_at) {
    spread(visit.tiles, along, per_bin,
           [&](std::int64_t bin, std::int32_t tiles) { bin_at(bin).visits += tiles; });
  });
  update_done(result, position);
  return result;
}

void TileMapView::update_done(TileMapBins& bins, std::int64_t position) const {
  for (TileMapBins::Bin& bin : bins.bins) bin.done = 0;
  for_each_visit(
      bins, [&](const VisitRun& visit, IndexRange along, std::int64_t per_bin, const auto& bin_at) {
        spread(done_tiles(visit, position - first_op_), along, per_bin,
               [&](std::int64_t bin, std::int32_t tiles) { bin_at(bin).done += tiles; });
      });
}

}  // namespace flashscope::views
