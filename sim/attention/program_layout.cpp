// How a Program lays its phases out: which lines apply to which kind of step, which rows exist, and
// the prefix sums that make any op reachable by its index. See program.h.
#include <algorithm>

#include <fmt/format.h>

#include "sim/attention/program.h"
#include "sim/error.h"

namespace flashscope {
namespace {

constexpr std::int64_t kLargestRowTable = std::int64_t{1} << 25;

// Below ln of the format's largest number; with fp32's range, room for a sum over 10^10 keys too.
double largest_threshold(Format probability) {
  switch (probability) {
    case Format::fp16:
      return 11;  // e^11 = 59874 < 65504
    case Format::e4m3:
      return 6;  // e^6 = 403 < 448
    case Format::fp32:
    case Format::bf16:
      break;
  }
  return 64;
}

}  // namespace

Program::Program(const Problem& problem, Algorithm algorithm, const Tiling& tiling,
                 const Precision& precision)
    : problem_(problem),
      algorithm_(std::make_shared<const Algorithm>(std::move(algorithm))),
      tiling_(tiling),
      precision_(precision) {
  validate(problem_);
  validate(tiling_);
  if (algorithm_->behaviour.accumulate_in_fp16) precision_.accumulator = Format::fp16;
  check_options();
  group_ = tiling_.pack_gqa ? problem_.q_heads / problem_.kv_heads : 1;
  heads_ = problem_.q_heads / group_;
  make_maps();
  q_tiles_ = maps_.front().q_tiles();
  layouts_.resize(algorithm_->phases.size());
  for (int phase = 0; phase < static_cast<int>(layouts_.size()); ++phase) lay_out(phase);
}

void Program::check_options() const {
  if (tiling_.splits > 1 && !algorithm_->has_splits()) {
    throw Error(fmt::format("--splits {}: algorithm {} has no split axis; split_kv does",
                            tiling_.splits, algorithm_->name));
  }
  if (tiling_.rescale_threshold && !algorithm_->has_threshold()) {
    throw Error(
        fmt::format("--rescale-threshold: algorithm {} has no line `when threshold`; fa2 has",
                    algorithm_->name));
  }
  // P grows up to e^threshold before its row is rescaled, and must not overflow its format.
  const double limit = largest_threshold(precision_.probability);
  if (tiling_.rescale_threshold && *tiling_.rescale_threshold > limit) {
    throw Error(
        fmt::format("--rescale-threshold {}: P would reach e^{}, too large for {}; use at "
                    "most {}",
                    *tiling_.rescale_threshold, *tiling_.rescale_threshold,
                    name_of(precision_.probability), limit));
  }
  for (const Phase& phase : algorithm_->phases) {
    if (phase.kv_order && *phase.kv_order == KvOrder::ascending &&
        tiling_.kv_order == KvOrder::descending) {
      throw Error(fmt::format("--kv-order descending: the table {} fixes `for ascending kv_tile`",
                              algorithm_->name));
    }
  }
}

void Program::make_maps() {
  const auto& expression = problem_.mask.expression;
  const bool by_batch = expression && expression->uses_batch();
  const bool by_head = expression && expression->uses_head();
  const std::int64_t batches = by_batch ? problem_.batch : 1;
  const std::int64_t heads = by_head ? heads_ : 1;
  for (std::int64_t b = 0; b < std::max<std::int64_t>(batches, 1); ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      maps_.emplace_back(problem_, tiling_, b, h, algorithm_->behaviour);
    }
  }
  const bool needs_columns =
      std::any_of(algorithm_->phases.begin(), algorithm_->phases.end(),
                  [](const Phase& phase) { return phase.row_axis == RowAxis::kv_tile; });
  if (needs_columns) {
    for (TileMap& map : maps_) map.prepare_columns();
  }
}

std::size_t Program::class_of(std::int64_t batch, std::int64_t head) const {
  if (maps_.size() == 1) return 0;
  const bool by_batch = problem_.mask.expression->uses_batch();
  const bool by_head = problem_.mask.expression->uses_head();
  return static_cast<std::size_t>((by_batch ? batch : 0) * (by_head ? heads_ : 1) +
                                  (by_head ? head : 0));
}

std::int64_t Program::heads_in_class() const {
  if (maps_.size() == 1 || problem_.batch == 0) return problem_.batch * heads_;
  std::int64_t count = 1;
  if (!problem_.mask.expression->uses_batch()) count *= problem_.batch;
  if (!problem_.mask.expression->uses_head()) count *= heads_;
  return count;
}

const TileMap& Program::tile_map(std::int64_t batch, std::int64_t head) const {
  return maps_[class_of(batch, head)];
}

KvOrder Program::order(const Phase& phase) const {
  return phase.kv_order.value_or(tiling_.kv_order);
}

std::size_t Program::step_index(const StepKind& kind) {
  return static_cast<std::size_t>(kind.tile_class) * 4 + (kind.first ? 2U : 0U) +
         (kind.last ? 1U : 0U);
}

std::span<const int> Program::step_lines(int phase, const StepKind& kind) const {
  return layouts_[static_cast<std::size_t>(phase)].step[step_index(kind)];
}

