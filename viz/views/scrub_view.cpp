// See scrub_view.h.
#include "viz/views/scrub_view.h"

#include <algorithm>

namespace flashscope::views {
namespace {

std::vector<std::uint8_t> lines_with_breakpoints(const Debugger& debugger) {
  const Algorithm& algorithm = debugger.program().algorithm();
  std::vector<std::uint8_t> marked(algorithm.lines.size());
  for (const Breakpoint& b : debugger.breakpoints()) {
    for (std::size_t n = 0; n < marked.size(); ++n) {
      const Line& line = algorithm.lines[n];
      if ((b.kind == Breakpoint::Kind::line && b.source_line == line.source_line) ||
          (b.kind == Breakpoint::Kind::operation && b.operation == line.kind)) {
        marked[n] = 1;
      }
    }
  }
  return marked;
}

void add_rescales(const Session& session, Interpreter& machine, const Chain& chain,
                  std::vector<std::int64_t>& ops) {
  const Program& program = session.program();
  const Algorithm& algorithm = program.algorithm();
  machine.begin(chain);
  program.visit_chain(chain, [&](const Segment& segment) {
    machine.enter(segment);
    std::int64_t op = segment.first_op;
    for (const int index : segment.lines) {
      const Line& line = algorithm.lines[static_cast<std::size_t>(index)];
      for (const SetEvent& event : session.events()) {
        if (event.op == op) machine.tile(event.buffer).at(event.row, event.column) = event.value;
      }
      if (line.kind == LineKind::rescale && segment.part == Part::step && !segment.kind.first) {
        const Tile& factor = machine.tile(line.operands[0]);
        for (std::int64_t r = 0; r < program.q_rows(segment).size(); ++r) {
          if (factor.at(r, 0) < 1) {
            ops.push_back(op);
            break;
          }
        }
      }
      machine.execute(line, segment, nullptr);
      ++op;
    }
  });
}

}  // namespace

ScrubMarks scrub_marks(const Debugger& debugger, std::int64_t most_ops) {
  const Program& program = debugger.program();
  ScrubMarks marks;
  const auto phases = static_cast<int>(program.algorithm().phases.size());
  const std::int64_t heads = program.problem().batch * program.heads();
  for (int phase = 0; phase < phases; ++phase) {
    for (std::int64_t n = 0; n < heads; ++n) {
      const IndexRange ops = program.ops_of_head(phase, n / program.heads(), n % program.heads());
      if (ops.empty() || ops.begin == 0) continue;
      (n == 0 ? marks.phases : marks.heads).push_back(ops.begin);
    }
  }
  const std::vector<std::uint8_t> marked = lines_with_breakpoints(debugger);
  if (std::ranges::find(marked, 1) == marked.end()) return marks;
  const auto visit = [&](IndexRange ops) {
    if (ops.empty()) return;
    program.visit(ops, [&](const Segment& segment) {
      for (std::size_t n = 0; n < segment.lines.size(); ++n) {
        if (marked[static_cast<std::size_t>(segment.lines[n])] != 0) {
          marks.breakpoints.push_back(segment.first_op + static_cast<std::int64_t>(n));
        }
      }
    });
  };
  if (program.size() <= most_ops) {
    visit({0, program.size()});
  } else {
    const Segment& here = debugger.session().segment();
    marks.breakpoints_of_head_only = true;
    for (int phase = 0; phase < phases; ++phase) {
      visit(program.ops_of_head(phase, here.batch, here.head));
    }
  }
  return marks;
}

Rescales taken_rescales(const Scenario& scenario, const Session& session, double most_flops) {
  const Program& program = session.program();
  Rescales result;
  const bool rescales = std::ranges::any_of(
      program.algorithm().lines, [](const Line& line) { return line.kind == LineKind::rescale; });
  if (!rescales || program.chains() == 0) return result;
  // Of every tile, masked or not: an upper bound that costs nothing to compute.
  const Problem& p = program.problem();
  const double all = 4.0 * static_cast<double>(p.batch) * static_cast<double>(p.q_heads) *
                     static_cast<double>(p.q_len) * static_cast<double>(p.kv_len) *
                     static_cast<double>(p.head_dim);
  result.whole_program = all <= most_flops;
  if (!result.whole_program && all / static_cast<double>(program.chains()) > most_flops) {
    return result;
  }
  Outputs outputs = make_outputs(p, program.precision());
  Interpreter machine(program, scenario.inputs, outputs);
  if (result.whole_program) {
    for (std::int64_t n = 0; n < program.chains(); ++n) {
      add_rescales(session, machine, program.chain(n), result.ops);
    }
  } else {
    const Segment& here = session.segment();
    const Chain chain{here.batch, here.head, std::max<std::int64_t>(0, here.q_tile)};
    add_rescales(session, machine, chain, result.ops);
  }
  std::ranges::sort(result.ops);
  result.known = true;
  return result;
}

}  // namespace flashscope::views
