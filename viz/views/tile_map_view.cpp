// Building a map from the program, and asking it; see tile_map_view.h. Its bins are made in
// tile_map_bins.cpp.
#include "viz/views/tile_map_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope::views {
namespace {

constexpr std::int64_t kMostElementsCounted = std::int64_t{1} << 17;
constexpr std::int64_t kMostSheetRows = std::int64_t{1} << 16;

const Phase& phase_of(const Program& program, int phase) {
  return program.algorithm().phases[static_cast<std::size_t>(phase)];
}

bool has_tiles(const Phase& phase) {
  return (phase.row_axis == RowAxis::q_tile && phase.step_axis == StepAxis::kv_tile) ||
         (phase.row_axis == RowAxis::kv_tile && phase.step_axis == StepAxis::q_tile);
}

const char* name_of(TileState state) {
  constexpr const char* kNames[] = {"never visited", "to come", "current", "done"};
  return kNames[static_cast<std::size_t>(state)];
}

}  // namespace

std::vector<int> TileMapView::phases_with_tiles(const Program& program) {
  std::vector<int> phases;
  for (int n = 0; n < static_cast<int>(program.algorithm().phases.size()); ++n) {
    if (has_tiles(phase_of(program, n))) phases.push_back(n);
  }
  return phases;
}

int TileMapView::phase_at(const Program& program, const Segment& segment) {
  const std::vector<int> phases = phases_with_tiles(program);
  if (phases.empty()) return -1;
  const auto after = std::upper_bound(phases.begin(), phases.end(), segment.phase);
  return after == phases.begin() ? phases.front() : *(after - 1);
}

TileMapView::TileMapView(const Program& program, int phase, std::int64_t batch, std::int64_t head)
    : program_(&program), phase_(phase), batch_(batch), head_(head), mask_(program) {
  const TileMap& map = program.tile_map(batch, head);
  q_tiles_ = map.q_tiles();
  kv_tiles_ = map.kv_tiles();
  tile_rows_ = std::min(program.tiling().q_tile_rows, map.total_rows());
  tile_keys_ = std::min(program.tiling().kv_tile_rows, program.problem().kv_len);
  find_classes();
  if (phase >= 0) find_visits();
}

// What the mask makes of the tiles, whether or not the program's loop has the right bounds.
void TileMapView::find_classes() {
  Behaviour behaviour = program_->algorithm().behaviour;
  std::optional<TileMap> right;
  if (behaviour.causal_loop != CausalLoop::right) {
    behaviour.causal_loop = CausalLoop::right;
    right.emplace(program_->problem(), program_->tiling(), batch_, head_, behaviour);
  }
  const TileMap& map = right ? *right : program_->tile_map(batch_, head_);
  classes_.resize(static_cast<std::size_t>(q_tiles_));
  for (std::int64_t i = 0; i < q_tiles_; ++i) {
    std::vector<ClassRun>& runs = classes_[static_cast<std::size_t>(i)];
    for (const StepRun& run :
         map.steps_of_q_tile(i, {0, kv_tiles_}, KvOrder::ascending, Visit::non_empty)) {
      counts_[static_cast<std::size_t>(run.kind.tile_class)] += run.size();
      // Runs are cut behind the first and before the last step; here they are one.
      if (!runs.empty() && runs.back().tile_class == run.kind.tile_class &&
          runs.back().kv_tiles.end == run.begin) {
        runs.back().kv_tiles.end = run.end;
      } else {
        runs.push_back({{run.begin, run.end}, run.kind.tile_class});
      }
    }
  }
  counts_[static_cast<std::size_t>(TileClass::empty)] =
      q_tiles_ * kv_tiles_ - counts_[static_cast<std::size_t>(TileClass::partial)] -
      counts_[static_cast<std::size_t>(TileClass::full)];
}