// The lines that become ops: a cast to fp32 changes nothing and is left out.
std::vector<int> Program::applicable(const std::vector<int>& lines, const StepKind* kind) const {
  std::vector<int> result;
  for (const int index : lines) {
    const Line& line = algorithm_->lines[static_cast<std::size_t>(index)];
    const bool idle_cast =
        line.kind == LineKind::cast && format_of(line.stage, precision_, tiling_) == Format::fp32;
    if (idle_cast || !line.when.applies(kind != nullptr ? *kind : StepKind{},
                                        tiling_.rescale_threshold.has_value())) {
      continue;
    }
    result.push_back(index);
  }
  return result;
}

std::vector<std::int64_t> Program::rows_to_visit(const Phase& phase, const TileMap& map) const {
  std::vector<std::int64_t> rows;
  const std::int64_t per_tile = phase.split_grid ? tiling_.splits : 1;
  const std::int64_t count = phase.row_axis == RowAxis::q_tile  ? map.q_tiles() * per_tile
                             : phase.row_axis == RowAxis::q_row ? map.total_rows()
                                                                : map.kv_tiles();
  if (count > kLargestRowTable) {
    throw Error(
        fmt::format("{} tiles or rows a head are more than this program lists (2^25); make "
                    "the tiles larger or the problem smaller",
                    count));
  }
  for (std::int64_t row = 0; row < count; ++row) {
    if (phase.row_visit == RowVisit::unseen && !map.visited(row / per_tile).empty()) continue;
    if (phase.row_visit == RowVisit::non_empty && phase.row_axis == RowAxis::kv_tile &&
        map.steps_of_kv_tile(row, KvOrder::ascending).empty()) {
      continue;
    }
    rows.push_back(row);
  }
  if (phase.row_axis == RowAxis::kv_tile && order(phase) == KvOrder::descending) {
    std::reverse(rows.begin(), rows.end());
  }
  return rows;
}

std::vector<StepRun> Program::row_steps(const Phase& phase, const TileMap& map,
                                        std::int64_t row) const {
  switch (phase.step_axis) {
    case StepAxis::none:
      return {};
    case StepAxis::q_tile:
      return map.steps_of_kv_tile(row, order(phase));
    case StepAxis::split: {
      std::vector<StepRun> steps;
      for (std::int64_t s = 0; s < tiling_.splits; ++s) {
        const StepKind kind{TileClass::full, s == 0, s == tiling_.splits - 1};
        if (!steps.empty() && steps.back().kind == kind) {
          steps.back().end = s + 1;
        } else {
          steps.push_back({s, s + 1, kind});
        }
      }
      return steps;
    }
    case StepAxis::kv_tile:
      break;
  }
  if (!phase.split_grid) {
    return map.steps_of_q_tile(row, {0, map.kv_tiles()}, order(phase), phase.step_visit);
  }
  const IndexRange window = split_kv_tiles(row % tiling_.splits, tiling_.splits, map.kv_tiles());
  return map.steps_of_q_tile(row / tiling_.splits, window, order(phase), phase.step_visit);
}

void Program::lay_out(int phase_index) {
  const Phase& phase = algorithm_->phases[static_cast<std::size_t>(phase_index)];
  PhaseLayout& layout = layouts_[static_cast<std::size_t>(phase_index)];
  layout.before = applicable(phase.before, nullptr);
  layout.after = applicable(phase.after, nullptr);
  for (const TileClass tile_class : {TileClass::empty, TileClass::partial, TileClass::full}) {
    for (const bool first : {false, true}) {
      for (const bool last : {false, true}) {
        const StepKind kind{tile_class, first, last};
        layout.step[step_index(kind)] = applicable(phase.step, &kind);
      }
    }
  }
  const auto fixed = static_cast<std::int64_t>(layout.before.size() + layout.after.size());
  for (const TileMap& map : maps_) {
    HeadLayout& head = layout.classes.emplace_back();
    head.rows = rows_to_visit(phase, map);
    std::int64_t op = 0, step = 0;
    for (const std::int64_t row : head.rows) {
      head.row_first_op.push_back(op);
      if (phase.grain == Grain::step) head.row_first_step.push_back(step);
      op += fixed;
      for (const StepRun& run : row_steps(phase, map, row)) {
        op += run.size() * static_cast<std::int64_t>(layout.step[step_index(run.kind)].size());
        step += run.size();
      }
    }
    head.row_first_op.push_back(op);
    if (phase.grain == Grain::step) head.row_first_step.push_back(step);
  }

  const auto items = [&](const HeadLayout& head) {
    return phase.grain == Grain::head  ? 1
           : phase.grain == Grain::row ? static_cast<std::int64_t>(head.rows.size())
                                       : head.row_first_step.back();
  };
  layout.first_op = size_;
  layout.first_work_item = work_items_;
  if (maps_.size() == 1) {
    const std::int64_t heads = problem_.batch * heads_;
    size_ += heads * layout.classes[0].row_first_op.back();
    work_items_ += heads * items(layout.classes[0]);
  } else {
    for (std::int64_t n = 0; n < problem_.batch * heads_; ++n) {
      layout.head_first_op.push_back(size_);
      layout.head_first_work_item.push_back(work_items_);
      const HeadLayout& head = layout.classes[class_of(n / heads_, n % heads_)];
      size_ += head.row_first_op.back();
      work_items_ += items(head);
    }
  }
  layout.end_op = size_;
  layout.end_work_item = work_items_;
}

}  // namespace flashscope
