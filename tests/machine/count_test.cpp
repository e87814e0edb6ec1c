// count() and the closed forms against a brute-force counter, as integers: a systematic grid and
// random problems, over every built-in algorithm.
#include "sim/machine/count.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "sim/attention/closed_forms.h"
#include "tests/machine/brute_force_count.h"

namespace flashscope::test {
namespace {

// Parsed once: thousands of programs use them.
const std::vector<Algorithm>& built_in_algorithms() {
  static const std::vector<Algorithm> kAlgorithms = [] {
    std::vector<Algorithm> algorithms;
    for (const std::string& name : built_in_algorithm_names()) {
      algorithms.push_back(load_algorithm(name));
    }
    return algorithms;
  }();
  return kAlgorithms;
}

void check_counts(const Sample& sample, const Algorithm& algorithm) {
  INFO(algorithm.name << ": " << describe(sample));
  const BruteForceCount expected = brute_force_count(sample, algorithm.name);
  const Count counted = count(Program(sample.problem, algorithm, sample.tiling, sample.precision));

  decltype(expected.traffic) traffic;
  for (const TrafficRow& row : counted.ledger.traffic()) {
    traffic[{row.phase, row.tensor, row.direction == Direction::load ? "load" : "store"}] =
        row.bytes;
  }
  CHECK(traffic == expected.traffic);
  CHECK(counted.ledger.load_bytes() == expected.load_bytes);
  CHECK(counted.ledger.store_bytes() == expected.store_bytes);
  CHECK(counted.ledger.init_bytes() == expected.init_bytes);
  CHECK(counted.ledger.total_bytes() == expected.load_bytes + expected.store_bytes);
  const Work& work = counted.ledger.work();
  CHECK(work.exponentials == expected.exponentials);
  CHECK(work.rescales == expected.rescales);
  CHECK(work.matmul_flops == expected.matmul_flops);
  CHECK(work.nonmatmul_flops == expected.nonmatmul_flops);
  CHECK(counted.useful_flops == expected.useful_flops);
  CHECK(counted.tiles.full == expected.full);
  CHECK(counted.tiles.partial == expected.partial);
  CHECK(counted.tiles.empty == expected.empty);
  CHECK(counted.work_items == expected.work_items);

  const auto closed =
      closed_form_bytes(sample.problem, sample.tiling, sample.precision, algorithm.name);
  REQUIRE(closed.has_value() == !sample.problem.mask.expression.has_value());
  if (closed) CHECK(*closed == expected.load_bytes + expected.store_bytes);
}

struct BandMask {
  bool causal;
  std::int64_t left, right;
};

// Every mask that the grid crosses with the shapes: the bands alone, then expressions alone and
// with a causal window.
std::vector<Sample> masked_samples() {
  std::vector<Sample> samples;
  const auto add = [&](const BandMask& band, const ExpressionMask& expression) {
    Sample& sample = samples.emplace_back();
    sample.problem.mask = {band.causal, band.left, band.right, std::nullopt};
    set_expression(sample, expression);
  };
  for (const BandMask& band : {BandMask{false, -1, -1},
                               {true, -1, -1},
                               {false, 3, 2},
                               {true, 4, -1},
                               {true, 0, 5},
                               {false, 0, 0},
                               {false, -1, 1},
                               {false, 2, -1}}) {
    add(band, expression_masks()[0]);
  }
  for (const ExpressionMask& expression : expression_masks().subspan(1)) {
    add({false, -1, -1}, expression);
    add({true, 6, -1}, expression);
  }
  return samples;
}

// Each combination of what the algorithms are told beside the problem.
std::vector<Tiling> tilings(const std::string& algorithm) {
  std::vector<Tiling> result;
  for (const auto& [q_rows, kv_rows] : {std::pair{4, 4}, {3, 5}, {32, 2}}) {
    for (const bool packed : {false, true}) {
      Tiling tiling;
      tiling.q_tile_rows = q_rows;
      tiling.kv_tile_rows = kv_rows;
      tiling.pack_gqa = packed;
      result.push_back(tiling);
      tiling.kv_order = KvOrder::descending;
      if (algorithm == "fa1") tiling.workspace_in_input_format = true;
      if (algorithm == "split_kv") tiling.splits = 3;
      result.push_back(tiling);
      if (algorithm == "split_kv") {
        tiling.splits = 7;
        result.push_back(tiling);
      }
    }
  }
  return result;
}

TEST_CASE("counts equal brute force over a grid of masks, heads, shapes and tilings") {
  constexpr std::pair<std::int64_t, std::int64_t> kHeads[] = {{2, 2}, {4, 2}, {3, 1}};
  struct Shape {
    std::int64_t q_len, kv_len;
    Format dtype;
  };
  constexpr Shape kShapes[] = {{12, 12, Format::fp16}, {13, 8, Format::fp32}, {7, 14, Format::bf16},
                               {1, 11, Format::e4m3},  {5, 0, Format::fp16},  {0, 5, Format::fp32}};
  for (const Algorithm& algorithm : built_in_algorithms()) {
    for (Sample sample : masked_samples()) {
      for (const auto& [q_heads, kv_heads] : kHeads) {
        for (const Shape& shape : kShapes) {
          sample.problem.batch = 2;
          sample.problem.q_heads = q_heads;
          sample.problem.kv_heads = kv_heads;
          sample.problem.q_len = shape.q_len;
          sample.problem.kv_len = shape.kv_len;
          sample.problem.head_dim = 3;
          sample.problem.dtype = shape.dtype;
          sample.precision = default_precision(algorithm, shape.dtype);
          for (const Tiling& tiling : tilings(algorithm.name)) {
            sample.tiling = tiling;
            check_counts(sample, algorithm);
          }
        }
      }
    }
  }
}

TEST_CASE("counts equal brute force on random problems") {
  constexpr std::uint64_t kFirstSeed = 20240611, kProblems = 1500;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kProblems; ++seed) {
    CAPTURE(seed);
    for (const Algorithm& algorithm : built_in_algorithms()) {
      Dice dice(seed);
      check_counts(random_sample(dice, algorithm.name, 40), algorithm);
    }
  }
}

TEST_CASE("a window wider than 64-bit sums allow is as good as unbounded") {
  Sample wide;
  wide.problem.q_len = 20;
  wide.problem.kv_len = 9;
  wide.problem.mask.window_left = INT64_MAX;
  wide.problem.mask.window_right = INT64_MAX;
  wide.tiling.q_tile_rows = 8;
  wide.tiling.kv_tile_rows = 4;
  Sample unbounded = wide;
  unbounded.problem.mask = {};
  for (const Algorithm& algorithm : built_in_algorithms()) {
    const auto bytes = [&](const Sample& sample) {
      const Program program(sample.problem, algorithm, sample.tiling, sample.precision);
      CHECK(closed_form_bytes(sample.problem, sample.tiling, sample.precision, algorithm.name) ==
            count(program).ledger.total_bytes());
      return count(program).ledger.total_bytes();
    };
    CHECK(bytes(wide) == bytes(unbounded));
  }
}

}  // namespace
}  // namespace flashscope::test
