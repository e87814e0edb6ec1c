// Problem options (sim/setup/problem_options.h) from a command line.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "sim/setup/problem_options.h"

namespace flashscope::terminal {

void add_problem_options(CLI::App& command, ProblemOptions& options);

// Options from tokens as one types them: the way back from problem_arguments(). Throws Error for
// tokens that are none.
ProblemOptions parse_problem_arguments(const std::vector<std::string>& arguments);

}  // namespace flashscope::terminal
