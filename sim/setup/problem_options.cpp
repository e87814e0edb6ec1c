// The table of options; see problem_options.h.
#include "sim/setup/problem_options.h"

#include <type_traits>

#include <fmt/format.h>

namespace flashscope {
namespace {

const ProblemOption kOptions[] = {
    {"--problem", &ProblemOptions::problem, "Problem",
     "pencil (4x4, by hand), whisper-encoder, whisper-decoder, whisper-cross"},
    {"--batch", &ProblemOptions::batch, "Problem", "batch size"},
    {"--q-heads", &ProblemOptions::q_heads, "Problem", "query heads"},
    {"--kv-heads", &ProblemOptions::kv_heads, "Problem", "kv heads; q heads are a multiple"},
    {"--q-len", &ProblemOptions::q_len, "Problem", "query rows"},
    {"--kv-len", &ProblemOptions::kv_len, "Problem", "keys"},
    {"--head-dim", &ProblemOptions::head_dim, "Problem", "1 to 512"},
    {"--scale", &ProblemOptions::scale, "Problem", "multiplies Q K'; any sign"},
    {"--dtype", &ProblemOptions::dtype, "Problem", "fp32, fp16, bf16 or e4m3"},
    {"--causal", &ProblemOptions::causal, "Problem", "row r sees keys <= r + kv_len - q_len"},
    {"--window", &ProblemOptions::window, "Problem",
     "L,R keys left and right of the diagonal; -1 = unbounded"},
    {"--mask", &ProblemOptions::mask, "Problem",
     "expression over b h q k q_len kv_len, such as 'q>=k && q-k<128'"},
    {"--q", &ProblemOptions::q, "Input", "FILE.npy or FILE.npz:member"},
    {"--k", &ProblemOptions::k, "Input", "likewise"},
    {"--v", &ProblemOptions::v, "Input", "likewise"},
    {"--tensors", &ProblemOptions::tensors, "Input", "FILE.safetensors with PREFIX.q .k .v"},
    {"--prefix", &ProblemOptions::prefix, "Input", "of the tensors' names"},
    {"--layout", &ProblemOptions::layout, "Input", "bhsd or bshd"},
    {"--seed", &ProblemOptions::seed, "Input", "of generated input"},
    {"--distribution", &ProblemOptions::distribution, "Input",
     "normal, outliers, constant:X or ramp"},
    {"--algorithm", &ProblemOptions::algorithm, "Schedule",
     "standard, fa1, fa2, split_kv, a FILE.alg; count takes all"},
    {"--fault", &ProblemOptions::fault, "Schedule",
     "put in a known mistake, such as o_not_rescaled (see README.md)"},
    {"--q-tile", &ProblemOptions::q_tile, "Schedule", "query rows of a tile"},
    {"--kv-tile", &ProblemOptions::kv_tile, "Schedule", "keys of a tile"},
    {"--splits", &ProblemOptions::splits, "Schedule", "parts of the keys, for split_kv"},
    {"--pack-gqa", &ProblemOptions::pack_gqa, "Schedule", "q heads of one kv head share q tiles"},
    {"--kv-order", &ProblemOptions::kv_order, "Schedule", "ascending or descending"},
    {"--rescale-threshold", &ProblemOptions::rescale_threshold, "Schedule",
     "rescale O only where the max grew by more (fa2)"},
    {"--fa1-workspace", &ProblemOptions::fa1_workspace, "Schedule",
     "fp32, or input as the paper counts it"},
    {"--precision", &ProblemOptions::precision, "Schedule",
     "STAGE=FORMAT,... for input score probability accumulator output"},
    {"--device", &ProblemOptions::device, "Schedule",
     "toy, a100-40, a100-80, h100, h200: enforce its SRAM"},
    {"--placement", &ProblemOptions::placement, "Schedule",
     "paper (all on chip in one SRAM) or kernel"},
    {"--threads", &ProblemOptions::threads, "Output", "of this machine; 0 = all cores"},
};

}  // namespace

std::span<const ProblemOption> problem_option_list() { return kOptions; }

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

std::vector<std::string> problem_arguments(const ProblemOptions& options) {
  const ProblemOptions defaults;
  std::vector<std::string> tokens;
  for (const ProblemOption& option : problem_option_list()) {
    std::visit(
        [&](auto member) {
          const auto& value = options.*member;
          if (value == defaults.*member) return;
          tokens.emplace_back(option.name);
          if constexpr (requires { value.has_value(); }) {
            tokens.push_back(fmt::format("{}", *value));
          } else if constexpr (!std::is_same_v<decltype(member), bool ProblemOptions::*>) {
            tokens.push_back(fmt::format("{}", value));
          }
        },
        option.member);
  }
  return tokens;
}

std::string shell_word(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-=+,.:/") == std::string::npos;
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
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

}  // namespace flashscope
