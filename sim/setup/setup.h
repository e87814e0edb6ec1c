// From options to what the simulator needs: problem, tensors, algorithm, tiling, precision. Every
// contradiction between options, or between an option and a file, is an Error that names both.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/attention/program.h"
#include "sim/model/device.h"
#include "sim/model/sram_budget.h"
#include "sim/scenario/scenario.h"
#include "sim/setup/problem_options.h"

namespace flashscope {

// Whether a command computes on data (and so is bound by a device's SRAM when it picks the tiles).
// inspect: a tiling that does not fit is shown, not refused.
enum class Purpose { count, compute, inspect };

struct Setup {
  Problem problem;
  std::string title;                        // where the tensors come from
  std::function<Scenario()> make_scenario;  // reads or generates them
  std::vector<Program> programs;            // one per algorithm asked for
  std::string note;                         // what the user should know; often empty
};

// Throws Error. walk passes "pencil" as the problem to take when the options name none.
Setup set_up(const ProblemOptions& options, Purpose purpose, const std::string& default_problem);

// The same options with another table; those that it has no use for are left out. Throws Error.
ProblemOptions with_algorithm(ProblemOptions options, const std::string& name_or_path);

// The parts, for commands that need them alone.
struct ProblemSource {
  Problem problem;
  std::string title;
  std::function<Scenario()> make_scenario;
};
ProblemSource problem_source(const ProblemOptions& options, const std::string& default_problem);
std::vector<Algorithm> algorithms(const ProblemOptions& options);
Precision precision(const ProblemOptions& options, const Algorithm& algorithm, Format dtype);
// Everything of the tiling but the tile sizes.
Tiling base_tiling(const ProblemOptions& options, const Algorithm& algorithm);
const Device& device(const ProblemOptions& options);
Placement placement(const ProblemOptions& options);

}  // namespace flashscope
