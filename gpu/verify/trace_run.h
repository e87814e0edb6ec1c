// Running the traced build of a kernel and fetching what it logged.
#pragma once

#include <string>
#include <vector>

#include "gpu/verify/backend.h"
#include "gpu/verify/guarded_problem.h"
#include "gpu/verify/trace_compare.h"
#include "sim/scenario/scenario.h"

namespace flashscope::gpu {

// The plan that these options lead to on this backend. Throws Error as plan() does, and when the
// head_dim is not the traced one.
Plan plan_of(Backend& backend, const Scenario& scenario, const LaunchOptions& options);

// What a trace is held against: the Program of a plan, or of the plan of these options.
Program program_of(const Scenario& scenario, const Plan& plan);
Program program_of(Backend& backend, const Scenario& scenario, const LaunchOptions& options);

struct TraceRun {
  std::vector<PhaseLog> logs;  // one for each phase
  RunResult result;            // O and LSE of the traced build
};

// Throws Error when the logs would take more device memory than is free, and where the device does.
TraceRun run_traced(Backend& backend, const Scenario& scenario, const LaunchOptions& options,
                    const ExpectedTrace& expected);

// Bytes of all logs.
std::int64_t log_bytes(const ExpectedTrace& expected);

// Work items of a phase in the order in which their blocks started.
std::vector<std::int64_t> start_order(const PhaseLog& log);

}  // namespace flashscope::gpu
