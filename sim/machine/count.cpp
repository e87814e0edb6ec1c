// Counting in closed steps; see count.h.
#include "sim/machine/count.h"

#include <iterator>
#include <optional>
#include <vector>

#include "sim/machine/cost.h"

namespace flashscope {
namespace {

// Adds the copies and the arithmetic of lines that each happen over the whole extent.
void add_lines(const Program& program, int phase, std::span<const int> lines, const Extent& extent,
               std::int64_t times, Ledger& ledger) {
  const Algorithm& algorithm = program.algorithm();
  for (const int index : lines) {
    const Line& line = algorithm.lines[static_cast<std::size_t>(index)];
    ledger.add_work(work_of(line, algorithm, extent) * times);
    if (line.kind != LineKind::load && line.kind != LineKind::store) continue;
    const Buffer& tensor = algorithm.buffers[static_cast<std::size_t>(line.hbm)];
    const Buffer& tile = algorithm.buffers[static_cast<std::size_t>(line.result)];
    const std::int64_t bytes =
        elements(tile, extent) *
        bytes_per_element(format_of(tensor.stage, program.precision(), program.tiling()));
    ledger.add_copy(phase, line.hbm,
                    line.kind == LineKind::load ? Direction::load : Direction::store,
                    bytes * times);
  }
}

// Rows of tiles [begin, end) together.
std::int64_t rows_of_tiles(const StepRun& run, std::int64_t tile_rows, std::int64_t length) {
  return smaller(run.end * tile_rows, length) - run.begin * tile_rows;
}

void count_row(const Program& program, int phase_index, const Program::Row& row, std::int64_t times,
               Ledger& ledger) {
  const Phase& phase = program.algorithm().phases[static_cast<std::size_t>(phase_index)];
  const Tiling& tiling = program.tiling();
  const Extent whole = extent_of(program, row.before);
  add_lines(program, phase_index, row.before.lines, whole, times, ledger);
  add_lines(program, phase_index, row.after, whole, times, ledger);
  for (const StepRun& run : row.steps) {
    Extent extent = whole;
    extent.steps = run.size();
    extent.summed = phase.step_axis;
    if (phase.step_axis == StepAxis::kv_tile) {
      extent.kv_rows = rows_of_tiles(run, tiling.kv_tile_rows, program.problem().kv_len);
    } else if (phase.step_axis == StepAxis::q_tile) {
      extent.q_rows =
          rows_of_tiles(run, tiling.q_tile_rows, program.problem().q_len * program.group());
    }
    add_lines(program, phase_index, program.step_lines(phase_index, run.kind), extent, times,
              ledger);
  }
}

// Adds the rows of a head class that lie wholly before the head's op `end`, counted from the head's
// first. Returns the op at which the next row begins.
std::int64_t count_rows_before(const Program& program, int phase, std::size_t head_class,
                               std::int64_t end, Ledger& ledger) {
  std::int64_t next = 0, row_end = 0;
  program.visit_rows(phase, head_class, [&](const Program::Row& row) {
    row_end += std::ssize(row.before.lines) + std::ssize(row.after);
    for (const StepRun& run : row.steps) {
      row_end += run.size() * std::ssize(program.step_lines(phase, run.kind));
    }
    if (row_end > end) return;
    count_row(program, phase, row, 1, ledger);
    next = row_end;
  });
  return next;
}

// The same for a kernel over single rows without a loop: they all cost the same, and a million of
// them need no walk. `ops`: those of a head.
std::int64_t count_single_rows_before(const Program& program, int phase, IndexRange ops,
                                      std::int64_t end, Ledger& ledger) {
  if (ops.size() == 0) return 0;
  const Segment first = program.op(ops.begin).segment;
  const std::int64_t rows = end / std::ssize(first.lines);
  add_lines(program, phase, first.lines, extent_of(program, first), rows, ledger);
  return rows * std::ssize(first.lines);
}

}  // namespace

Count count(const Program& program,
            const std::function<void(std::int64_t, std::int64_t)>& progress) {
  Count result{Ledger(program.algorithm()), program.work_items(), {}, 0};
  const auto phases = static_cast<int>(program.algorithm().phases.size());
  for (std::size_t head_class = 0; head_class < program.head_classes(); ++head_class) {
    const std::int64_t heads = program.heads_in_class();
    for (int phase = 0; phase < phases; ++phase) {
      program.visit_rows(phase, head_class, [&](const Program::Row& row) {
        count_row(program, phase, row, heads, result.ledger);
      });
    }
    const TileMap& map = program.map_of_class(head_class);
    std::int64_t visited = 0;
    for (std::int64_t i = 0; i < map.q_tiles(); ++i) {
      const auto steps =
          map.steps_of_q_tile(i, {0, map.kv_tiles()}, KvOrder::ascending, Visit::non_empty);
      for (const StepRun& run : steps) {
        visited += run.size();
        (run.kind.tile_class == TileClass::full ? result.tiles.full : result.tiles.partial) +=
            heads * run.size();
      }
    }
    result.tiles.empty += heads * (map.q_tiles() * map.kv_tiles() - visited);
    result.useful_flops += heads * 4 * program.problem().head_dim * map.visible_elements(progress);
  }
  return result;
}

void add_op(const Program& program, const Segment& segment, int line, Ledger& ledger) {
  add_lines(program, segment.phase, std::span(&line, 1), extent_of(program, segment), 1, ledger);
}

Ledger ledger_before(const Program& program, std::int64_t op) {
  Ledger ledger(program.algorithm());
  const auto phases = static_cast<int>(program.algorithm().phases.size());
  for (int index = 0; index < phases; ++index) {
    const Phase& phase = program.algorithm().phases[static_cast<std::size_t>(index)];
    const bool single_rows = phase.row_axis == RowAxis::q_row && phase.step_axis == StepAxis::none;
    const auto rows_before = [&](std::size_t head_class, IndexRange ops, std::int64_t end,
                                 Ledger& sum) {
      return single_rows ? count_single_rows_before(program, index, ops, end, sum)
                         : count_rows_before(program, index, head_class, end, sum);
    };
    // Heads of one class cost the same: counted once, added for each that lies wholly before.
    std::vector<std::optional<Ledger>> whole(program.head_classes());
    for (std::int64_t n = 0; n < program.problem().batch * program.heads(); ++n) {
      const std::int64_t b = n / program.heads(), h = n % program.heads();
      const IndexRange ops = program.ops_of_head(index, b, h);
      if (ops.begin >= op) return ledger;
      const std::size_t head_class = program.class_of(b, h);
      if (ops.end <= op) {
        if (!whole[head_class]) {
          whole[head_class].emplace(program.algorithm());
          rows_before(head_class, ops, ops.size(), *whole[head_class]);
        }
        ledger.add(*whole[head_class]);
        continue;
      }
      // The op's own row up to the segment that holds it, and that segment's ops before it.
      const std::int64_t row = ops.begin + rows_before(head_class, ops, op - ops.begin, ledger);
      const Segment last = program.op(op).segment;
      if (last.first_op > row) {
        program.visit({row, last.first_op}, [&](const Segment& segment) {
          add_lines(program, index, segment.lines, extent_of(program, segment), 1, ledger);
        });
      }
      add_lines(program, index, last.lines.first(static_cast<std::size_t>(op - last.first_op)),
                extent_of(program, last), 1, ledger);
      return ledger;
    }
  }
  return ledger;
}

}  // namespace flashscope
