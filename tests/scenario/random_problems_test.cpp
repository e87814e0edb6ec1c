// Problems of random shape, mask, grouping, scale, format, tiling and order, each on every
// algorithm: all rows against the fp64 reference, and the op-by-op ledger against the closed
// counts. A problem is a function of its number, which a failure names.
#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "run_support.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

constexpr int kProblems = kFastBuild ? 1000 : 60;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : generator_(seed) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[between(0, static_cast<std::int64_t>(choices.size()) - 1)];
  }

 private:
  std::mt19937_64 generator_;
};

Mask random_mask(Dice& dice) {
  Mask mask;
  mask.causal = dice.one_in(3);
  if (dice.one_in(4)) mask.window_left = dice.between(-1, 20);
  if (dice.one_in(4)) mask.window_right = dice.between(-1, 20);
  if (dice.one_in(3)) {
    mask.expression = expression::MaskExpression::parse(dice.pick({
        "q>=k && q-k<9 || k<2",
        "(q/4 + k/8) % 2 == 0",
        "k % 7 == h % 7 || q == k",
        "b == 0 || k > q",
        "k < 0",
        "q >= 0",
        "q*q + k*k < 400",
        "abs(q - k) > 6",
        "k < kv_len/3 || k >= kv_len - 2",
        "q % 5 != 3",
    }));
  }
  return mask;
}

Problem random_problem(Dice& dice) {
  Problem problem;
  problem.batch = dice.one_in(12) ? 0 : dice.between(1, 2);
  problem.kv_heads = dice.between(1, 2);
  problem.q_heads = problem.kv_heads * dice.between(1, 3);
  const auto length = [&] {
    if (dice.one_in(8)) return dice.between(0, 1);
    return dice.between(2, dice.one_in(20) ? 300 : 70);
  };
  problem.q_len = length();
  problem.kv_len = dice.one_in(3) ? problem.q_len : length();
  problem.head_dim = dice.pick<std::int64_t>({1, 2, 3, 8, 17, 32, 64});
  problem.scale = dice.pick({default_scale(problem.head_dim), default_scale(problem.head_dim), 1.0,
                             -0.125, 0.0, 2.5, -1.0});
  problem.dtype = dice.pick({Format::fp32, Format::fp32, Format::fp16, Format::bf16});
  problem.mask = random_mask(dice);
  return problem;
}

Tiling random_tiling(Dice& dice, const Problem& problem) {
  Tiling tiling;
  tiling.q_tile_rows = dice.pick<std::int64_t>({1, 2, 3, 5, 8, 16, 32, 64, 128});
  tiling.kv_tile_rows = dice.pick<std::int64_t>({1, 2, 3, 7, 8, 16, 32, 64, 128});
  tiling.pack_gqa = problem.q_heads > problem.kv_heads && dice.one_in(2);
  tiling.kv_order = dice.one_in(3) ? KvOrder::descending : KvOrder::ascending;
  return tiling;
}

// The four algorithms with the options that each has.
std::vector<Variant> random_variants(Dice& dice, const Tiling& tiling) {
  std::vector<Variant> variants;
  for (const char* name : {"standard", "fa1", "fa2", "split_kv"})
    variants.push_back({name, tiling});
  variants.back().tiling.splits = dice.pick<std::int64_t>({1, 2, 3, 4, 9});
  if (dice.one_in(3)) {
    // P grows to e^threshold, which must fit its format: fp16 ends at e^11.09.
    variants.push_back({"fa2", tiling});
    variants.back().tiling.rescale_threshold = dice.pick({0.0, 0.5, 4.0, 10.0});
  }
  return variants;
}

}  // namespace

TEST_CASE("random problems are right on every algorithm, and counted as they run") {
  for (int seed = 0; seed < kProblems; ++seed) {
    CAPTURE(seed);
    Dice dice(static_cast<std::uint64_t>(seed));
    const Problem problem = random_problem(dice);
    const Scenario scenario = generated_scenario(
        problem, static_cast<std::uint64_t>(seed),
        Distribution::parse(dice.pick({"normal", "normal", "outliers", "ramp", "constant:0.75"})));
    const Truth truth(scenario, problem.dtype);
    // Of a few numbers, the plain one's may all be lucky: there only the derived bound holds.
    const bool compare_with_plain = problem.dtype != Format::fp32 && truth.o().size() >= 100;
    const double plain =
        compare_with_plain ? plain_attention_error(scenario, problem.dtype, truth) : 0;
    for (const Variant& variant : random_variants(dice, random_tiling(dice, problem))) {
      const std::string what = describe(variant);
      CAPTURE(what);
      const Result result = check_variant(scenario, variant, truth);
      const std::int64_t rescales = result.totals.ledger.work().rescales;
      if (variant.tiling.rescale_threshold) {
        CHECK(result.totals.rescales_applied <= rescales);
      } else {
        CHECK(result.totals.rescales_applied == rescales);
      }
      if (compare_with_plain) {
        CHECK(truth.max_error(result.outputs) <=
              2 * plain + unit_roundoff(problem.dtype) * truth.max_o());
      }
    }
  }
}
