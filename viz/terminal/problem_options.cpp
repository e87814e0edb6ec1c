// Declares the shared options to the command line parser; see problem_options.h.
#include "viz/terminal/problem_options.h"

#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope::terminal {

bool ProblemOptions::names_a_size() const {
  return !problem.empty() || batch || q_heads || kv_heads || q_len || kv_len || head_dim ||
         has_input();
}

ProblemOptions ProblemOptions::without_problem() const {
  ProblemOptions rest = *this;
  rest.problem.clear();
  rest.batch = rest.q_heads = rest.kv_heads = rest.q_len = rest.kv_len = rest.head_dim = {};
  rest.scale.reset();
  rest.dtype.reset();
  rest.causal = false;
  rest.window = rest.mask = {};
  rest.q_tile = rest.kv_tile = {};
  rest.seed.reset();
  rest.distribution.reset();
  rest.q = rest.k = rest.v = rest.tensors = rest.prefix = rest.layout = {};
  return rest;
}

void add_problem_options(CLI::App& command, ProblemOptions& options) {
  const auto group = [&](CLI::Option* option, const char* name) { option->group(name); };
  const char* shape = "Problem";
  group(
      command.add_option("--problem", options.problem,
                         "pencil (4x4, by hand), whisper-encoder, whisper-decoder, whisper-cross"),
      shape);
  group(command.add_option("--batch", options.batch, "batch size"), shape);
  group(command.add_option("--q-heads", options.q_heads, "query heads"), shape);
  group(command.add_option("--kv-heads", options.kv_heads, "kv heads; q heads are a multiple"),
        shape);
  group(command.add_option("--q-len", options.q_len, "query rows"), shape);
  group(command.add_option("--kv-len", options.kv_len, "keys"), shape);
  group(command.add_option("--head-dim", options.head_dim, "1 to 512"), shape);
  group(command.add_option("--scale", options.scale, "multiplies Q K'; any sign"), shape);
  group(command.add_option("--dtype", options.dtype, "fp32, fp16, bf16 or e4m3"), shape);
  group(command.add_flag("--causal", options.causal, "row r sees keys <= r + kv_len - q_len"),
        shape);
  group(command.add_option("--window", options.window,
                           "L,R keys left and right of the diagonal; -1 = unbounded"),
        shape);
  group(command.add_option("--mask", options.mask,
                           "expression over b h q k q_len kv_len, such as 'q>=k && q-k<128'"),
        shape);

  const char* input = "Input";
  group(command.add_option("--q", options.q, "FILE.npy or FILE.npz:member"), input);
  group(command.add_option("--k", options.k, "likewise"), input);
  group(command.add_option("--v", options.v, "likewise"), input);
  group(command.add_option("--tensors", options.tensors, "FILE.safetensors with PREFIX.q .k .v"),
        input);
  group(command.add_option("--prefix", options.prefix, "of the tensors' names"), input);
  group(command.add_option("--layout", options.layout, "bhsd or bshd"), input);
  group(command.add_option("--seed", options.seed, "of generated input"), input);
  group(command.add_option("--distribution", options.distribution,
                           "normal, outliers, constant:X or ramp"),
        input);

  const char* schedule = "Schedule";
  group(command.add_option("--algorithm", options.algorithm,
                           "standard, fa1, fa2, split_kv, a FILE.alg; count takes all"),
        schedule);
  group(command.add_option("--fault", options.fault,
                           "put in a known mistake, such as o_not_rescaled (see README.md)"),
        schedule);
  group(command.add_option("--q-tile", options.q_tile, "query rows of a tile"), schedule);
  group(command.add_option("--kv-tile", options.kv_tile, "keys of a tile"), schedule);
  group(command.add_option("--splits", options.splits, "parts of the keys, for split_kv"),
        schedule);
  group(command.add_flag("--pack-gqa", options.pack_gqa, "q heads of one kv head share q tiles"),
        schedule);
  group(command.add_option("--kv-order", options.kv_order, "ascending or descending"), schedule);
  group(command.add_option("--rescale-threshold", options.rescale_threshold,
                           "rescale O only where the max grew by more (fa2)"),
        schedule);
  group(command.add_option("--fa1-workspace", options.fa1_workspace,
                           "fp32, or input as the paper counts it"),
        schedule);
  group(command.add_option("--precision", options.precision,
                           "STAGE=FORMAT,... for input score probability accumulator output"),
        schedule);
  group(command.add_option("--device", options.device,
                           "toy, a100-40, a100-80, h100, h200: enforce "
                           "its SRAM"),
        schedule);
  group(command.add_option("--placement", options.placement,
                           "paper (all on chip in one SRAM) or kernel"),
        schedule);
  group(command.add_option("--threads", options.threads, "of this machine; 0 = all cores"),
        "Output");
  group(command.add_flag("--json", options.json, "machine-readable output"), "Output");
}

