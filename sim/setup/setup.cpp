// Algorithms, precisions and tilings from options; see setup.h. Problems and tensors are in
// input_source.cpp.
#include "sim/setup/setup.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/attention/alg_parser.h"
#include "sim/attention/faults.h"
#include "sim/error.h"
#include "sim/model/fit.h"
#include "sim/model/sram_budget.h"
#include "sim/setup/parse_values.h"

namespace flashscope {
namespace {

constexpr const char* kDefaultDevice = "a100-80";
constexpr std::int64_t kDefaultSplits = 4;
constexpr std::int64_t kPencilTile = 2;
constexpr int kMostThreads = 256;

bool fits(const Algorithm& algorithm, const Problem& problem, const Tiling& tiling,
          const Precision& p, const ProblemOptions& options) {
  return budget(algorithm, problem, tiling, p, device(options), placement(options)).fits;
}

// The tile sizes that were asked for; those that were not are the best that fit the device.
Tiling choose_tiles(const ProblemOptions& options, const Problem& problem,
                    const Algorithm& algorithm, const Precision& p, Purpose purpose) {
  Tiling tiling = base_tiling(options, algorithm);
  validate(tiling);
  const bool chosen = !options.q_tile || !options.kv_tile;
  const bool enforce = purpose != Purpose::inspect &&
                       (options.device.has_value() || (chosen && purpose == Purpose::compute));
  if (options.problem == "pencil") {
    tiling.q_tile_rows = tiling.kv_tile_rows = kPencilTile;
  } else if (chosen) {
    const std::vector<FitCandidate> best =
        best_tilings(algorithm, problem, p, device(options), placement(options), tiling, 1);
    if (!best.empty()) tiling = best.front().tiling;
  }
  if (options.q_tile) tiling.q_tile_rows = *options.q_tile;
  if (options.kv_tile) tiling.kv_tile_rows = *options.kv_tile;
  validate(tiling);
  if (!enforce) return tiling;
  // Next to a tile size that was asked for, the other one may have to shrink.
  const std::int64_t smallest = device(options).smallest_tile_rows;
  std::int64_t* const free_side = options.q_tile ? &tiling.kv_tile_rows : &tiling.q_tile_rows;
  while (chosen && *free_side > smallest && !fits(algorithm, problem, tiling, p, options)) {
    *free_side /= 2;
  }
  require_fit(algorithm, problem, tiling, p, device(options), placement(options));
  return tiling;
}

// A mask that names h or b has a tile map for every head or batch, each with a list for every q
// tile.
void require_few_tile_maps(const Problem& problem) {
  if (!problem.mask.expression) return;
  const std::int64_t maps = (problem.mask.expression->uses_batch() ? problem.batch : 1) *
                            (problem.mask.expression->uses_head() ? problem.q_heads : 1);
  constexpr std::int64_t kMostRows = std::int64_t{1} << 24, kOverheadRows = 64;
  const std::int64_t rows = problem.q_len + problem.kv_len + kOverheadRows;
  if (maps > 1 && maps > kMostRows / rows) {
    throw Error(fmt::format(
        "--mask: it differs from head to head, and {} heads of {} x {} are more than this program "
        "lists; make the problem smaller, or leave h and b out of the mask",
        maps, problem.q_len, problem.kv_len));
  }
}

void set_stage(Precision& p, const std::string& stage, Format format, const std::string& text) {
  if (stage == "input") {
    p.input = format;
  } else if (stage == "score") {
    p.score = format;
  } else if (stage == "probability") {
    p.probability = format;
  } else if (stage == "accumulator") {
    p.accumulator = format;
  } else if (stage == "output") {
    p.output = format;
  } else {
    throw Error(
        fmt::format("--precision '{}': '{}' is no stage: use input, score, probability, "
                    "accumulator or output",
                    text, stage));
  }
}

}  // namespace

const Device& device(const ProblemOptions& options) {
  return find_device(options.device.value_or(kDefaultDevice));
}

Placement placement(const ProblemOptions& options) {
  if (options.placement == "paper") return Placement::paper;
  if (options.placement == "kernel") return Placement::kernel;
  throw Error(fmt::format("--placement '{}': use paper or kernel", options.placement));
}

std::vector<Algorithm> algorithms(const ProblemOptions& options) {
  if (options.algorithm != "all") {
    Algorithm algorithm = options.table ? parse_algorithm(*options.table, "edited table")
                                        : load_algorithm(options.algorithm);
    if (options.fault) apply_fault(algorithm, *options.fault);
    return {std::move(algorithm)};
  }
  if (options.fault) throw Error("--fault goes with one algorithm, not with --algorithm all");
  std::vector<Algorithm> all;
  for (const std::string& name : built_in_algorithm_names()) all.push_back(load_algorithm(name));
  return all;
}

ProblemOptions with_algorithm(ProblemOptions options, const std::string& name_or_path) {
  const Algorithm algorithm = load_algorithm(name_or_path);
  options.algorithm = name_or_path;
  options.table.reset();
  options.fault.reset();
  if (!algorithm.has_splits()) options.splits.reset();
  if (!algorithm.has_threshold()) options.rescale_threshold.reset();
  return options;
}

Precision precision(const ProblemOptions& options, const Algorithm& algorithm, Format dtype) {
  Precision p = default_precision(algorithm, dtype);
  if (!options.precision) return p;
  for (const std::string& item : split_list(*options.precision, ',')) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) {
      throw Error(fmt::format("--precision '{}': write STAGE=FORMAT, such as accumulator=fp16",
                              *options.precision));
    }
    set_stage(p, item.substr(0, equals), parse_format(item.substr(equals + 1), "--precision"),
              *options.precision);
  }
  return p;
}

