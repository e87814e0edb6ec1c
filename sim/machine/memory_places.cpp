// Where a row of a head lies in the problem's tensors, and where an algorithm with a mistake in its
// addresses looks for it instead; see memory.h and Behaviour.
#include <algorithm>

#include "sim/machine/memory.h"

namespace flashscope {

// Where the problem's tensors hold a (packed) row of a segment's head.
HeadRow Memory::place_of(Role role, const Segment& segment, std::int64_t row) const {
  const std::int64_t group = program_.group();
  const Problem& problem = program_.problem();
  HeadRow at{segment.head * group + row % group, row / group};
  if (role == Role::k || role == Role::v) {
    at = {group > 1 ? segment.head : segment.head / (problem.q_heads / problem.kv_heads), row};
  }
  const Behaviour& behaviour = program_.algorithm().behaviour;
  return behaviour.changes_addresses() ? misplaced(role, segment, at) : at;
}

// The same with the mistakes of the algorithm's Behaviour.
HeadRow Memory::misplaced(Role role, const Segment& segment, HeadRow at) const {
  const Behaviour& behaviour = program_.algorithm().behaviour;
  const Problem& problem = program_.problem();
  if (role == Role::k || role == Role::v) {
    if (behaviour.kv_head_modulo && program_.group() == 1) {
      at.head = segment.head % problem.kv_heads;
    }
    // The first tile has no tile before it: its copy is waited for.
    const bool first = segment.kind.first && segment.part == Part::step;
    if (!first && (role == Role::k ? behaviour.stale_k : behaviour.stale_v)) {
      const bool descending = program_.tiling().kv_order == KvOrder::descending;
      const std::int64_t rows = program_.tiling().kv_tile_rows;
      const std::int64_t stale = descending ? at.row + rows : at.row - rows;
      if (stale >= 0) at.row = std::min(stale, problem.kv_len - 1);
    }
    if (behaviour.kv_strides_swapped || behaviour.layout_swapped) {
      const bool lies_by_rows = behaviour.kv_strides_swapped && role == Role::v;
      at = lies_by_rows ? read_as_heads_rows(at, problem.kv_heads, problem.kv_len)
                        : read_as_rows_heads(at, problem.kv_heads, problem.kv_len);
    }
  } else if (behaviour.layout_swapped && role != Role::lse) {
    at = read_as_rows_heads(at, problem.q_heads, problem.q_len);
  }
  return at;
}

}  // namespace flashscope
