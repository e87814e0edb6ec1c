// Traffic and work of a whole problem without touching data: equal steps are multiplied, equal
// heads too, so that a million rows cost milliseconds. The op-by-op ledger of the interpreter, and
// in the tests a brute-force counter that shares no code, give the same integers.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/attention/program.h"
#include "sim/machine/ledger.h"

namespace flashscope {

struct TileCounts {
  std::int64_t full = 0, partial = 0, empty = 0;
};

struct Count {
  Ledger ledger;
  std::int64_t work_items = 0;    // of all phases
  TileCounts tiles;               // of all heads' score matrices; masks leave `empty` ones out
  std::int64_t useful_flops = 0;  // 4 * head_dim * visible score elements
};

// `progress` hears of parts done, and of how many there are: only mask expressions take long.
Count count(const Program& program,
            const std::function<void(std::int64_t, std::int64_t)>& progress = {});

// Adds one op's bytes and work. Summed over ops in any order this gives count()'s ledger.
void add_op(const Program& program, const Segment& segment, int line, Ledger& ledger);

// What all ops before `op` have cost; op in [0, size()]. Walks the segments of the op's own row
// alone: about a millisecond at 65,536 rows and keys.
Ledger ledger_before(const Program& program, std::int64_t op);

}  // namespace flashscope
