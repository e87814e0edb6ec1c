// The subcommands of `flashscope-gpu` that check the kernels: verify and trace (those that measure
// are in measure_commands.h). As in viz/terminal/commands.h, each declares its options and returns
// what runs.
#pragma once

#include <CLI/App.hpp>

#include "viz/terminal/commands.h"

namespace flashscope::terminal {

Action add_gpu_verify(CLI::App& command);
Action add_gpu_trace(CLI::App& command);

}  // namespace flashscope::terminal
