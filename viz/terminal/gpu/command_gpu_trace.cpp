// `flashscope-gpu trace`: the traced build of a kernel held against the Program of its plan.
#include <array>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "gpu/verify/cuda_backend.h"
#include "gpu/verify/trace_check.h"
#include "gpu/verify/trace_file.h"
#include "sim/error.h"
#include "sim/io/write_file.h"
#include "sim/scenario/problem_json.h"
#include "sim/setup/setup.h"
#include "viz/terminal/gpu/gpu_commands.h"
#include "viz/terminal/gpu/measure_options.h"
#include "viz/terminal/gpu/trace_report.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

struct TraceCommandOptions {
  ProblemOptions problem;
  std::string out;
  bool all = false;
};

void refuse_what_kernels_lack(const ProblemOptions& o) {
  const std::array<std::pair<bool, const char*>, 9> refused = {{
      {o.mask.has_value(), "--mask"},
      {o.fault.has_value(), "--fault"},
      {o.precision.has_value(), "--precision"},
      {o.rescale_threshold.has_value(), "--rescale-threshold"},
      {o.device.has_value(), "--device"},
      {o.placement != "kernel", "--placement"},
      {o.kv_order != "ascending", "--kv-order"},
      {o.fa1_workspace != "fp32", "--fa1-workspace"},
      {o.pack_gqa, "--pack-gqa"},
  }};
  for (const auto& [given, option] : refused) {
    if (given)
      throw Error(fmt::format("{}: the kernels have no such option: leave it out", option));
  }
}

gpu::LaunchOptions launch_options(const gpu::Choice& choice) {
  gpu::LaunchOptions options;
  options.algorithm = choice.algorithm;
  options.q_tile = choice.q_tile;
  options.kv_tile = choice.kv_tile;
  options.splits = choice.splits;
  return options;
}

int trace_one_problem(const TraceCommandOptions& options) {
  refuse_what_kernels_lack(options.problem);
  const ProblemSource source = problem_source(options.problem, "");
  const std::vector<gpu::Choice> choices = kernel_choices(options.problem);
  if (choices.size() > 1 && !options.out.empty()) {
    throw Error("--out keeps the trace of one kernel: name it with --algorithm");
  }
  if (!options.out.empty()) io::require_writable(options.out);
  const std::unique_ptr<gpu::Backend> backend = gpu::cuda_backend();
  Scenario scenario = source.make_scenario();
  scenario.problem = source.problem;
  // A call's scale is an fp32 number.
  scenario.problem.scale = static_cast<float>(scenario.problem.scale);
  bool passed = true;
  Json runs = Json::array();
  if (!options.problem.json) fmt::print("{}\n", styled(backend->description(), Style::title));
  for (const gpu::Choice& choice : choices) {
    const gpu::TraceCheck check = gpu::check_trace(*backend, scenario, launch_options(choice));
    passed = passed && check.passed();
    if (options.problem.json) {
      runs.push_back(to_json(check));
    } else {
      print_trace_check(check);
    }
    if (options.out.empty()) continue;
    const std::int64_t records =
        gpu::write_trace(options.out, check.program, check.expected, check.logs);
    fmt::print(stderr, "flashscope-gpu: {} records written to {}\n", grouped(records), options.out);
  }
  if (options.problem.json) {
    fmt::print("{}\n", Json{{"schema", "flashscope.gpu_trace/1"},
                            {"device", backend->description()},
                            {"runs", runs}}
                           .dump(2));
  }
  return passed ? 0 : 1;
}

int trace_command(const CLI::App& command, const TraceCommandOptions& options) {
  if (!options.all) return trace_one_problem(options);
  refuse_others(command, "--all has problems of its own", {"--all", "--algorithm", "--json"});
  if (options.problem.algorithm != "all") gpu::algorithm_of(options.problem.algorithm);
  return trace_whole_grid(*gpu::cuda_backend(), options.problem);
}

}  // namespace

Action add_gpu_trace(CLI::App& command) {
  const auto options = std::make_shared<TraceCommandOptions>();
  add_problem_options(command, options->problem);
  command.add_option("--out", options->out, "keep the trace, for `flashscope diff --trace FILE`");
  command.add_flag("--all", options->all, "every traced kernel on a grid of problems");
  command.footer(
      "Per phase and work item the kernel must visit the tiles that the simulator's\n"
      "Program visits, in its order, with the same m and l behind each step. Traced\n"
      "kernels are built for head_dim 64. Exit code 1 when they differ.");
  const CLI::Option* algorithm = command.get_option("--algorithm");
  return [&command, options, algorithm] {
    if (options->all && algorithm->count() == 0) options->problem.algorithm = "all";
    return trace_command(command, *options);
  };
}

}  // namespace flashscope::terminal
