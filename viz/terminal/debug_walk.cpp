// See debug_walk.h.
#include "viz/terminal/debug_walk.h"

#include "sim/debugger/prefix_truth.h"

namespace flashscope::terminal {

std::vector<std::int64_t> rows_to_show(const Program& program, const Segment& segment) {
  constexpr std::int64_t kSmallTile = 4;
  const IndexRange held = program.q_rows(segment);
  std::vector<std::int64_t> rows;
  const std::int64_t shown = held.size() <= kSmallTile ? held.size() : 1;
  for (std::int64_t n = 0; n < shown; ++n) rows.push_back(held.begin + n);
  return rows;
}

std::optional<Stop> step_shown(Debugger& debugger, const Scenario& scenario,
                               std::span<const std::int64_t> rows, WalkText& text, ShowOp how) {
  const Session& session = debugger.session();
  const Program& program = debugger.program();
  const Segment segment = session.segment();
  const std::int64_t op = session.position();
  const auto n = static_cast<std::size_t>(op - segment.first_op);
  const Line& line = program.algorithm().lines[static_cast<std::size_t>(segment.lines[n])];
  const Tile before = session.tile(line.result);
  const std::int64_t bytes_before =
      debugger.ledger().all_load_bytes() + debugger.ledger().all_store_bytes();
  return debugger.step_and_check([&] {
    const Ledger& ledger = debugger.ledger_so_far();
    views::WalkEvent event;
    event.line = &line;
    event.segment = &segment;
    event.op = op;
    event.first_of_segment = n == 0 || how == ShowOp::heading;
    event.before = &before;
    event.after = &session.tile(line.result);
    event.rows.assign(rows.begin(), rows.end());
    event.load_bytes = ledger.all_load_bytes();
    event.store_bytes = ledger.all_store_bytes();
    event.copied_bytes = event.load_bytes + event.store_bytes - bytes_before;
    if (how == ShowOp::silent) {
      text.follow(event);
      return;
    }
    std::optional<PrefixTruth> truth;
    if (n + 1 == segment.lines.size() && has_prefix_truth(program, segment)) {
      truth = prefix_truth(scenario, program, session.machine(), segment, event.rows);
    }
    event.truth = truth ? &*truth : nullptr;
    text.show(event);
  });
}

}  // namespace flashscope::terminal
