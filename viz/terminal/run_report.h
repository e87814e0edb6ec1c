// Running one program and holding it against fp64, as `run` and the tour show it.
#pragma once

#include "sim/machine/runner.h"
#include "sim/scenario/problem_json.h"
#include "sim/scenario/verify.h"

namespace flashscope::terminal {

struct RunReport {
  Outputs outputs;
  RunTotals totals;
  Verification verification;
  double seconds = 0;  // of the attention alone
};

RunReport run_and_verify(const Scenario& scenario, const Program& program,
                         const VerifyOptions& options);

void print_run(const Scenario& scenario, const Program& program, const RunReport& report);
Json run_json(const Scenario& scenario, const Program& program, const RunReport& report);

// The error against fp64 in one line.
std::string error_line(const RunReport& report);

}  // namespace flashscope::terminal