ProblemOptions parse_problem_arguments(const std::vector<std::string>& arguments) {
  CLI::App app;
  ProblemOptions options;
  add_problem_options(app, options);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::Error&) {
    throw Error("the session's \"arguments\" are no problem options of this version");
  }
  return options;
}

std::vector<std::string> problem_arguments(const ProblemOptions& options) {
  const ProblemOptions defaults;
  std::vector<std::string> tokens;
  const auto add = [&](const char* name, auto member) {
    const auto& value = options.*member;
    if (value == defaults.*member) return;
    tokens.emplace_back(name);
    if constexpr (requires { value.has_value(); }) {
      tokens.push_back(fmt::format("{}", *value));
    } else if constexpr (!std::is_same_v<decltype(member), bool ProblemOptions::*>) {
      tokens.push_back(fmt::format("{}", value));
    }
  };
  add("--problem", &ProblemOptions::problem);
  add("--batch", &ProblemOptions::batch);
  add("--q-heads", &ProblemOptions::q_heads);
  add("--kv-heads", &ProblemOptions::kv_heads);
  add("--q-len", &ProblemOptions::q_len);
  add("--kv-len", &ProblemOptions::kv_len);
  add("--head-dim", &ProblemOptions::head_dim);
  add("--scale", &ProblemOptions::scale);
  add("--dtype", &ProblemOptions::dtype);
  add("--causal", &ProblemOptions::causal);
  add("--window", &ProblemOptions::window);
  add("--mask", &ProblemOptions::mask);
  add("--q", &ProblemOptions::q);
  add("--k", &ProblemOptions::k);
  add("--v", &ProblemOptions::v);
  add("--tensors", &ProblemOptions::tensors);
  add("--prefix", &ProblemOptions::prefix);
  add("--layout", &ProblemOptions::layout);
  add("--seed", &ProblemOptions::seed);
  add("--distribution", &ProblemOptions::distribution);
  add("--algorithm", &ProblemOptions::algorithm);
  add("--fault", &ProblemOptions::fault);
  add("--q-tile", &ProblemOptions::q_tile);
  add("--kv-tile", &ProblemOptions::kv_tile);
  add("--splits", &ProblemOptions::splits);
  add("--pack-gqa", &ProblemOptions::pack_gqa);
  add("--kv-order", &ProblemOptions::kv_order);
  add("--rescale-threshold", &ProblemOptions::rescale_threshold);
  add("--fa1-workspace", &ProblemOptions::fa1_workspace);
  add("--precision", &ProblemOptions::precision);
  add("--device", &ProblemOptions::device);
  add("--placement", &ProblemOptions::placement);
  add("--threads", &ProblemOptions::threads);
  return tokens;
}

std::string defaults_help() {
  return "Defaults: batch 1, q-heads 1, kv-heads = q-heads, q-len 1024, kv-len = q-len, head-dim "
         "64,\n"
         "  scale head_dim^-1/2, dtype fp16 (files: theirs), algorithm fa2, splits 1 (split_kv: "
         "4),\n"
         "  tiles = the best that fit the device, device a100-80, seed 1, distribution normal,\n"
         "  layout bhsd; walk starts from --problem pencil. Lengths of files come from the "
         "files.\n";
}

}  // namespace flashscope::terminal
