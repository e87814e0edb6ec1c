// Small problems for tests that hold the program and its counts against brute force: a systematic
// choice of masks, each with the naive predicate it must equal, and a random generator of
// everything else. The predicates share nothing with the mask expressions or the tile plan.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "sim/attention/problem.h"
#include "sim/attention/tiling.h"

namespace flashscope::test {

// One element of the score matrices.
struct Element {
  std::int64_t b, h, q, k, q_len, kv_len;
};

struct ExpressionMask {
  const char* text;  // empty: no expression
  bool (*shows)(const Element&);
};

inline std::span<const ExpressionMask> expression_masks() {
  static constexpr std::array kMasks = std::to_array<ExpressionMask>({
      {"", [](const Element&) { return true; }},
      {"1", [](const Element&) { return true; }},
      {"0", [](const Element&) { return false; }},
      {"q>=k && q-k<6 || k<2",
       [](const Element& e) { return (e.q >= e.k && e.q - e.k < 6) || e.k < 2; }},
      {"k/4 == q/4", [](const Element& e) { return e.k / 4 == e.q / 4; }},
      {"k/5%2 == 0 && q != 2",  // whole tiles missing between visited ones, and an unseen row
       [](const Element& e) { return e.k / 5 % 2 == 0 && e.q != 2; }},
      {"h%2 == 0 ? k <= q : k >= q",
       [](const Element& e) { return e.h % 2 == 0 ? e.k <= e.q : e.k >= e.q; }},
      {"(q + k + b) % 3 != 0", [](const Element& e) { return (e.q + e.k + e.b) % 3 != 0; }},
      {"b == 1 && h == 0 || k % 7 == 0 && q < 7",
       [](const Element& e) { return (e.b == 1 && e.h == 0) || (e.k % 7 == 0 && e.q < 7); }},
      {"k < kv_len - 4*h && q < q_len - 2*b",
       [](const Element& e) { return e.k < e.kv_len - 4 * e.h && e.q < e.q_len - 2 * e.b; }},
  });
  return kMasks;
}

struct Sample {
  Problem problem;
  Tiling tiling;
  Precision precision;
  bool (*shows)(const Element&) = expression_masks()[0].shows;
};

inline void set_expression(Sample& sample, const ExpressionMask& mask) {
  sample.shows = mask.shows;
  sample.problem.mask.expression.reset();
  if (*mask.text != '\0') {
    sample.problem.mask.expression = expression::MaskExpression::parse(mask.text);
  }
}

// The definition, element by element.
inline bool visible(const Sample& sample, std::int64_t b, std::int64_t h, std::int64_t q,
                    std::int64_t k) {
  const Problem& problem = sample.problem;
  const std::int64_t diagonal = q + problem.kv_len - problem.q_len;
  if (problem.mask.causal && k > diagonal) return false;
  if (problem.mask.window_left >= 0 && k < diagonal - problem.mask.window_left) return false;
  if (problem.mask.window_right >= 0 && k > diagonal + problem.mask.window_right) return false;
  return sample.shows({b, h, q, k, problem.q_len, problem.kv_len});
}

inline std::string describe(const Sample& sample) {
  const Tiling& tiling = sample.tiling;
  return flashscope::describe(sample.problem) + " B" + std::to_string(sample.problem.batch) +
         " tiles " + std::to_string(tiling.q_tile_rows) + "x" +
         std::to_string(tiling.kv_tile_rows) + " splits " + std::to_string(tiling.splits) +
         (tiling.pack_gqa ? " packed" : "") +
         (tiling.kv_order == KvOrder::descending ? " descending" : "") +
         (tiling.workspace_in_input_format ? " workspace input" : "");
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  // In [low, high]. Not std::uniform_int_distribution, which differs between libraries.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(std::int64_t one_in) { return between(1, one_in) == 1; }

 private:
  std::mt19937_64 engine_;
};

// Any legal problem with up to `longest` rows and keys. Splits and a rescale threshold only where
// the algorithm knows them.
inline Sample random_sample(Dice& dice, const std::string& algorithm, std::int64_t longest) {
  Sample sample;
  Problem& problem = sample.problem;
  problem.batch = dice.chance(20) ? 0 : dice.between(1, 2);
  problem.kv_heads = dice.between(1, 2);
  problem.q_heads = problem.kv_heads * dice.between(1, 3);
  problem.q_len = dice.between(0, longest);
  problem.kv_len = dice.chance(3) ? problem.q_len : dice.between(0, longest);
  problem.head_dim = dice.between(1, 9);
  problem.mask.causal = dice.chance(3);
  if (dice.chance(3)) problem.mask.window_left = dice.between(-1, longest / 2);
  if (dice.chance(3)) problem.mask.window_right = dice.between(-1, longest / 2);
  if (dice.chance(2)) {
    const auto masks = expression_masks();
    const auto last = static_cast<std::int64_t>(masks.size()) - 1;
    set_expression(sample, masks[static_cast<std::size_t>(dice.between(0, last))]);
  }

  Tiling& tiling = sample.tiling;
  tiling.q_tile_rows = dice.between(1, 9);
  tiling.kv_tile_rows = dice.between(1, 9);
  tiling.pack_gqa = dice.chance(2);
  if (dice.chance(2)) tiling.kv_order = KvOrder::descending;
  tiling.workspace_in_input_format = dice.chance(2);
  if (algorithm == "split_kv") tiling.splits = dice.between(1, 6);
  if (algorithm == "fa2" && dice.chance(4)) tiling.rescale_threshold = 6.0;

  const auto any_format = [&] {
    constexpr std::array kFormats = {Format::fp32, Format::fp16, Format::bf16, Format::e4m3};
    return kFormats[static_cast<std::size_t>(dice.between(0, 3))];
  };
  sample.precision = {any_format(), any_format(), any_format(), any_format(), any_format()};
  problem.dtype = sample.precision.input;
  return sample;
}

}  // namespace flashscope::test