void TileMapView::find_visits() {
  const Phase& phase = phase_of(*program_, phase_);
  by_column_ = phase.row_axis == RowAxis::kv_tile;
  backwards_ =
      !by_column_ && phase.kv_order.value_or(program_->tiling().kv_order) == KvOrder::descending;
  lines_.resize(static_cast<std::size_t>(by_column_ ? kv_tiles_ : q_tiles_));
  if (program_->problem().batch == 0) return;
  first_op_ = program_->ops_of_head(phase_, batch_, head_).begin;
  program_->visit_rows(phase_, program_->class_of(batch_, head_), [&](const Program::Row& row) {
    const Segment& before = row.before;  // of the first head of the class
    std::int64_t op = before.first_op + static_cast<std::int64_t>(before.lines.size()) -
                      program_->ops_of_head(phase_, before.batch, before.head).begin;
    std::vector<VisitRun>& line =
        lines_[static_cast<std::size_t>(by_column_ ? before.kv_tile : before.q_tile)];
    for (const StepRun& run : row.steps) {
      const auto ops = static_cast<std::int64_t>(program_->step_lines(phase_, run.kind).size());
      if (ops > 0) {
        line.push_back({{run.begin, run.end}, op, ops, visits_, before.split, run.kind.tile_class});
        visits_ += run.size();
      }
      op += run.size() * ops;
    }
  });
}

std::int64_t TileMapView::VisitRun::done(std::int64_t local_position) const {
  return std::clamp((local_position - first_op) / ops, std::int64_t{0}, tiles.size());
}

std::int64_t TileMapView::step_of(const VisitRun& visit, std::int64_t tile) const {
  return backwards_ ? visit.tiles.end - 1 - tile : tile - visit.tiles.begin;
}

IndexRange TileMapView::done_tiles(const VisitRun& visit, std::int64_t local_position) const {
  const std::int64_t done = visit.done(local_position);
  if (backwards_) return {visit.tiles.end - done, visit.tiles.end};
  return {visit.tiles.begin, visit.tiles.begin + done};
}

std::int64_t TileMapView::done(std::int64_t position) const {
  std::int64_t done = 0;
  for (const std::vector<VisitRun>& line : lines_) {
    for (const VisitRun& visit : line) done += visit.done(position - first_op_);
  }
  return done;
}

std::vector<std::int64_t> TileMapView::split_borders() const {
  std::vector<std::int64_t> borders;
  if (phase_ < 0 || !phase_of(*program_, phase_).split_grid) return borders;
  const std::int64_t splits = program_->tiling().splits;
  for (std::int64_t s = 1; s < splits; ++s) {
    borders.push_back(split_kv_tiles(s, splits, kv_tiles_).begin);
  }
  return borders;
}

IndexRange TileMapView::rows_of(std::int64_t q_tile) const {
  return flashscope::tile_rows(q_tile, program_->tiling().q_tile_rows,
                               program_->problem().q_len * program_->group());
}

IndexRange TileMapView::keys_of(std::int64_t kv_tile) const {
  return flashscope::tile_rows(kv_tile, program_->tiling().kv_tile_rows,
                               program_->problem().kv_len);
}

TileMapCell TileMapView::cell(std::int64_t q_tile, std::int64_t kv_tile,
                              std::int64_t position) const {
  TileMapCell cell;
  for (const ClassRun& run : classes_[static_cast<std::size_t>(q_tile)]) {
    if (run.kv_tiles.contains(kv_tile)) cell.tile_class = run.tile_class;
  }
  if (lines_.empty()) return cell;
  const std::int64_t along = by_column_ ? q_tile : kv_tile;
  bool all_done = true, is_current = false;
  for (const VisitRun& visit : lines_[static_cast<std::size_t>(by_column_ ? kv_tile : q_tile)]) {
    if (!visit.tiles.contains(along)) continue;
    const std::int64_t step = step_of(visit, along);
    const std::int64_t op = first_op_ + visit.first_op + step * visit.ops;
    if (cell.visits++ == 0) {
      cell.op = op;
      cell.order = visit.first_order + step;
      cell.split = visit.split;
      cell.taken_for = visit.taken_for;
    }
    all_done = all_done && position >= op + visit.ops;
    is_current = is_current || IndexRange{op, op + visit.ops}.contains(position);
  }
  if (cell.visits > 0) {
    cell.state = is_current ? TileState::current : all_done ? TileState::done : TileState::to_come;
  }
  return cell;
}

