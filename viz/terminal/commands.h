// The subcommands of `flashscope`, one file each. Every function declares its options to the parser
// and returns what runs when the subcommand was chosen; the result is the exit code (0 done, 1 the
// check asked for failed). Mistakes of the user are thrown as Error.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "viz/terminal/problem_options.h"

namespace flashscope::terminal {

using Action = std::function<int()>;

Action add_tour(CLI::App& command);
Action add_walk(CLI::App& command);
Action add_count(CLI::App& command);
Action add_run(CLI::App& command);
Action add_diagnose(CLI::App& command);
Action add_fit(CLI::App& command);
Action add_device(CLI::App& command);
Action add_debug(CLI::App& command);
Action add_diff(CLI::App& command);
Action add_compare(CLI::App& command);
Action add_lesson(CLI::App& command);
Action add_gpu(CLI::App& command);

// The whole command line program. Never throws: prints one line and returns 2 for a user's mistake.
int run_command_line(int argc, const char* const* argv);

}  // namespace flashscope::terminal
