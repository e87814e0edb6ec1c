// What the scenario tests share: problems in one line, every algorithm cut in several ways, and the
// truth with a bound on how far a right answer may lie from it. The bound is derived from the
// rounding of each stage, so a test names no tolerance of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/machine/runner.h"
#include "sim/scenario/scenario.h"

namespace flashscope::test {

// Large problems are left to builds that run at full speed.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
constexpr bool kFastBuild = true;
#else
constexpr bool kFastBuild = false;
#endif

// T(B, Hq, Hkv, Lq, Lk, D) of the cases: fp32, scale head_dim^-1/2, no mask.
Problem make_problem(std::int64_t batch, std::int64_t q_heads, std::int64_t kv_heads,
                     std::int64_t q_len, std::int64_t kv_len, std::int64_t head_dim);

using Fill = std::function<float(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>;
float zero(std::int64_t, std::int64_t, std::int64_t, std::int64_t);
Tensor filled(const Shape& shape, const Fill& fill);
// Q, K and V from functions of (batch, head, row, column).
Scenario make_scenario(const Problem& problem, const Fill& q, const Fill& k, const Fill& v);
Scenario random_scenario(const Problem& problem, std::uint64_t seed);  // normal

// The same elements at other strides, in a buffer that is NaN everywhere else. Element (0, 0, 0, 0)
// stands at `origin` of `elements`.
TensorView laid_out(const TensorView& source, const Shape& strides, std::int64_t origin,
                    std::int64_t elements);

// The definition of the mask, once more and on its own.
bool sees(const Problem& problem, std::int64_t batch, std::int64_t head, std::int64_t row,
          std::int64_t key);

struct Variant {
  std::string algorithm;
  Tiling tiling;
};
std::string describe(const Variant& variant);
Tiling tiles(std::int64_t q_tile_rows, std::int64_t kv_tile_rows);
// The four algorithms, split_kv with several numbers of splits, at one tiling.
std::vector<Variant> algorithms_at(const Tiling& tiling);
// Those at tiles of 1 x 1, at odd sizes and at sizes that hold the whole problem; and once more
// with packed GQA groups where several heads share keys.
std::vector<Variant> all_variants(const Problem& problem);

struct Result {
  Program program;
  Outputs outputs;
  RunTotals totals;
};
Result run_variant(const Scenario& scenario, const Variant& variant, int threads = 1);
Result run_table(const Scenario& scenario, const Algorithm& algorithm, const Tiling& tiling,
                 const Precision& precision, int threads = 1);

// O and LSE byte by byte.
bool same_bits(const Outputs& a, const Outputs& b);

// The fp64 reference of a whole scenario, and what rounding can do to each row.
class Truth {
 public:
  Truth(const Scenario& scenario, Format input);
  // Given answers instead of the reference's: O (batch, q_heads, q_len, head_dim) and LSE.
  Truth(const Scenario& scenario, Format input, std::vector<double> o, std::vector<double> lse);

  // The largest error as a share of its row's bound: right when at most 1. Infinite where one side
  // is NaN and the other is not, and where an empty row is not exactly O = 0, LSE = -inf.
  double worst_share(const Outputs& outputs, const Precision& precision) const;
  double max_error(const Outputs& outputs) const;  // of O
  double max_lse_error(const Outputs& outputs) const;
  double max_o() const;

  const std::vector<double>& o() const { return o_; }
  const std::vector<double>& lse() const { return lse_; }

 private:
  struct Bound {
    double o, lse;
  };
  void measure(const Scenario& scenario, Format input);
  Bound bound(std::size_t row, const Precision& precision) const;

  std::int64_t q_heads_, q_len_, kv_len_, head_dim_;
  double scale_;
  std::vector<double> o_, lse_;
  std::vector<double> largest_score_;  // per row: |scale| * |q| * max |k|, which no score exceeds
  std::vector<double> largest_value_;  // per row: max |V| of its head
};

// Half an ulp of 1: the relative error of rounding to the format.
double unit_roundoff(Format format);

// Runs one variant and checks it: every row within its bound, and the op-by-op ledger equal to
// count() as integers.
Result check_variant(const Scenario& scenario, const Variant& variant, const Truth& truth);
// All variants; `also` may check more.
void check_all_variants(const Scenario& scenario,
                        const std::function<void(const Outputs&)>& also = {});

// The largest error of O, before it is rounded, of standard attention in one precision: Q K', the
// scaled S and P are each rounded to the dtype, all else is fp64. Its own code throughout.
double plain_attention_error(const Scenario& scenario, Format dtype, const Truth& truth);

}  // namespace flashscope::test
