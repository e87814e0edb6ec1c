// One traced call from start to finish, and the grid of problems that every traced kernel is
// checked on.
#pragma once

#include <string>
#include <vector>

#include "gpu/verify/trace_run.h"

namespace flashscope::gpu {

struct TraceCheck {
  Program program;
  ExpectedTrace expected;
  double tolerance = 0;  // of m and ln l
  TraceComparison comparison;
  std::vector<PhaseLog> logs;
  std::string result_failure;  // what is wrong with O or LSE of the traced build; empty: right

  bool passed() const { return comparison.total().differing_items == 0 && result_failure.empty(); }
};

// Runs the traced build and holds its logs against the Program of its plan, and O and LSE against
// fp64. Throws Error as program_of() and run_traced() do.
TraceCheck check_trace(Backend& backend, const Scenario& scenario, const LaunchOptions& options);

// Full, causal and windowed; lengths that tiles divide and that they don't; one kv head for each q
// head and for four; fp16 and bf16.
std::vector<Problem> trace_grid();

}  // namespace flashscope::gpu
