// See op_changes.h.
#include "viz/window/op_changes.h"

#include <algorithm>
#include <span>

namespace flashscope::window {
namespace {

bool contains(const std::vector<int>& numbers, int number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

std::vector<std::int64_t> shown_rows(const Program& program, const Segment& segment,
                                     const std::vector<std::int64_t>& rows) {
  const IndexRange held = program.q_rows(segment);
  if (held.empty()) return {};
  std::vector<std::int64_t> shown;
  for (const std::int64_t row : rows) {
    if (held.contains(row)) shown.push_back(row);
  }
  if (shown.empty()) shown = {held.begin};
  return shown;
}

// Whether what an earlier line of the segment computed still holds: nobody has overwritten what it
// read or wrote.
bool still_holds(const Algorithm& algorithm, const Line& line, std::span<const int> later) {
  return std::none_of(later.begin(), later.end(), [&](int index) {
    const std::vector<int> written =
        effects(algorithm.lines[static_cast<std::size_t>(index)]).writes;
    return std::any_of(written.begin(), written.end(), [&](int buffer) {
      return buffer == line.result || contains(line.operands, buffer);
    });
  });
}

}  // namespace

std::vector<views::Change> changes_of_next_op(const Session& session,
                                              const std::vector<std::int64_t>& rows) {
  const Program& program = session.program();
  const Algorithm& algorithm = program.algorithm();
  const Segment& segment = session.segment();
  views::Formulas formulas(program, session.machine());
  const auto changes_of = [&](int index, const Tile& after) {
    const Line& line = algorithm.lines[static_cast<std::size_t>(index)];
    views::WalkEvent event;
    event.line = &line;
    event.segment = &segment;
    event.op = session.position();
    event.before = &session.tile(line.result);
    event.after = &after;
    event.rows = shown_rows(program, segment, rows);
    return formulas.changes(event);
  };
  const auto here = static_cast<std::size_t>(session.position() - segment.first_op);
  // Factors of this step are written as e^(…) where they are used.
  for (std::size_t n = 0; n < here; ++n) {
    const Line& line = algorithm.lines[static_cast<std::size_t>(segment.lines[n])];
    const std::span<const int> later = segment.lines.subspan(n + 1, here - n - 1);
    if (line.kind == LineKind::exp_vector && still_holds(algorithm, line, later)) {
      changes_of(segment.lines[n], session.tile(line.result));
    }
  }
  return changes_of(segment.lines[here], session.preview());
}

}  // namespace flashscope::window
