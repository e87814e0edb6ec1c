// What `flashscope-gpu trace` shows.
#pragma once

#include "gpu/verify/trace_check.h"
#include "sim/scenario/problem_json.h"
#include "viz/terminal/problem_options.h"

namespace flashscope::terminal {

void print_trace_check(const gpu::TraceCheck& check);
Json to_json(const gpu::TraceCheck& check);

// `--all`: every traced kernel on trace_grid(), a line for each kernel and mask; of `options`,
// --algorithm and --json count. Returns the exit code.
int trace_whole_grid(gpu::Backend& backend, const ProblemOptions& options);

}  // namespace flashscope::terminal
