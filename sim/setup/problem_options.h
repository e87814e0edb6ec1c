// The problem options that every subcommand shares, as typed; setup.h turns them into a problem.
// One table lists them: the command line, session files and lessons all read it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace flashscope {

struct ProblemOptions {
  std::string problem;  // "pencil", "whisper-…" or empty
  std::optional<std::int64_t> batch, q_heads, kv_heads, q_len, kv_len, head_dim;
  std::optional<double> scale;
  std::optional<std::string> dtype;
  bool causal = false;
  std::optional<std::string> window, mask;

  std::string algorithm = "fa2";
  std::optional<std::string> fault;
  std::optional<std::int64_t> q_tile, kv_tile, splits;
  bool pack_gqa = false;
  std::string kv_order = "ascending";
  std::optional<double> rescale_threshold;
  std::string fa1_workspace = "fp32";
  std::optional<std::string> precision;
  std::optional<std::string> device;
  std::string placement = "kernel";

  std::optional<std::uint64_t> seed;
  std::optional<std::string> distribution;
  std::optional<std::string> q, k, v, tensors, prefix, layout;
  int threads = 0;

  bool json = false;

  // A table of one's own that lies in no file: what the window's editor holds. A session file keeps
  // it; no option sets it.
  std::optional<std::string> table;

  // The same schedule without what the problem and its tensors are.
  ProblemOptions without_problem() const;

  bool has_input() const { return q || k || v || tensors || prefix; }
  // Whether anything was said about what the problem is, its mask, scale and dtype apart: `walk
  // --causal` still means the pencil problem.
  bool names_a_size() const;
};

struct ProblemOption {
  using Member = std::variant<
      bool ProblemOptions::*, int ProblemOptions::*, std::string ProblemOptions::*,
      std::optional<std::string> ProblemOptions::*, std::optional<std::int64_t> ProblemOptions::*,
      std::optional<std::uint64_t> ProblemOptions::*, std::optional<double> ProblemOptions::*>;
  const char* name;  // "--q-len"
  Member member;     // a bool is a flag
  const char* group;
  const char* help;
};

// All but --json, in the order of --help.
std::span<const ProblemOption> problem_option_list();

// As tokens of a command line; what is at its default is left out.
std::vector<std::string> problem_arguments(const ProblemOptions& options);

// A word of a command line, quoted where a shell would take it apart.
std::string shell_word(const std::string& text);

// The table of defaults for --help.
std::string defaults_help();

}  // namespace flashscope
