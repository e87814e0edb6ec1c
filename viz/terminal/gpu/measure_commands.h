// The subcommands of `flashscope-gpu` that measure: bench, tune and record. As in
// viz/terminal/commands.h, each declares its options and returns what runs.
#pragma once

#include <CLI/App.hpp>

#include "viz/terminal/commands.h"

namespace flashscope::terminal {

Action add_gpu_bench(CLI::App& command);
Action add_gpu_tune(CLI::App& command);
Action add_gpu_record(CLI::App& command);

}  // namespace flashscope::terminal
