// Where a problem and its tensors come from: made up, generated, or files; see setup.h.
#include <algorithm>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/read_array.h"
#include "sim/io/safetensors.h"
#include "sim/scenario/from_arrays.h"
#include "sim/scenario/whisper.h"
#include "sim/setup/parse_values.h"
#include "sim/setup/setup.h"

namespace flashscope {
namespace {

constexpr std::int64_t kDefaultLength = 1024, kDefaultHeadDim = 64;

Mask parse_mask(const ProblemOptions& options) {
  Mask mask;
  mask.causal = options.causal;
  if (options.window) {
    const std::vector<std::int64_t> bounds = parse_integers(*options.window, "--window");
    if (bounds.size() != 2) {
      throw Error(fmt::format("--window '{}': write L,R, such as 127,0 or -1,0", *options.window));
    }
    mask.window_left = bounds[0];
    mask.window_right = bounds[1];
  }
  if (options.mask) {
    try {
      mask.expression = expression::MaskExpression::parse(*options.mask);
    } catch (const Error& error) {
      throw Error(fmt::format("--mask: {}", error.what()));
    }
  }
  return mask;
}

// An option that repeats what a file says is fine; one that contradicts it is not.
void require_same(const std::optional<std::int64_t>& option, std::int64_t value, const char* name,
                  const std::string& source) {
  if (option && *option != value) {
    throw Error(fmt::format("{} {} contradicts {}, which has {}: leave the option out", name,
                            *option, source, value));
  }
}

void check_against(const ProblemOptions& options, const Problem& problem,
                   const std::string& source) {
  require_same(options.batch, problem.batch, "--batch", source);
  require_same(options.q_heads, problem.q_heads, "--q-heads", source);
  require_same(options.kv_heads, problem.kv_heads, "--kv-heads", source);
  require_same(options.q_len, problem.q_len, "--q-len", source);
  require_same(options.kv_len, problem.kv_len, "--kv-len", source);
  require_same(options.head_dim, problem.head_dim, "--head-dim", source);
  if (options.seed || options.distribution) {
    throw Error(fmt::format("--seed and --distribution make up input; {} has its own", source));
  }
}

void apply_common(const ProblemOptions& options, Problem& problem) {
  if (options.dtype) problem.dtype = parse_format(*options.dtype, "--dtype");
  if (options.scale) problem.scale = *options.scale;
  const bool causal = problem.mask.causal;  // the decoder's tensors are causal by nature
  problem.mask = parse_mask(options);
  problem.mask.causal = problem.mask.causal || causal;
  validate(problem);
}

Distribution parse_distribution(const ProblemOptions& options) {
  try {
    return Distribution::parse(options.distribution.value_or("normal"));
  } catch (const Error& error) {
    throw Error(fmt::format("--distribution: {}", error.what()));
  }
}

Layout parse_layout(const ProblemOptions& options) {
  const std::string layout = options.layout.value_or("bhsd");
  if (layout == "bhsd") return Layout::bhsd;
  if (layout == "bshd") return Layout::bshd;
  throw Error(fmt::format("--layout '{}': use bhsd or bshd", layout));
}

Scenario read_files(const ProblemOptions& options) {
  const Layout layout = parse_layout(options);
  if (options.tensors || options.prefix) {
    if (options.q || options.k || options.v) {
      throw Error("--tensors and --q/--k/--v are two ways to give input: use one");
    }
    if (!options.tensors || !options.prefix) {
      throw Error(
          "--tensors FILE.safetensors and --prefix NAME go together (NAME.q, NAME.k, NAME.v)");
    }
    const auto file = io::SafetensorsFile::open(*options.tensors);
    const std::string& p = *options.prefix;
    return scenario_from_arrays(file.tensor(p + ".q"), file.tensor(p + ".k"), file.tensor(p + ".v"),
                                layout, p);
  }
  if (!options.q || !options.k || !options.v) {
    throw Error("--q, --k and --v go together: give all three");
  }
  return scenario_from_arrays(io::read_array(*options.q), io::read_array(*options.k),
                              io::read_array(*options.v), layout, *options.q);
}

ProblemSource from_scenario(const ProblemOptions& options, Scenario scenario) {
  check_against(options, scenario.problem, scenario.title);
  apply_common(options, scenario.problem);
  return {scenario.problem, scenario.title, [scenario] { return scenario; }};
}

}  // namespace

ProblemSource problem_source(const ProblemOptions& options, const std::string& default_problem) {
  if (options.has_input()) {
    if (!options.problem.empty()) throw Error("--problem and input files exclude each other");
    return from_scenario(options, read_files(options));
  }
  if (options.layout)
    throw Error("--layout describes input files: give --q, --k, --v or --tensors");
  const std::string name = options.names_a_size() ? options.problem : default_problem;
  if (name == "pencil") return from_scenario(options, pencil_scenario());
  for (const WhisperProblem& whisper : whisper_problems()) {
    if (name == whisper.name) return from_scenario(options, whisper_scenario(whisper));
  }
  if (!name.empty()) {
    std::vector<std::string> names = {"pencil"};
    for (const WhisperProblem& whisper : whisper_problems()) names.emplace_back(whisper.name);
    throw Error(fmt::format("--problem '{}': there is no such problem ({}); {}", name,
                            fmt::join(names, ", "), nearest_name(name, names)));
  }

  Problem problem;
  problem.batch = options.batch.value_or(1);
  problem.q_heads =
      options.q_heads.value_or(std::max<std::int64_t>(1, options.kv_heads.value_or(1)));
  problem.kv_heads = options.kv_heads.value_or(problem.q_heads);
  problem.q_len = options.q_len.value_or(kDefaultLength);
  problem.kv_len = options.kv_len.value_or(problem.q_len);
  problem.head_dim = options.head_dim.value_or(kDefaultHeadDim);
  validate(problem);  // before head_dim is used
  problem.scale = default_scale(problem.head_dim);
  apply_common(options, problem);
  const Distribution distribution = parse_distribution(options);
  const std::uint64_t seed = options.seed.value_or(1);
  const std::string title =
      fmt::format("{} input, seed {}", options.distribution.value_or("normal"), seed);
  return {problem, title, [=] {
            Scenario scenario = generated_scenario(problem, seed, distribution);
            scenario.title = title;
            return scenario;
          }};
}

}  // namespace flashscope
