// Which ops wrote a tile; see tile_contents.h.
#include <algorithm>
#include <span>

#include "viz/views/tile_contents.h"

namespace flashscope::views {
namespace {

constexpr int kMostStepsBack = 16;  // for a tile that only some steps write

bool write(const Algorithm& algorithm, std::span<const int> lines, int buffer) {
  return std::any_of(lines.begin(), lines.end(), [&](int index) {
    return writes(algorithm.lines[static_cast<std::size_t>(index)], buffer);
  });
}

}  // namespace

bool writes(const Line& line, int buffer) {
  return line.kind != LineKind::store && line.result == buffer;
}

std::optional<TileOrigin> origin_of(const Session& session, int buffer) {
  const Program& program = session.program();
  const Algorithm& algorithm = program.algorithm();
  const Segment& here = session.segment();
  const std::int64_t executed = session.position() - here.first_op;
  if (write(algorithm, here.lines.first(static_cast<std::size_t>(executed)), buffer)) {
    return TileOrigin{here, executed, true};
  }
  if (here.part == Part::before) return std::nullopt;
  const Phase& phase = algorithm.phases[static_cast<std::size_t>(here.phase)];
  // In a work item that is a whole head, q tiles take turns: only tiles of keys outlast a step.
  const bool of_keys = algorithm.buffers[static_cast<std::size_t>(buffer)].rows == Dim::kv_tile;
  if (phase.grain == Grain::head && !of_keys) return std::nullopt;
  if (write(algorithm, phase.step, buffer)) {
    Segment at = here;
    for (int n = 0; n < kMostStepsBack && at.first_op > 0; ++n) {
      at = program.op(at.first_op - 1).segment;
      if (at.part != Part::step || at.work_item != here.work_item) break;
      if (write(algorithm, at.lines, buffer)) {
        return TileOrigin{at, static_cast<std::int64_t>(at.lines.size()), false};
      }
    }
  }
  if (!write(algorithm, phase.before, buffer)) return std::nullopt;
  Segment before = here;
  before.part = Part::before;
  before.lines = phase.before;
  (phase.row_axis == RowAxis::kv_tile ? before.q_tile : before.kv_tile) = -1;
  return TileOrigin{before, static_cast<std::int64_t>(phase.before.size()), false};
}

}  // namespace flashscope::views
