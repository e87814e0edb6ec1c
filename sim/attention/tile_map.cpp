// Runs of equal tiles for one head; see tile_map.h. The expression half is in
// expression_classifier.cpp.
#include "sim/attention/tile_map.h"

#include <algorithm>
#include <cassert>

#include "sim/attention/kv_loop.h"

namespace flashscope {
namespace {

// Smallest index in [0, count) for which the monotone predicate holds; count when none does.
template <typename Predicate>
std::int64_t first_where(std::int64_t count, Predicate holds) {
  std::int64_t low = 0, high = count;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::string_view name_of(TileClass tile_class) {
  switch (tile_class) {
    case TileClass::empty:
      return "empty";
    case TileClass::partial:
      return "partial";
    case TileClass::full:
      return "full";
  }
  return "?";
}

TileMap::TileMap(const Problem& problem, const Tiling& tiling, std::int64_t batch,
                 std::int64_t head, const Behaviour& behaviour)
    : band_(mask_band(problem, behaviour)),
      q_len_(problem.q_len),
      q_tile_rows_(tiling.q_tile_rows),
      kv_tile_rows_(tiling.kv_tile_rows),
      group_(tiling.pack_gqa ? problem.q_heads / problem.kv_heads : 1),
      total_rows_(problem.q_len * group_),
      q_tiles_(ceil_div(total_rows_, q_tile_rows_)),
      kv_tiles_(ceil_div(problem.kv_len, kv_tile_rows_)) {
  const CausalLoop loop = behaviour.causal_loop;
  if (problem.mask.expression) {
    expression_.emplace(problem, band_, group_, kv_tile_rows_, batch, head);
  } else if (loop == CausalLoop::right || !problem.mask.causal) {
    return;
  }
  is_listed_ = true;
  for (std::int64_t i = 0; i < q_tiles_; ++i) {
    listed_runs_.push_back(expression_ ? expression_->runs(packed_rows(i))
                                       : runs_of_loop(loop, band_, query_rows(i), kv_tile_rows_));
  }
}

IndexRange TileMap::packed_rows(std::int64_t q_tile) const {
  return tile_rows(q_tile, q_tile_rows_, total_rows_);
}

IndexRange TileMap::query_rows(std::int64_t q_tile) const {
  return query_rows_of_packed(packed_rows(q_tile), group_);
}

IndexRange TileMap::visited(std::int64_t q_tile) const {
  if (is_listed_) {
    const auto& runs = listed_runs_[static_cast<std::size_t>(q_tile)];
    return runs.empty() ? IndexRange{} : IndexRange{runs.front().begin, runs.back().end};
  }
  return visited_kv_tiles(band_, query_rows(q_tile), kv_tile_rows_);
}

std::vector<TileRun> TileMap::runs(std::int64_t q_tile) const {
  if (is_listed_) return listed_runs_[static_cast<std::size_t>(q_tile)];
  return runs_of_loop(CausalLoop::right, band_, query_rows(q_tile), kv_tile_rows_);
}

std::vector<StepRun> TileMap::steps_of_q_tile(std::int64_t q_tile, IndexRange window, KvOrder order,
                                              Visit visit) const {
  std::vector<StepRun> steps;
  const auto add = [&](std::int64_t begin, std::int64_t end, TileClass tile_class) {
    const IndexRange part = intersect({begin, end}, window);
    if (!part.empty()) steps.push_back({part.begin, part.end, {tile_class, false, false}});
  };
  std::int64_t next = 0;  // the first tile not yet covered
  for (const TileRun& run : runs(q_tile)) {
    if (visit == Visit::all) add(next, run.begin, TileClass::empty);
    add(run.begin, run.end, run.tile_class);
    next = run.end;
  }
  if (visit == Visit::all) add(next, kv_tiles_, TileClass::empty);
  if (steps.empty()) return steps;

  if (order == KvOrder::descending) std::reverse(steps.begin(), steps.end());
  // Cut the first and the last step off into runs of their own.
  const bool descending = order == KvOrder::descending;
  const auto cut_first = [&](StepRun& run) -> StepRun {
    StepRun one = run;
    if (descending) {
      one.begin = run.end - 1;
      run.end = one.begin;
    } else {
      one.end = run.begin + 1;
      run.begin = one.end;
    }
    return one;
  };
  const auto cut_last = [&](StepRun& run) -> StepRun {
    StepRun one = run;
    if (descending) {
      one.end = run.begin + 1;
      run.begin = one.end;
    } else {
      one.begin = run.end - 1;
      run.end = one.begin;
    }
    return one;
  };
  StepRun first = cut_first(steps.front());
  first.kind.first = true;
  if (steps.front().size() == 0) steps.erase(steps.begin());
  if (steps.empty()) {
    first.kind.last = true;
    return {first};
  }
  StepRun last = cut_last(steps.back());
  last.kind.last = true;
  if (steps.back().size() == 0) steps.pop_back();
  steps.insert(steps.begin(), first);
  steps.push_back(last);
  return steps;
}

void TileMap::prepare_columns() {
  if (!is_listed_ || !listed_columns_.empty()) return;
  listed_columns_.resize(static_cast<std::size_t>(kv_tiles_));
  for (std::int64_t i = 0; i < q_tiles_; ++i) {
    const IndexRange hull = visited(i);
    for (const TileRun& run : runs(i)) {
      for (std::int64_t j = run.begin; j < run.end; ++j) {
        std::vector<StepRun>& column = listed_columns_[static_cast<std::size_t>(j)];
        const StepKind kind{run.tile_class, j == hull.begin, j == hull.end - 1};
        if (!column.empty() && column.back().end == i && column.back().kind == kind) {
          column.back().end = i + 1;
        } else {
          column.push_back({i, i + 1, kind});
        }
      }
    }
  }
}

std::vector<StepRun> TileMap::steps_of_kv_tile(std::int64_t kv_tile, KvOrder order) const {
  if (!is_listed_) return band_column(kv_tile, order);
  std::vector<StepRun> steps = listed_columns_[static_cast<std::size_t>(kv_tile)];
  if (order == KvOrder::descending) {
    for (StepRun& run : steps) std::swap(run.kind.first, run.kind.last);
  }
  return steps;
}

// The ends of visited_kv_tiles() and full_kv_tiles() never decrease from one q tile to the next, so
// every set below is an interval of q tiles, found by bisection.
std::vector<StepRun> TileMap::band_column(std::int64_t kv_tile, KvOrder order) const {
  const auto any = [&](std::int64_t i) {
    return visited_kv_tiles(band_, query_rows(i), kv_tile_rows_);
  };
  const auto full = [&](std::int64_t i) {
    return full_kv_tiles(band_, query_rows(i), kv_tile_rows_);
  };
  const auto where = [&](auto holds) { return first_where(q_tiles_, holds); };
  const IndexRange rows{where([&](std::int64_t i) { return any(i).end > kv_tile; }),
                        where([&](std::int64_t i) { return any(i).begin > kv_tile; })};
  const IndexRange full_rows{where([&](std::int64_t i) { return full(i).end > kv_tile; }),
                             where([&](std::int64_t i) { return full(i).begin > kv_tile; })};
  const IndexRange lowest{where([&](std::int64_t i) { return any(i).begin >= kv_tile; }), rows.end};
  const IndexRange highest{rows.begin,
                           where([&](std::int64_t i) { return any(i).end > kv_tile + 1; })};
  if (rows.empty()) return {};

  std::vector<std::int64_t> cuts = {rows.begin, rows.end};
  for (const IndexRange& range : {full_rows, lowest, highest}) {
    for (const std::int64_t cut : {range.begin, range.end}) {
      if (rows.begin < cut && cut < rows.end) cuts.push_back(cut);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

  std::vector<StepRun> steps;
  for (std::size_t n = 0; n + 1 < cuts.size(); ++n) {
    const std::int64_t i = cuts[n];
    StepKind kind{full_rows.contains(i) ? TileClass::full : TileClass::partial, lowest.contains(i),
                  highest.contains(i)};
    if (order == KvOrder::descending) std::swap(kind.first, kind.last);
    steps.push_back({i, cuts[n + 1], kind});
  }
  return steps;
}

std::int64_t TileMap::visible_elements(
    const std::function<void(std::int64_t, std::int64_t)>& progress) const {
  std::int64_t elements = 0;
  if (!expression_) {
    for (std::int64_t row = 0; row < q_len_; ++row) elements += visible_keys(band_, row).size();
    return elements * group_;
  }
  for (std::int64_t i = 0; i < q_tiles_; ++i) {
    elements += expression_->visible_elements(packed_rows(i), runs(i));
    if (progress) progress(i + 1, q_tiles_);
  }
  return elements;
}

}  // namespace flashscope
