// `flashscope-gpu bench`: how fast the kernels are on this device, after their results were
// checked.
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "gpu/device/device_array.h"
#include "gpu/measure/bench_report.h"
#include "gpu/measure/tune_cache.h"
#include "sim/error.h"
#include "sim/io/message_text.h"
#include "sim/io/write_file.h"
#include "viz/terminal/gpu/measure_commands.h"
#include "viz/terminal/gpu/measure_options.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

struct BenchOptions {
  ProblemOptions problem;
  int repeats = 30;
  std::string sweep, svg, cache;
  bool tuned = false, once = false;
};

std::vector<Problem> problems_of(const CLI::App& command, const BenchOptions& options) {
  const Problem problem = kernel_problem(command, options.problem);
  if (options.sweep.empty()) return {problem};
  refuse_others(command, "--sweep has problems of its own",
                {"--sweep", "--dtype", "--seed", "--algorithm", "--q-tile", "--kv-tile", "--splits",
                 "--repeat", "--svg", "--tuned", "--cache", "--once", "--json"});
  return gpu::sweep(options.sweep, problem.dtype);
}

void check_together(const CLI::App& command, const BenchOptions& options) {
  if (options.once) {
    for (const char* const other : {"--repeat", "--svg", "--tuned", "--json"}) {
      if (command.get_option(other)->count() > 0) {
        throw Error(fmt::format("--once measures nothing: leave out {}", other));
      }
    }
  }
  if (!options.tuned) {
    if (!options.cache.empty()) throw Error("--cache is the file for --tuned: give that too");
    return;
  }
  const ProblemOptions& problem = options.problem;
  if (problem.q_tile || problem.kv_tile || problem.splits) {
    throw Error("--tuned chooses the tiles: leave out --q-tile, --kv-tile and --splits");
  }
  if (problem.algorithm == "auto") {
    throw Error("--algorithm auto is not tuned: name one algorithm, or all");
  }
  if (!options.cache.empty() && !std::filesystem::exists(options.cache)) {
    throw Error(fmt::format("--cache {}: there is no such file; flashscope-gpu tune makes one",
                            io::printable(options.cache)));
  }
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(fmt::format("--svg {}: {}", io::printable(folder), error.message()));
  io::require_writable(folder + "/plot.svg");
}

// The tiles that `tune` found best for this problem, where it has been run for the like of it.
gpu::Choice tuned_choice(const gpu::TuneCache& cache, const gpu::Bench& bench,
                         const Problem& problem, const gpu::Choice& choice) {
  const auto found =
      cache.find(gpu::TuneCache::key(bench.device().name, problem, choice.algorithm));
  if (!found) {
    fmt::print(stderr, "note: {} is not tuned for {}: its default tiles\n",
               gpu::name_of(choice.algorithm), describe(problem));
    return choice;
  }
  return {choice.algorithm, found->q_tile, found->kv_tile, found->splits};
}

std::string tiles_text(const RecordRow& row) {
  if (row.warps == 0) return "-";
  return fmt::format("{}x{}{}", row.tiling.q_tile_rows, row.tiling.kv_tile_rows,
                     row.tiling.splits > 1 ? fmt::format(" /{}", row.tiling.splits) : "");
}

// Rows of one problem, as they are done: a sweep takes a while.
void print_rows(const Problem& problem, const std::vector<gpu::BenchRow>& rows, double copy) {
  fmt::print("\n{}\n", styled(describe(problem), Style::title));
  Table table("llrrrrr");
  table.header({"algorithm", "tiles", "us", "min-max", "TFLOP/s", "GB/s", "of copy"});
  std::string failures;
  bool any = false;
  for (const gpu::BenchRow& row : rows) {
    if (!row.failed.empty()) {
      failures += wrapped(fmt::format("  {}: {}", row.row.algorithm, row.failed), 4) + "\n";
      continue;
    }
    any = true;
    const Spread& us = *row.row.us;
    table.row({styled(row.row.algorithm, Style::code), tiles_text(row.row),
               styled(fmt::format("{:.1f}", us.median), Style::number),
               fmt::format("{:.1f}-{:.1f}", us.min, us.max), fmt::format("{:.4g}", row.tflop_per_s),
               fmt::format("{:.4g}", row.gb_per_s),
               fmt::format("{:.1f}%", row.gb_per_s * 1e11 / copy)});
  }
  fmt::print("{}{}", any ? table.text() : "", styled(failures, Style::bad));
  std::fflush(stdout);
}

Json bench_json(const RecordedDevice& device, const std::vector<gpu::BenchRow>& rows) {
  Json list = Json::array();
  for (const gpu::BenchRow& row : rows) {
    Json json = to_json(row.row);
    const bool timed = row.failed.empty();
    json["tflop_per_s"] = timed ? Json(row.tflop_per_s) : Json(nullptr);
    json["gb_per_s"] = timed ? Json(row.gb_per_s) : Json(nullptr);
    json["share_of_copy"] = timed ? Json(row.gb_per_s * 1e9 / *device.copy_bytes_per_s) : Json();
    json["failed"] = timed ? Json(nullptr) : Json(row.failed);
    list.push_back(json);
  }
  return {{"schema", "flashscope.bench/1"},
          {"date", today()},
          {"device", device_json(device)},
          {"rows", list}};
}

