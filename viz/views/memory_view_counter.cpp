// Counting copies; see memory_view_counter.h.
#include "viz/views/memory_view_counter.h"

#include <algorithm>

#include "sim/attention/tile_plan.h"

namespace flashscope::views {
namespace {

// So far it is cheaper to add op by op than to count afresh.
constexpr std::int64_t kShortWalk = 4096;

const Buffer& buffer(const Program& program, int index) {
  return program.algorithm().buffers[static_cast<std::size_t>(index)];
}

const Line& line_of(const Program& program, int index) {
  return program.algorithm().lines[static_cast<std::size_t>(index)];
}

bool is_copy(const Line& line) {
  return line.kind == LineKind::load || line.kind == LineKind::store;
}

IndexRange one(std::int64_t index) {
  return index < 0 ? IndexRange{} : IndexRange{index, index + 1};
}

std::int64_t ops_of_row(const Program& program, const Program::Row& row) {
  auto ops = static_cast<std::int64_t>(row.before.lines.size() + row.after.size());
  for (const StepRun& run : row.steps) {
    ops += run.size() *
           static_cast<std::int64_t>(program.step_lines(row.before.phase, run.kind).size());
  }
  return ops;
}

}  // namespace

CopyCounter::CopyCounter(const Program& program) : program_(program) {
  const Algorithm& algorithm = program.algorithm();
  tensor_of_buffer_.resize(algorithm.buffers.size());
  for (std::size_t n = 0; n < algorithm.buffers.size(); ++n) {
    if (algorithm.buffers[n].place != Place::hbm) continue;
    tensor_of_buffer_[n] = tensors_.size();
    tensors_.push_back(uncopied(program, static_cast<int>(n)));
  }
}

const TensorCopies& CopyCounter::tensor(int index) const {
  return tensors_[tensor_of_buffer_[static_cast<std::size_t>(index)]];
}

double CopyCounter::most_times() const {
  double most = 0;
  for (const TensorCopies& tensor : tensors_) {
    for (const Direction direction : {Direction::load, Direction::store}) {
      if (tensor.grid.rows == 0 || tensor.grid.columns == 0) continue;
      most = std::max<double>(most, binned_times(program_, tensor, direction, 1, 1)[0]);
    }
  }
  return most;
}

// The tiles that memory.copy() moves.
TileCopy CopyCounter::copy_of(const Segment& segment, const Line& line) const {
  const Buffer& tile = buffer(program_, line.result);
  const TileGrid& grid = tensor(line.hbm).grid;
  const bool of_keys = tile.rows == Dim::kv_tile;
  const IndexRange tiles = one(of_keys ? segment.kv_tile : segment.q_tile);
  TileCopy copy;
  copy.tensor = line.hbm;
  copy.direction = line.kind == LineKind::load ? Direction::load : Direction::store;
  copy.one_row = !of_keys && segment.q_row >= 0;
  switch (grid.row_axis) {
    case GridAxis::q_tile:
      copy.rows = tiles;
      copy.columns =
          tile.columns == Dim::kv_tile ? one(segment.kv_tile) : IndexRange{0, grid.columns};
      break;
    case GridAxis::split:
      copy.rows =
          tile.columns == Dim::splits ? IndexRange{0, grid.rows} : one(larger(segment.split, 0));
      copy.columns = tiles;
      break;
    case GridAxis::one:
    case GridAxis::kv_tile:
      copy.rows = {0, 1};
      copy.columns = tiles;
      break;
  }
  if (copy.rows.empty() || copy.columns.empty()) copy.rows = copy.columns = {};
  return copy;
}

void CopyCounter::add(const TileCopy& copy, std::int64_t times) {
  TensorCopies& tensor = tensors_[tensor_of_buffer_[static_cast<std::size_t>(copy.tensor)]];
  if (copy.rows.empty() || copy.columns.empty() || times == 0) return;
  CopyCounts& counts = copy.direction == Direction::load ? tensor.loads : tensor.stores;
  const TileArea area = area_of(program_, tensor.grid, copy.rows, copy.columns);
  const std::int64_t elements =
      copy.one_row ? area.elements / area.query_rows.size() : area.elements;
  counts.bytes += elements * tensor.bytes_per_element * times;
  if (copy.one_row) counts.one_rows.resize(counts.whole.size());
  std::vector<std::uint32_t>& cells = copy.one_row ? counts.one_rows : counts.whole;
  const std::int64_t in_row = tensor.grid.cells_in_row();
  for (std::int64_t row = copy.rows.begin; row < copy.rows.end; ++row) {
    std::uint32_t* cell = cells.data() + row * in_row;
    if (tensor.grid.by_rows) {
      *cell += static_cast<std::uint32_t>(times * (copy.one_row ? 1 : copy.columns.size()));
      continue;
    }
    for (std::int64_t column = copy.columns.begin; column < copy.columns.end; ++column) {
      cell[column] += static_cast<std::uint32_t>(times);
    }
  }
}

void CopyCounter::add_lines(const Segment& segment, std::span<const int> lines,
                            std::int64_t times) {
  for (const int index : lines) {
    const Line& line = line_of(program_, index);
    if (is_copy(line)) add(copy_of(segment, line), times);
  }
}

// A run of equal steps: the tiles along the loop's axis once each, others as often as it steps.
void CopyCounter::add_run(const Program::Row& row, const StepRun& run) {
  const StepAxis axis =
      program_.algorithm().phases[static_cast<std::size_t>(row.before.phase)].step_axis;
  Segment segment = row.before;
  if (axis == StepAxis::kv_tile) segment.kv_tile = run.begin;
  if (axis == StepAxis::q_tile) segment.q_tile = run.begin;
  if (axis == StepAxis::split) segment.split = run.begin;
  for (const int index : program_.step_lines(row.before.phase, run.kind)) {
    const Line& line = line_of(program_, index);
    if (!is_copy(line)) continue;
    const Buffer& tile = buffer(program_, line.result);
    const GridAxis row_axis = tensor(line.hbm).grid.row_axis;
    TileCopy copy = copy_of(segment, line);
    IndexRange* side = nullptr;
    if (axis == StepAxis::kv_tile && (tile.rows == Dim::kv_tile || tile.columns == Dim::kv_tile)) {
      side = &copy.columns;
    } else if (axis == StepAxis::q_tile && tile.rows != Dim::kv_tile) {
      side = row_axis == GridAxis::q_tile ? &copy.rows : &copy.columns;
    } else if (axis == StepAxis::split && row_axis == GridAxis::split &&
               tile.columns != Dim::splits) {
      side = &copy.rows;
    }
    if (side != nullptr && !side->empty()) *side = {run.begin, run.end};
    add(copy, side != nullptr ? 1 : run.size());
  }
}

void CopyCounter::add_row(const Program::Row& row, std::int64_t times) {
  add_lines(row.before, row.before.lines, times);
  add_lines(row.before, row.after, times);
  for (const StepRun& run : row.steps) add_run(row, run);
}

// Ops [first, end), of one head and phase, one by one.
void CopyCounter::walk(std::int64_t first, std::int64_t end) {
  if (first >= end) return;
  const auto end_of = [](const Segment& segment) {
    return segment.first_op + static_cast<std::int64_t>(segment.lines.size());
  };
  const IndexRange ops{program_.op(first).segment.first_op, end_of(program_.op(end - 1).segment)};
  program_.visit(ops, [&](const Segment& segment) {
    const std::int64_t from = larger(first, segment.first_op) - segment.first_op;
    const std::int64_t to = smaller(end, end_of(segment)) - segment.first_op;
    add_lines(segment,
              segment.lines.subspan(static_cast<std::size_t>(from),
                                    static_cast<std::size_t>(larger(to - from, 0))),
              1);
  });
}

void CopyCounter::count_phase(int phase, std::int64_t batch, std::int64_t head,
                              std::int64_t position) {
  const IndexRange ops = program_.ops_of_head(phase, batch, head);
  if (ops.begin >= position || ops.empty()) return;
  std::int64_t counted = ops.begin;
  // Whole query rows of one q tile (a softmax over rows) all copy the same: added at once.
  std::optional<Program::Row> waiting;
  std::int64_t waiting_times = 0;
  const auto flush = [&] {
    if (waiting) add_row(*waiting, waiting_times);
    waiting.reset();
    waiting_times = 0;
  };
  std::int64_t next = ops.begin;
  program_.visit_rows(phase, program_.class_of(batch, head), [&](const Program::Row& row) {
    next += ops_of_row(program_, row);
    if (next > position) return;
    counted = next;
    if (row.before.q_row < 0) {
      add_row(row, 1);
      return;
    }
    if (waiting && waiting->before.q_tile != row.before.q_tile) flush();
    if (!waiting) waiting = row;
    ++waiting_times;
  });
  flush();
  walk(counted, smaller(position, ops.end));
}

void CopyCounter::recount(std::int64_t batch, std::int64_t head, std::int64_t position) {
  for (TensorCopies& tensor : tensors_) {
    const auto cells = static_cast<std::size_t>(tensor.grid.rows * tensor.grid.cells_in_row());
    for (CopyCounts* counts : {&tensor.loads, &tensor.stores}) {
      counts->whole.assign(cells, 0);
      counts->one_rows.clear();
      counts->bytes = 0;
    }
  }
  if (program_.size() == 0) return;
  for (int phase = 0; phase < static_cast<int>(program_.algorithm().phases.size()); ++phase) {
    count_phase(phase, batch, head, position);
  }
}

void CopyCounter::move_to(std::int64_t position, const Segment& segment) {
  const HeadPhase place{segment.phase, segment.batch, segment.head};
  if (place_ == place && position >= position_ && position - position_ <= kShortWalk) {
    walk(position_, position);
  } else {
    recount(segment.batch, segment.head, position);
  }
  place_ = place;
  position_ = position;
}

void CopyCounter::count_whole_head(std::int64_t batch, std::int64_t head) {
  recount(batch, head, program_.size());
  place_.reset();
}

std::optional<std::int64_t> op_of_copy(const Program& program, const CopyCounter& counter,
                                       const Segment& here, std::int64_t position, int tensor,
                                       std::int64_t row, std::int64_t column) {
  const TileGrid& grid = counter.tensor(tensor).grid;
  std::optional<std::int64_t> next, any;
  const auto search = [&](std::int64_t q_tile) {
    program.visit_chain({here.batch, here.head, q_tile}, [&](const Segment& segment) {
      for (std::size_t n = 0; n < segment.lines.size() && !next; ++n) {
        const Line& line = line_of(program, segment.lines[n]);
        if (!is_copy(line) || line.hbm != tensor) continue;
        const TileCopy copy = counter.copy_of(segment, line);
        if (!copy.rows.contains(row) || !copy.columns.contains(column)) continue;
        const std::int64_t op = segment.first_op + static_cast<std::int64_t>(n);
        if (!any) any = op;
        if (op > position) next = op;
      }
    });
  };
  if (grid.row_axis == GridAxis::q_tile) {
    search(row);
  } else if (grid.column_axis == GridAxis::q_tile) {
    search(column);
  } else {  // keys: any q tile may read them
    for (std::int64_t n = 0; n < program.q_tiles() && !next; ++n) {
      search((larger(here.q_tile, 0) + n) % program.q_tiles());
    }
  }
  return next ? next : any;
}

}  // namespace flashscope::views