std::optional<std::pair<std::int64_t, std::int64_t>> TileMapView::neighbour(std::int64_t q_tile,
                                                                            std::int64_t kv_tile,
                                                                            int q_step,
                                                                            int kv_step) const {
  std::int64_t i = q_tile + q_step, j = kv_tile + kv_step;
  for (; 0 <= i && i < q_tiles_ && 0 <= j && j < kv_tiles_; i += q_step, j += kv_step) {
    if (cell(i, j, 0).visits > 0) return std::pair{i, j};
  }
  return std::nullopt;
}

std::vector<TileMapView::Hidden> TileMapView::hidden(std::int64_t q_tile, std::int64_t kv_tile,
                                                     std::int64_t most_rows) const {
  const IndexRange rows = rows_of(q_tile), keys = keys_of(kv_tile);
  std::vector<Hidden> hidden;
  std::vector<std::uint8_t> visible(static_cast<std::size_t>(tile_keys_));
  const std::int64_t stride = ceil_div(rows.size(), std::max<std::int64_t>(most_rows, 1));
  for (std::int64_t row = rows.begin; row < rows.end; row += stride) {
    try {
      mask_.row(batch_, head_, row, keys.begin, visible);
    } catch (const Error&) {
      return {};  // the mask has no answer here: the step that asks it says so
    }
    const IndexRange sampled{row - rows.begin, std::min(row + stride, rows.end) - rows.begin};
    std::int64_t begin = -1;
    for (std::int64_t k = 0; k <= tile_keys_; ++k) {
      const bool is_hidden = k < tile_keys_ && visible[static_cast<std::size_t>(k)] == 0;
      if (is_hidden && begin < 0) begin = k;
      if (!is_hidden && begin >= 0) {
        hidden.push_back({sampled, {begin, k}});
        begin = -1;
      }
    }
  }
  if (rows.size() < tile_rows_) hidden.push_back({{rows.size(), tile_rows_}, {0, tile_keys_}});
  return hidden;
}

std::optional<std::int64_t> TileMapView::visible_elements(std::int64_t q_tile,
                                                          std::int64_t kv_tile) const {
  const IndexRange rows = rows_of(q_tile), keys = keys_of(kv_tile);
  const TileClass tile_class = cell(q_tile, kv_tile, 0).tile_class;
  if (tile_class == TileClass::empty) return 0;
  if (tile_class == TileClass::full) return rows.size() * keys.size();
  if (rows.size() * keys.size() > kMostElementsCounted) return std::nullopt;
  std::vector<std::uint8_t> visible(static_cast<std::size_t>(keys.size()));
  std::int64_t count = 0;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    try {
      mask_.row(batch_, head_, row, keys.begin, visible);
    } catch (const Error&) {
      return std::nullopt;
    }
    count += std::count(visible.begin(), visible.end(), std::uint8_t{1});
  }
  return count;
}

std::optional<Sheet> TileMapView::sheet(std::int64_t position) const {
  if (q_tiles_ * kv_tiles_ > kMostSheetRows) return std::nullopt;
  Sheet sheet{{"q tile", "kv tile", "first row", "last row", "first key", "last key", "class",
               "state", "op", "order"},
              {}};
  for (std::int64_t i = 0; i < q_tiles_; ++i) {
    for (std::int64_t j = 0; j < kv_tiles_; ++j) {
      const TileMapCell here = cell(i, j, position);
      const IndexRange rows = rows_of(i), keys = keys_of(j);
      const bool visited = here.visits > 0;
      sheet.rows.push_back({fmt::format("{}", i), fmt::format("{}", j),
                            fmt::format("{}", rows.begin), fmt::format("{}", rows.end - 1),
                            fmt::format("{}", keys.begin), fmt::format("{}", keys.end - 1),
                            std::string(name_of(here.tile_class)), name_of(here.state),
                            visited ? fmt::format("{}", here.op) : "",
                            visited ? fmt::format("{}", here.order + 1) : ""});
    }
  }
  return sheet;
}

}  // namespace flashscope::views