// For a profiler: every call once, each behind a flush of L2, without warm-up or check.
int run_once(gpu::Bench& bench, const BenchOptions& options, const std::vector<Problem>& problems) {
  int call = 0;
  for (const Problem& problem : problems) {
    const gpu::DeviceProblem tensors(problem, seed_of(options.problem));
    for (const gpu::Choice& choice : kernel_choices(options.problem)) {
      RecordRow row;
      try {
        row = bench.planned(tensors, choice);
      } catch (const Error& error) {
        if (options.problem.algorithm != "all") throw;
        fmt::print(stderr, "note: {}\n", error.what());
        continue;
      }
      fmt::print("call {}: {} {}, {}\n", call++, row.algorithm, tiles_text(row), describe(problem));
      std::fflush(stdout);
      bench.run_once(tensors, choice);
    }
  }
  return 0;
}

std::vector<gpu::BenchRow> measure_problem(gpu::Bench& bench, const BenchOptions& options,
                                           const gpu::TuneCache& cache, const Problem& problem) {
  std::vector<gpu::BenchRow> rows;
  const std::vector<gpu::Choice> choices = kernel_choices(options.problem);
  const auto fails = [&](const gpu::Choice& choice, const std::string& why) {
    rows.push_back(gpu::failed_row(problem, gpu::name_of(choice.algorithm), why));
  };
  std::unique_ptr<gpu::DeviceProblem> tensors;
  try {
    tensors = std::make_unique<gpu::DeviceProblem>(problem, seed_of(options.problem));
  } catch (const Error& error) {
    // One problem alone is what was asked for; of a sweep, the others go on.
    if (options.sweep.empty() || !gpu::device_is_usable()) throw;
    for (const gpu::Choice& choice : choices) fails(choice, error.what());
    return rows;
  }
  for (gpu::Choice choice : choices) {
    try {
      if (options.tuned) choice = tuned_choice(cache, bench, problem, choice);
      rows.push_back(
          gpu::bench_row(bench.measure(*tensors, choice, timing_options(options.repeats))));
    } catch (const Error& error) {
      const bool alone = options.sweep.empty() && choices.size() == 1;
      if (alone || !gpu::device_is_usable()) throw;
      fails(choice, error.what());
    }
  }
  return rows;
}

int bench_command(const CLI::App& command, const BenchOptions& options) {
  const std::vector<Problem> problems = problems_of(command, options);
  kernel_choices(options.problem);  // a mistake in them is told before anything runs
  timing_options(options.repeats);
  check_together(command, options);
  gpu::TuneCache cache;
  if (options.tuned) {
    cache = gpu::TuneCache::read(options.cache.empty() ? gpu::TuneCache::default_path()
                                                       : options.cache);
  }
  if (!options.svg.empty()) make_folder(options.svg);
  gpu::Bench bench;
  if (options.once) return run_once(bench, options, problems);
  const double copy = bench.copy_bytes_per_s();
  std::vector<gpu::BenchRow> rows;
  for (const Problem& problem : problems) {
    const std::vector<gpu::BenchRow> more = measure_problem(bench, options, cache, problem);
    if (!options.problem.json) print_rows(problem, more, copy);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  const RecordedDevice device = bench.recorded_device();
  if (!options.svg.empty()) {
    for (const gpu::NamedPlot& plot :
         gpu::plots_of(rows, fmt::format("{}, {}", device.name, today()))) {
      const std::string path = options.svg + "/" + plot.file;
      io::write_text(path, gpu::svg_of(plot.plot));
      fmt::print(stderr, "wrote {}\n", path);
    }
  }
  if (options.problem.json) {
    fmt::print("{}\n", bench_json(device, rows).dump(2));
  } else {
    fmt::print("\n{}\n{}\n", wrapped(describe(device)),
               wrapped("TFLOP/s: 4 head_dim operations for each visible score. GB/s: Q, K, V, O "
                       "and LSE once each; of copy: of the bandwidth of a large copy. L2 is empty "
                       "before every call; results were checked against fp64."));
  }
  const auto failed = [](const gpu::BenchRow& row) {
    return !row.row.us && row.row.max_abs_error.has_value();
  };
  return std::any_of(rows.begin(), rows.end(), failed) ? 1 : 0;
}

}  // namespace

Action add_gpu_bench(CLI::App& command) {
  const auto options = std::make_shared<BenchOptions>();
  add_kernel_problem_options(command, options->problem);
  add_repeat_option(command, options->repeats);
  command.add_option("--sweep", options->sweep,
                     "many problems: paper (16k tokens, 2048 wide) or decode (one query)");
  command.add_option("--svg", options->svg, "write plots over the length into this folder");
  command.add_flag("--tuned", options->tuned, "with the tiles that `tune` found best");
  command.add_option("--cache", options->cache, "the file of `tune`, for --tuned");
  command
      .add_flag("--once", options->once,
                "each call once, behind a flush of L2, for a profiler such as ncu")
      ->group("");  // not in --help: for profilers, described in gpu/measure/README.md
  return [&command, options] { return bench_command(command, *options); };
}

}  // namespace flashscope::terminal
