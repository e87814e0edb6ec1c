// One thing to try: a problem with its numbers, how it lies in memory, how it is called, and what
// the answer must be beyond what fp64 says.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gpu/verify/guarded_problem.h"
#include "gpu/verify/layout.h"
#include "sim/scenario/random.h"
#include "sim/scenario/scenario.h"

namespace flashscope::gpu {

// A value by position: (batch, head, row, column). Heads of K and V are kv heads.
using Fill = std::function<double(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>;

// A NaN in V, of all heads: 0 * NaN may carry it, within its column, to the rows of a q tile that
// visits its kv tile, also to those that do not see it.
struct NanValue {
  std::int64_t key = 0, column = 0;
};

struct Trial {
  Problem problem;
  Fill q, k, v;  // where there is none, random numbers:
  std::uint64_t seed = 1;
  Distribution distribution{};
  MemoryLayout layout = MemoryLayout::bhsd;

  // How to call. Algorithm and tiles are the verification's to choose.
  int splits = 0;
  bool with_lse = true, give_workspace = false, on_busy_stream = false;
  int calls = 1;  // more than one: all must give the same bits

  // What must hold besides the oracle.
  Fill exact_o;                       // every element of O, exactly
  std::optional<Problem> same_as;     // O and LSE have the bits of this problem's, same numbers
  std::optional<MemoryLayout> as_in;  // and of the problem in this layout
  std::optional<NanValue> nan_value;

  // Where it cannot be tried.
  bool scores_exceed_fp16 = false;   // not on standard in fp16, whose S ends at 65504
  bool nan_in_hidden_tiles = false;  // not on standard, which multiplies hidden tiles by 0
  bool default_tiles_only = false;   // too large to be tried with all of them

  // In the words of cases.cpp.
  Trial& causal();
  Trial& window(std::int64_t left, std::int64_t right);
  Trial& scale(double value);
  Trial& in(MemoryLayout value);
};

// head_dim and dtype of the trials that a case is asked for.
struct Element {
  std::int64_t head_dim = 64;
  Format dtype = Format::fp16;
};
Trial trial(const Element& element, std::int64_t batch, std::int64_t q_heads, std::int64_t kv_heads,
            std::int64_t q_len, std::int64_t kv_len);

// The tensors, in the problem's dtype.
Scenario make_scenario(const Trial& trial);

LaunchOptions launch_options(const Trial& trial, const KernelConfig& config);

// One line: "B2 H8/2 Lq 5 Lk 2 D64 fp16 causal, padded rows, splits 3".
std::string describe(const Trial& trial);

}  // namespace flashscope::gpu