Tiling base_tiling(const ProblemOptions& options, const Algorithm& algorithm) {
  Tiling tiling;
  const bool has_splits = algorithm.has_splits();
  // With `--algorithm all`, options of one algorithm are not held against the others.
  const bool lenient = options.algorithm == "all";
  if (options.splits && (has_splits || !lenient)) tiling.splits = *options.splits;
  if (!options.splits && has_splits) tiling.splits = kDefaultSplits;
  tiling.pack_gqa = options.pack_gqa;
  if (options.kv_order == "descending") {
    tiling.kv_order = KvOrder::descending;
  } else if (options.kv_order != "ascending") {
    throw Error(fmt::format("--kv-order '{}': use ascending or descending", options.kv_order));
  }
  if (!lenient || algorithm.has_threshold()) tiling.rescale_threshold = options.rescale_threshold;
  if (options.fa1_workspace == "input") {
    tiling.workspace_in_input_format = true;
  } else if (options.fa1_workspace != "fp32") {
    throw Error(fmt::format("--fa1-workspace '{}': use fp32 or input", options.fa1_workspace));
  }
  return tiling;
}

Setup set_up(const ProblemOptions& options, Purpose purpose, const std::string& default_problem) {
  ProblemOptions resolved = options;
  if (!default_problem.empty() && !options.names_a_size()) resolved.problem = default_problem;
  if (options.threads < 0 || options.threads > kMostThreads) {
    throw Error(fmt::format("--threads is {}: use 0 for all cores, or a number up to {}",
                            options.threads, kMostThreads));
  }
  ProblemSource source = problem_source(resolved, default_problem);
  require_few_tile_maps(source.problem);
  std::string note;
  if (options.fault) {
    const Fault& fault = find_fault(*options.fault);
    if (!can_show_on(fault, source.problem)) {
      note = fmt::format("{} shows only {}", fault.name, shows_where(fault.needs));
    }
  }
  Setup setup{source.problem, source.title, source.make_scenario, {}, std::move(note)};
  std::optional<Tiling> shared;  // one tiling for all algorithms that are compared
  if (options.algorithm == "all") {
    const Algorithm fa2 = load_algorithm("fa2");
    shared = choose_tiles(resolved, setup.problem, fa2,
                          precision(options, fa2, setup.problem.dtype), purpose);
  }
  for (Algorithm& algorithm : algorithms(options)) {
    const Precision p = precision(options, algorithm, setup.problem.dtype);
    Tiling tiling;
    if (shared) {
      tiling = base_tiling(options, algorithm);
      tiling.q_tile_rows = shared->q_tile_rows;
      tiling.kv_tile_rows = shared->kv_tile_rows;
    } else {
      tiling = choose_tiles(resolved, setup.problem, algorithm, p, purpose);
    }
    setup.programs.emplace_back(setup.problem, std::move(algorithm), tiling, p);
  }
  return setup;
}

}  // namespace flashscope
