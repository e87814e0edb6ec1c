// `flashscope-gpu tune`: times every compiled config that fits, and remembers the fastest.
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "gpu/measure/bench_report.h"
#include "gpu/measure/tune.h"
#include "gpu/measure/tune_cache.h"
#include "sim/error.h"
#include "sim/io/write_file.h"
#include "viz/terminal/gpu/measure_commands.h"
#include "viz/terminal/gpu/measure_options.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

struct TuneOptions {
  ProblemOptions problem;
  int repeats = 30;
  std::string cache;
};

std::string config_text(const gpu::KernelConfig& c) {
  return fmt::format("{}x{}, {} warps, {} stages", c.q_tile_rows, c.kv_tile_rows, c.warps,
                     c.stages);
}

Json candidates_json(const std::vector<gpu::Candidate>& candidates) {
  Json list = Json::array();
  for (const gpu::Candidate& c : candidates) {
    if (c.pruned.empty()) continue;
    list.push_back({{"q_tile", c.config.q_tile_rows},
                    {"kv_tile", c.config.kv_tile_rows},
                    {"warps", c.config.warps},
                    {"stages", c.config.stages},
                    {"reason", c.pruned}});
  }
  return list;
}

void print_result(const gpu::TuneResult& result) {
  Table table("llrrrr");
  table.header({"tiles", "splits", "warps", "us", "TFLOP/s", "GB/s"});
  for (const RecordRow& row : result.rows) {
    const gpu::BenchRow figures = gpu::bench_row(row);
    table.row({fmt::format("{}x{}", row.tiling.q_tile_rows, row.tiling.kv_tile_rows),
               std::to_string(row.tiling.splits), std::to_string(row.warps),
               row.us ? fmt::format("{:.1f}", row.us->median) : "wrong",
               row.us ? fmt::format("{:.4g}", figures.tflop_per_s) : "-",
               row.us ? fmt::format("{:.4g}", figures.gb_per_s) : "-"});
  }
  fmt::print("{}", table.text());
  std::size_t pruned = 0;
  for (const gpu::Candidate& c : result.candidates) pruned += c.pruned.empty() ? 0 : 1;
  fmt::print("  {} compiled, {} pruned\n", result.candidates.size(), pruned);
  for (const gpu::Candidate& c : result.candidates) {
    if (c.pruned.empty()) continue;
    fmt::print("{}\n", wrapped(fmt::format("    {}: {}", config_text(c.config), c.pruned), 6));
  }
}

int tune_command(const CLI::App& command, const TuneOptions& options) {
  const Problem problem = kernel_problem(command, options.problem);
  if (options.problem.q_tile || options.problem.kv_tile || options.problem.splits) {
    throw Error("--q-tile, --kv-tile and --splits are what tune searches: leave them out");
  }
  const std::vector<gpu::Choice> choices = kernel_choices(options.problem);
  if (options.problem.algorithm == "auto") {
    throw Error("--algorithm auto: tune one algorithm, or all");
  }
  const std::string path = options.cache.empty() ? gpu::TuneCache::default_path() : options.cache;
  gpu::TuneCache cache = gpu::TuneCache::read(path);
  const gpu::TimingOptions timing = timing_options(options.repeats);
  if (std::filesystem::exists(path)) io::require_writable(path);
  gpu::Bench bench;
  gpu::DeviceProblem tensors(problem, seed_of(options.problem));
  Json algorithms = Json::array();
  bool wrong = false;
  for (const gpu::Choice& choice : choices) {
    const std::string name = gpu::name_of(choice.algorithm);
    gpu::TuneResult result;
    try {
      result = gpu::tune(bench, tensors, choice.algorithm, timing);
    } catch (const Error& error) {
      if (choices.size() == 1 || !gpu::device_is_usable()) throw;
      fmt::print(stderr, "note: {}: {}\n", name, error.what());
      continue;
    }
    const bool found = !result.rows.empty() && result.rows.front().us;
    if (found) {
      const RecordRow& best = result.rows.front();
      cache.set(
          gpu::TuneCache::key(bench.device().name, problem, choice.algorithm),
          {static_cast<int>(best.tiling.q_tile_rows), static_cast<int>(best.tiling.kv_tile_rows),
           choice.algorithm == gpu::Algorithm::split_kv ? static_cast<int>(best.tiling.splits) : 0,
           best.us->median});
    }
    Json rows = Json::array();
    for (const RecordRow& row : result.rows) {
      wrong = wrong || !row.us;
      rows.push_back(to_json(row));
    }
    algorithms.push_back({{"name", name},
                          {"rows", rows},
                          {"compiled", result.candidates.size()},
                          {"pruned", candidates_json(result.candidates)}});
    if (!options.problem.json) {
      fmt::print("\n{}\n", styled(fmt::format("{}, {}", name, describe(problem)), Style::title));
      print_result(result);
    }
  }
  cache.write(path);
  if (options.problem.json) {
    const Json output = {{"schema", "flashscope.tuning/1"},
                         {"device", device_json(bench.recorded_device())},
                         {"problem", to_json(problem)},
                         {"cache", path},
                         {"algorithms", algorithms}};
    fmt::print("{}\n", output.dump(2));
  } else {
    fmt::print("\n{}\n",
               wrapped(fmt::format("Winners are in {}; `bench --tuned` takes them.", path)));
  }
  return wrong ? 1 : 0;
}

}  // namespace

Action add_gpu_tune(CLI::App& command) {
  const auto options = std::make_shared<TuneOptions>();
  add_kernel_problem_options(command, options->problem);
  add_repeat_option(command, options->repeats);
  command.add_option("--cache", options->cache,
                     "where winners are kept (default ~/.cache/flashscope/tune.json)");
  return [&command, options] { return tune_command(command, *options); };
}

}  // namespace flashscope::terminal
