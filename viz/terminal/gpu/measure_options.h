// What bench, tune and record share: which problem and kernels the options mean, how often a call
// is timed, and the date.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

#include "gpu/measure/measure.h"
#include "sim/scenario/problem_json.h"
#include "viz/terminal/problem_options.h"

namespace flashscope::terminal {

// The problem options, but those that only the simulator has: they are not in --help, and
// kernel_problem() refuses them.
void add_kernel_problem_options(CLI::App& command, ProblemOptions& options);

// Throws Error for an option that kernels have nothing for (a mask expression, a fault, an input
// file, …) and as problem_source() does. `command` is the one that the options were added to.
Problem kernel_problem(const CLI::App& command, const ProblemOptions& options);

// Throws Error "--sweep has problems of its own: leave out --causal" for an option that was given
// and is not one of `allowed` ("--seed", …).
void refuse_others(const CLI::App& command, const std::string& why,
                   std::initializer_list<std::string_view> allowed);

// The kernels that --algorithm means (a name, auto, or all), with the tiles and splits asked for.
std::vector<gpu::Choice> kernel_choices(const ProblemOptions& options);

std::uint64_t seed_of(const ProblemOptions& options);

// --repeat: timed runs of each call, 1…100000.
void add_repeat_option(CLI::App& command, int& repeats);
gpu::TimingOptions timing_options(int repeats);

// "2026-01-31".
std::string today();

Json device_json(const RecordedDevice& device);
// "NVIDIA H200, driver 580.1, clock 1980 MHz, 45 C, copy 4.31 TB/s".
std::string describe(const RecordedDevice& device);

}  // namespace flashscope::terminal
