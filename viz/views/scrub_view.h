// Marks for a scrub bar over a whole program: where breakpoints on lines would stop, where the
// maximum of a row grew so that old state had to be rescaled, where work begins anew.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/debugger/debugger.h"

namespace flashscope::views {

struct ScrubMarks {
  std::vector<std::int64_t> breakpoints;    // ops, ascending; conditions are not evaluated
  bool breakpoints_of_head_only = false;    // the program is too long to list them all
  std::vector<std::int64_t> phases, heads;  // first ops, the program's own first left out
};

// Breakpoints are listed for the head at the session's position when the program has more than
// `most_ops`.
ScrubMarks scrub_marks(const Debugger& debugger, std::int64_t most_ops = 2'000'000);

// Ops that rescaled some row for good reason: behind its first step the row's factor was below 1.
// Executes the chain of the session's position, or (when all of them together cost no more than
// `most_flops`) every chain. Nothing when even the one chain costs more, or no line rescales.
struct Rescales {
  std::vector<std::int64_t> ops;  // ascending
  bool whole_program = false;     // else: the present chain's only
  bool known = false;
};
Rescales taken_rescales(const Scenario& scenario, const Session& session, double most_flops = 3e8);

}  // namespace flashscope::views
