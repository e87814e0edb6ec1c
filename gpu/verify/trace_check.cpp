// See trace_check.h.
#include "gpu/verify/trace_check.h"

#include "gpu/verify/oracle.h"

namespace flashscope::gpu {

TraceCheck check_trace(Backend& backend, const Scenario& scenario, const LaunchOptions& options) {
  const Plan planned = plan_of(backend, scenario, options);
  TraceCheck check{program_of(scenario, planned), {}, 0, {}, {}, ""};
  check.expected = expected_trace(scenario, check.program);
  check.tolerance = state_tolerance(scenario, check.program);
  TraceRun run = run_traced(backend, scenario, options, check.expected);
  check.comparison = compare(check.expected, run.logs, check.tolerance);
  check.logs = std::move(run.logs);
  check.result_failure = run.result.damage;
  if (check.result_failure.empty()) {
    const Oracle oracle(scenario, 1);
    check.result_failure = oracle.check(run.result, {planned.algorithm, nullptr, nullptr}).failure;
  }
  return check;
}

std::vector<Problem> trace_grid() {
  struct Lengths {
    std::int64_t q, kv;
  };
  std::vector<Problem> grid;
  for (const int mask : {0, 1, 2}) {
    for (const Lengths lengths : {Lengths{256, 256}, Lengths{300, 277}, Lengths{333, 65},
                                  Lengths{1, 1000}, Lengths{7, 130}}) {
      for (const std::int64_t kv_heads : {4, 1}) {
        for (const Format dtype : {Format::fp16, Format::bf16}) {
          Problem problem;
          problem.batch = 2;
          problem.q_heads = 4;
          problem.kv_heads = kv_heads;
          problem.q_len = lengths.q;
          problem.kv_len = lengths.kv;
          problem.head_dim = kTracedHeadDim;
          problem.scale = static_cast<float>(default_scale(kTracedHeadDim));
          problem.dtype = dtype;
          problem.mask.causal = mask == 1;
          if (mask == 2) {
            problem.mask.window_left = 100;
            problem.mask.window_right = 20;
          }
          grid.push_back(problem);
        }
      }
    }
  }
  return grid;
}

}  // namespace flashscope::gpu
