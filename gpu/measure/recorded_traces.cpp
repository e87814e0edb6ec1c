// See recorded_traces.h.
#include "gpu/measure/recorded_traces.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "gpu/device/device_array.h"
#include "gpu/verify/cuda_backend.h"
#include "gpu/verify/trace_file.h"
#include "gpu/verify/trace_run.h"
#include "sim/error.h"
#include "sim/scenario/scenario.h"

namespace flashscope::gpu {
namespace {

Problem traced_problem() {
  Problem problem;
  problem.q_len = 40;
  problem.kv_len = 200;
  problem.head_dim = kTracedHeadDim;
  problem.scale = default_scale(problem.head_dim);
  problem.mask.causal = true;
  return problem;
}

// The lines of the file that write_trace() makes, which is where their form is decided.
std::vector<nlohmann::ordered_json> trace_lines(const Program& program,
                                                const ExpectedTrace& expected,
                                                const std::vector<PhaseLog>& logs) {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("flashscope-trace-{}", getpid()))
          .string();
  write_trace(path, program, expected, logs);
  std::vector<nlohmann::ordered_json> lines;
  {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      lines.push_back(nlohmann::ordered_json::parse(line));
    }
  }
  std::filesystem::remove(path);
  return lines;
}

}  // namespace

std::vector<RecordedTrace> recorded_traces(const std::function<void(const std::string&)>& note) {
  std::vector<RecordedTrace> traces;
  const Scenario scenario = generated_scenario(traced_problem(), 1, {});
  const std::unique_ptr<Backend> backend = cuda_backend();
  for (const Algorithm algorithm : {Algorithm::fa1, Algorithm::fa2}) {
    try {
      LaunchOptions options;
      options.algorithm = algorithm;
      const Program program = program_of(*backend, scenario, options);
      const ExpectedTrace expected = expected_trace(scenario, program);
      const TraceRun run = run_traced(*backend, scenario, options, expected);
      traces.push_back({name_of(algorithm), scenario.problem, program.tiling(),
                        trace_lines(program, expected, run.logs)});
    } catch (const Error& error) {
      if (!device_is_usable()) throw;
      note(fmt::format("no trace of {}: {}", name_of(algorithm), error.what()));
    }
  }
  return traces;
}

}  // namespace flashscope::gpu
