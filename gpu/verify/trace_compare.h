// What a kernel logged (gpu/kernels/trace_log.h) beside what the Program of its plan does: per
// phase and work item the same tiles in the same order, and the same m and l behind each step,
// within the rounding of both. In which order blocks started is not compared. Pure host code.
//
// How a work item's log reads: one entry for each step of the phase's loop, and for a work item
// that is a single step (standard's scores). Without a loop: one entry where there are m and l
// (standard's softmax), else none (fa1's init), and all there is to see is that it ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/kernels/trace_log.h"
#include "sim/attention/program.h"
#include "sim/scenario/scenario.h"

namespace flashscope::gpu {

// A TraceLog on the host.
struct PhaseLog {
  std::int32_t max_steps = 0, rows = 0;
  std::vector<std::int32_t> steps;        // (work_items)
  std::vector<std::int32_t> start_order;  // (work_items); -1: it never started
  std::vector<TraceStep> visited;         // (work_items, max_steps)
  std::vector<float> m, l;  // (work_items, max_steps, rows); empty: the phase has none
};

struct ExpectedStep {
  TraceStep tiles;
  std::int64_t first_row = 0;  // query row (packed where groups are) of the tile's row 0
  IndexRange keys;             // of the kv tile; empty where there is none
  std::vector<float> m, l;     // of the tile's rows that exist; empty: the phase has none
};
struct ExpectedItem {
  std::int64_t batch = 0, head = 0;  // a kv head where GQA groups are packed
  std::vector<ExpectedStep> steps;
};
struct ExpectedPhase {
  std::string name;
  std::vector<ExpectedItem> items;
  bool has_state = false;      // m and l
  std::int64_t max_steps = 0;  // the longest work item's
  std::int64_t rows = 0;       // of a tile
};
struct ExpectedTrace {
  std::vector<ExpectedPhase> phases;
};

// Runs the Program in the simulator, on all cores.
ExpectedTrace expected_trace(const Scenario& scenario, const Program& program);

// A log as the caller of a traced kernel clears it.
PhaseLog cleared_log(const ExpectedPhase& phase);

// How far m and ln l may be apart: twice the bound on an LSE's rounding (sim/debugger/tolerance.h),
// once for the kernel and once for the simulator; fp32 sums, and for standard S in the dtype.
double state_tolerance(const Scenario& scenario, const Program& program);

struct TraceDifference {
  std::string phase;
  std::int64_t work_item = 0, batch = 0, head = 0;
  std::int64_t step = -1;  // -1: the whole work item
  std::int64_t row = -1;   // query row (packed); -1: the whole step
  std::string what;        // "tiles", "m", "l", "steps", "start"
  std::string expected, got;
};
// "attention, work item 3 (batch 0, head 1), step 2, row 70: m should be 1.25, is 1.5"
std::string describe(const TraceDifference& difference);

// What was compared; a state is m and l of one row.
struct TraceCounts {
  std::string phase;
  std::int64_t work_items = 0, steps = 0, states = 0, differing_items = 0;
};

struct TraceComparison {
  std::vector<TraceCounts> phases;
  TraceCounts total() const;
  // The first of each work item that differs, in the Program's order, at most kListedDifferences.
  std::vector<TraceDifference> differences;
  double used_share = 0;  // the largest error of m or ln l as a share of what is allowed
};
constexpr std::size_t kListedDifferences = 20;

// `logs`: one for each phase.
TraceComparison compare(const ExpectedTrace& expected, const std::vector<PhaseLog>& logs,
                        double tolerance);

}  // namespace flashscope::gpu
