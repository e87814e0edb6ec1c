// Finding and walking the ops of a Program; see program.h. The layout it walks is made in
// program_layout.cpp.
#include "sim/attention/program.h"

#include <algorithm>

namespace flashscope {
namespace {

std::int64_t length(std::span<const int> lines) { return static_cast<std::int64_t>(lines.size()); }

// Index of the entry that holds `value` in ascending prefix sums.
std::size_t holder(const std::vector<std::int64_t>& firsts, std::int64_t value) {
  return static_cast<std::size_t>(std::upper_bound(firsts.begin(), firsts.end(), value) -
                                  firsts.begin()) -
         1;
}

}  // namespace

std::int64_t Program::head_first_op(const PhaseLayout& layout, std::int64_t head_index) const {
  if (!layout.head_first_op.empty()) {
    return layout.head_first_op[static_cast<std::size_t>(head_index)];
  }
  return layout.first_op + head_index * layout.classes[0].row_first_op.back();
}

std::int64_t Program::head_first_work_item(const PhaseLayout& layout,
                                           std::int64_t head_index) const {
  if (!layout.head_first_work_item.empty()) {
    return layout.head_first_work_item[static_cast<std::size_t>(head_index)];
  }
  const std::int64_t heads = problem_.batch * heads_;
  return layout.first_work_item +
         head_index * ((layout.end_work_item - layout.first_work_item) / heads);
}

// The part of a row before its loop; every other segment of the row is derived from it.
Segment Program::row_segment(int phase_index, std::int64_t head_index, std::size_t position) const {
  const Phase& phase = algorithm_->phases[static_cast<std::size_t>(phase_index)];
  const PhaseLayout& layout = layouts_[static_cast<std::size_t>(phase_index)];
  Segment segment;
  segment.phase = phase_index;
  segment.batch = head_index / heads_;
  segment.head = head_index % heads_;
  const HeadLayout& head = layout.classes[class_of(segment.batch, segment.head)];
  const std::int64_t row = head.rows[position];
  if (phase.row_axis == RowAxis::kv_tile) {
    segment.kv_tile = row;
  } else if (phase.row_axis == RowAxis::q_row) {
    segment.q_row = row;
    segment.q_tile = row / tiling_.q_tile_rows;
  } else if (phase.split_grid) {
    segment.q_tile = row / tiling_.splits;
    segment.split = row % tiling_.splits;
  } else {
    segment.q_tile = row;
  }
  segment.first_op = head_first_op(layout, head_index) + head.row_first_op[position];
  segment.work_item = head_first_work_item(layout, head_index);
  if (phase.grain == Grain::row) segment.work_item += static_cast<std::int64_t>(position);
  if (phase.grain == Grain::step) segment.work_item += head.row_first_step[position];
  segment.lines = layout.before;
  return segment;
}

// Step `offset` of a run. step_ordinal: its number within the row. first_op: the run's first op.
Segment Program::step_segment(const Segment& row, const StepRun& run, std::int64_t offset,
                              std::int64_t step_ordinal, std::int64_t first_op) const {
  const Phase& phase = algorithm_->phases[static_cast<std::size_t>(row.phase)];
  Segment segment = row;
  segment.part = Part::step;
  segment.kind = run.kind;
  segment.lines = step_lines(row.phase, run.kind);
  segment.first_op = first_op + offset * length(segment.lines);
  const bool descending =
      phase.step_axis == StepAxis::kv_tile && order(phase) == KvOrder::descending;
  const std::int64_t index = descending ? run.end - 1 - offset : run.begin + offset;
  if (phase.step_axis == StepAxis::kv_tile) segment.kv_tile = index;
  if (phase.step_axis == StepAxis::q_tile) segment.q_tile = index;
  if (phase.step_axis == StepAxis::split) segment.split = index;
  if (phase.grain == Grain::step) segment.work_item += step_ordinal;
  return segment;
}

template <typename F>
void Program::visit_row(int phase_index, std::int64_t head_index, std::size_t position,
                        F visitor) const {
  const Phase& phase = algorithm_->phases[static_cast<std::size_t>(phase_index)];
  const PhaseLayout& layout = layouts_[static_cast<std::size_t>(phase_index)];
  Segment row = row_segment(phase_index, head_index, position);
  if (!row.lines.empty()) visitor(row);
  const TileMap& map = tile_map(row.batch, row.head);
  const std::int64_t row_index = layout.classes[class_of(row.batch, row.head)].rows[position];
  std::int64_t op = row.first_op + length(row.lines), ordinal = 0;
  for (const StepRun& run : row_steps(phase, map, row_index)) {
    for (std::int64_t offset = 0; offset < run.size(); ++offset) {
      visitor(step_segment(row, run, offset, ordinal++, op));
    }
    op += run.size() * length(step_lines(phase_index, run.kind));
  }
  if (layout.after.empty()) return;
  row.part = Part::after;
  row.first_op = op;
  row.lines = layout.after;
  visitor(row);
}

Op Program::op(std::int64_t index) const {
  assert(index >= 0 && index < size_);
  int phase_index = 0;
  while (layouts_[static_cast<std::size_t>(phase_index)].end_op <= index) ++phase_index;
  const Phase& phase = algorithm_->phases[static_cast<std::size_t>(phase_index)];
  const PhaseLayout& layout = layouts_[static_cast<std::size_t>(phase_index)];
  const std::int64_t head_index =
      layout.head_first_op.empty()
          ? (index - layout.first_op) / layout.classes[0].row_first_op.back()
          : static_cast<std::int64_t>(holder(layout.head_first_op, index));
  const HeadLayout& head = layout.classes[class_of(head_index / heads_, head_index % heads_)];
  const std::size_t position = holder(head.row_first_op, index - head_first_op(layout, head_index));

  Segment segment = row_segment(phase_index, head_index, position);
  std::int64_t op = segment.first_op + length(segment.lines), ordinal = 0;
  if (index >= op) {
    bool found = false;
    const TileMap& map = tile_map(segment.batch, segment.head);
    for (const StepRun& run : row_steps(phase, map, head.rows[position])) {
      const std::int64_t per_step = length(step_lines(phase_index, run.kind));
      if (index < op + run.size() * per_step) {
        const std::int64_t offset = (index - op) / per_step;
        segment = step_segment(segment, run, offset, ordinal + offset, op);
        found = true;
        break;
      }
      op += run.size() * per_step;
      ordinal += run.size();
    }
    if (!found) {
      segment.part = Part::after;
      segment.first_op = op;
      segment.lines = layout.after;
    }
  }
  return {index, segment.lines[static_cast<std::size_t>(index - segment.first_op)], segment};
}

std::int64_t Program::work_items_of(int phase) const {
  const PhaseLayout& layout = layouts_[static_cast<std::size_t>(phase)];
  return layout.end_work_item - layout.first_work_item;
}

IndexRange Program::ops_of_work_item(std::int64_t work_item) const {
  assert(work_item >= 0 && work_item < work_items_);
  int phase_index = 0;
  while (layouts_[static_cast<std::size_t>(phase_index)].end_work_item <= work_item) ++phase_index;
  const Phase& phase = algorithm_->phases[static_cast<std::size_t>(phase_index)];
  const PhaseLayout& layout = layouts_[static_cast<std::size_t>(phase_index)];
  const std::int64_t items = layout.end_work_item - layout.first_work_item;
  const std::int64_t head_index =
      layout.head_first_work_item.empty()
          ? (work_item - layout.first_work_item) / (items / (problem_.batch * heads_))
          : static_cast<std::int64_t>(holder(layout.head_first_work_item, work_item));
  const HeadLayout& head = layout.classes[class_of(head_index / heads_, head_index % heads_)];
  const std::int64_t first = head_first_op(layout, head_index);
  if (phase.grain == Grain::head) return {first, first + head.row_first_op.back()};
  const std::int64_t local = work_item - head_first_work_item(layout, head_index);
  if (phase.grain == Grain::row) {
    const auto row = static_cast<std::size_t>(local);
    return {first + head.row_first_op[row], first + head.row_first_op[row + 1]};
  }
  IndexRange ops;
  visit_row(phase_index, head_index, holder(head.row_first_step, local),
            [&](const Segment& segment) {
              if (segment.work_item == work_item) {
                ops = {segment.first_op, segment.first_op + length(segment.lines)};
              }
            });
  return ops;
}

IndexRange Program::ops_of_head(int phase, std::int64_t batch, std::int64_t head) const {
  const PhaseLayout& layout = layouts_[static_cast<std::size_t>(phase)];
  const std::int64_t first = head_first_op(layout, batch * heads_ + head);
  return {first, first + layout.classes[class_of(batch, head)].row_first_op.back()};
}

void Program::visit(IndexRange ops, const Visitor& visitor) const {
  std::int64_t next = ops.begin;
  while (next < ops.end) {
    const Op at = op(next);
    const PhaseLayout& layout = layouts_[static_cast<std::size_t>(at.segment.phase)];
    const std::int64_t head_index = at.segment.batch * heads_ + at.segment.head;
    const HeadLayout& head = layout.classes[class_of(at.segment.batch, at.segment.head)];
    const std::int64_t first = head_first_op(layout, head_index);
    for (std::size_t position = holder(head.row_first_op, next - first);
         position < head.rows.size() && next < ops.end; ++position) {
      visit_row(at.segment.phase, head_index, position, [&](const Segment& segment) {
        if (segment.first_op >= next && segment.first_op < ops.end) {
          visitor(segment);
          next = segment.first_op + length(segment.lines);
        }
      });
    }
  }
}

Chain Program::chain(std::int64_t index) const {
  return {index / (heads_ * q_tiles_), index / q_tiles_ % heads_, index % q_tiles_};
}

// A chain of a phase whose rows are kv tiles (fa1): for each kv tile that the q tile visits, what
// comes before the inner loop, the q tile's own step, and what comes after.
void Program::visit_chain_columns(int phase_index, const Chain& chain,
                                  const Visitor& visitor) const {
  const Phase& phase = algorithm_->phases[static_cast<std::size_t>(phase_index)];
  const PhaseLayout& layout = layouts_[static_cast<std::size_t>(phase_index)];
  const std::int64_t head_index = chain.batch * heads_ + chain.head;
  const HeadLayout& head = layout.classes[class_of(chain.batch, chain.head)];
  const TileMap& map = tile_map(chain.batch, chain.head);
  for (std::size_t position = 0; position < head.rows.size(); ++position) {
    const std::int64_t kv_tile = head.rows[position];
    if (!map.visited(chain.q_tile).contains(kv_tile)) continue;
    Segment row = row_segment(phase_index, head_index, position);
    std::int64_t op = row.first_op + length(row.lines);
    const std::vector<StepRun> steps = map.steps_of_kv_tile(kv_tile, order(phase));
    const auto mine = std::find_if(steps.begin(), steps.end(), [&](const StepRun& run) {
      return run.begin <= chain.q_tile && chain.q_tile < run.end;
    });
    if (mine == steps.end()) continue;  // a hole of an expression mask
    row.counted = steps.front().begin == chain.q_tile;
    if (!row.lines.empty()) visitor(row);
    std::int64_t end = op;
    for (const StepRun& run : steps) {
      const std::int64_t ops = run.size() * length(step_lines(phase_index, run.kind));
      if (&run < &*mine) op += ops;
      end += ops;
    }
    Segment step = step_segment(row, *mine, chain.q_tile - mine->begin, 0, op);
    step.counted = true;
    visitor(step);
    if (layout.after.empty()) continue;
    row.part = Part::after;
    row.first_op = end;
    row.lines = layout.after;
    visitor(row);
  }
}

void Program::visit_chain(const Chain& chain, const Visitor& visitor) const {
  const std::int64_t head_index = chain.batch * heads_ + chain.head;
  for (int index = 0; index < static_cast<int>(layouts_.size()); ++index) {
    const Phase& phase = algorithm_->phases[static_cast<std::size_t>(index)];
    if (phase.row_axis == RowAxis::kv_tile) {
      visit_chain_columns(index, chain, visitor);
      continue;
    }
    IndexRange rows{chain.q_tile, chain.q_tile + 1};
    if (phase.split_grid) rows = {rows.begin * tiling_.splits, rows.end * tiling_.splits};
    if (phase.row_axis == RowAxis::q_row) {
      rows = tile_rows(chain.q_tile, tiling_.q_tile_rows,
                       tile_map(chain.batch, chain.head).total_rows());
    }
    const HeadLayout& head =
        layouts_[static_cast<std::size_t>(index)].classes[class_of(chain.batch, chain.head)];
    auto row = std::lower_bound(head.rows.begin(), head.rows.end(), rows.begin);
    for (; row != head.rows.end() && *row < rows.end; ++row) {
      visit_row(index, head_index, static_cast<std::size_t>(row - head.rows.begin()), visitor);
    }
  }
}

void Program::visit_rows(int phase_index, std::size_t head_class,
                         const std::function<void(const Row&)>& visitor) const {
  const Phase& phase = algorithm_->phases[static_cast<std::size_t>(phase_index)];
  const PhaseLayout& layout = layouts_[static_cast<std::size_t>(phase_index)];
  const HeadLayout& head = layout.classes[head_class];
  // Any head of the class will do: only tile indices are read.
  std::int64_t head_index = 0;
  while (head_index < problem_.batch * heads_ &&
         class_of(head_index / heads_, head_index % heads_) != head_class) {
    ++head_index;
  }
  if (head_index == problem_.batch * heads_) return;
  for (std::size_t position = 0; position < head.rows.size(); ++position) {
    visitor({row_segment(phase_index, head_index, position), layout.after,
             row_steps(phase, maps_[head_class], head.rows[position])});
  }
}

IndexRange Program::q_rows(const Segment& segment) const {
  if (segment.q_row >= 0) return {segment.q_row, segment.q_row + 1};
  if (segment.q_tile < 0) return {};
  return tile_rows(segment.q_tile, tiling_.q_tile_rows, problem_.q_len * group_);
}

IndexRange Program::kv_rows(const Segment& segment) const {
  if (segment.kv_tile < 0) return {};
  return tile_rows(segment.kv_tile, tiling_.kv_tile_rows, problem_.kv_len);
}

}  // namespace flashscope
