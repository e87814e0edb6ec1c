// Options of a tiling that change the work but not the answer: the rescale threshold, the order of
// the keys, fa1's workspace format, and the number of splits.
#include <cmath>
#include <limits>
#include <map>

#include <doctest/doctest.h>

#include "run_support.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

// Small integers, so that every score is exact in fp32 and maxima can be compared without error.
Scenario integer_scenario(const Problem& problem) {
  const auto integer = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return static_cast<float>((37 * a + 17 * b + 29 * c * c + 11 * d * (c + 1)) % 9 - 4);
  };
  return make_scenario(problem, integer, integer, integer);
}

// Rows x steps after a q tile's first one in which the row's max grows by more than `threshold`,
// straight from the scores. A max that does not grow by more is kept, as is then every score's
// shift.
std::int64_t growing_steps(const Scenario& scenario, const Tiling& tiling, double threshold) {
  const Problem& problem = scenario.problem;
  const reference::Inputs inputs = reference_inputs(scenario, Format::fp32, ReferenceInput::exact);
  const auto width = static_cast<std::size_t>(problem.head_dim);
  std::vector<double> q(width), k(width);
  std::int64_t growing = 0;
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t h = 0; h < problem.q_heads; ++h) {
      const std::int64_t kv_head = h / (problem.q_heads / problem.kv_heads);
      std::vector<double> max(static_cast<std::size_t>(problem.q_len),
                              -std::numeric_limits<double>::infinity());
      std::vector<bool> tile_has_begun(max.size());
      for (std::int64_t first_key = 0; first_key < problem.kv_len;
           first_key += tiling.kv_tile_rows) {
        std::map<std::int64_t, std::map<std::int64_t, double>> tile_max;  // q tile -> row -> max
        for (std::int64_t row = 0; row < problem.q_len; ++row) {
          inputs.q(b, h, row, q.data());
          for (std::int64_t key = first_key;
               key < std::min(first_key + tiling.kv_tile_rows, problem.kv_len); ++key) {
            if (!sees(problem, b, h, row, key)) continue;
            inputs.k(b, kv_head, key, k.data());
            double score = 0;
            for (std::size_t d = 0; d < width; ++d) score += q[d] * k[d];
            auto& rows = tile_max[row / tiling.q_tile_rows];
            const auto place = rows.emplace(row, score * problem.scale).first;
            place->second = std::max(place->second, score * problem.scale);
          }
        }
        for (const auto& [tile, rows] : tile_max) {
          const auto index = static_cast<std::size_t>(tile);
          for (const auto& [row, value] : rows) {
            double& running = max[static_cast<std::size_t>(row)];
            if (!(value - running > threshold)) continue;
            running = value;
            growing += tile_has_begun[index] ? 1 : 0;
          }
          tile_has_begun[index] = true;
        }
      }
    }
  }
  return growing;
}

std::vector<Problem> masked_problems() {
  std::vector<Problem> problems(4, make_problem(2, 2, 1, 26, 33, 4));
  for (Problem& problem : problems) problem.scale = 0.25;
  problems[1].mask.causal = true;
  problems[2].mask.window_left = 6;
  problems[2].mask.window_right = 1;
  problems[3].mask.expression = expression::MaskExpression::parse("(q + k/5) % 3 != 0");
  return problems;
}

}  // namespace

TEST_CASE("a rescale threshold of 0 rescales exactly the rows whose max grew, and changes no bit") {
  for (const Problem& problem : masked_problems()) {
    const Scenario scenario = integer_scenario(problem);
    for (const Tiling& tiling : {tiles(1, 1), tiles(4, 3), tiles(8, 5), tiles(64, 8)}) {
      const std::string what = describe(problem) + ": " + describe({"fa2", tiling});
      CAPTURE(what);
      const Result always = run_variant(scenario, {"fa2", tiling});
      Tiling with_threshold = tiling;
      with_threshold.rescale_threshold = 0;
      const Result result = run_variant(scenario, {"fa2", with_threshold});
      CHECK(same_bits(result.outputs, always.outputs));
      CHECK(result.totals.ledger.work() == always.totals.ledger.work());
      CHECK(result.totals.rescales_applied == growing_steps(scenario, tiling, 0));
      CHECK(result.totals.rescales_applied < always.totals.rescales_applied);
    }
  }
}

TEST_CASE("a larger rescale threshold rescales less and stays right") {
  for (const Problem& problem : masked_problems()) {
    const Scenario scenario = integer_scenario(problem);
    const Truth truth(scenario, Format::fp32);
    for (const Tiling& tiling : {tiles(1, 1), tiles(4, 3), tiles(8, 5)}) {
      std::int64_t before = std::numeric_limits<std::int64_t>::max();
      for (const double threshold : {0.0, 1.0, 4.0, 40.0, 64.0}) {
        Variant variant{"fa2", tiling};
        variant.tiling.rescale_threshold = threshold;
        const Result result = check_variant(scenario, variant, truth);
        CAPTURE(threshold);
        CHECK(result.totals.rescales_applied == growing_steps(scenario, tiling, threshold));
        CHECK(result.totals.rescales_applied <= before);
        before = result.totals.rescales_applied;
      }
    }
  }
}

TEST_CASE("an algorithm without a rescale threshold or splits says so") {
  const Scenario scenario = pencil_scenario();
  Tiling tiling = tiles(2, 2);
  tiling.rescale_threshold = 1;
  for (const char* name : {"standard", "fa1", "split_kv"}) {
    CHECK_THROWS_AS(run_variant(scenario, {name, tiling}), Error);
  }
  tiling = tiles(2, 2);
  tiling.splits = 2;
  for (const char* name : {"standard", "fa1", "fa2"}) {
    CHECK_THROWS_AS(run_variant(scenario, {name, tiling}), Error);
  }
}

TEST_CASE("keys in descending order give the same answer at the same cost") {
  for (const Problem& problem : masked_problems()) {
    const Scenario scenario = random_scenario(problem, 1);
    const Truth truth(scenario, Format::fp32);
    for (const Tiling& tiling : {tiles(1, 1), tiles(4, 3), tiles(8, 5), tiles(64, 64)}) {
      for (Variant variant : algorithms_at(tiling)) {
        const Result ascending = check_variant(scenario, variant, truth);
        variant.tiling.kv_order = KvOrder::descending;
        const Result descending = check_variant(scenario, variant, truth);
        CHECK(descending.totals.ledger.traffic() == ascending.totals.ledger.traffic());
        CHECK(descending.totals.ledger.work() == ascending.totals.ledger.work());
      }
    }
  }
}

TEST_CASE("fa1 with its workspace in the input format loses digits, not correctness") {
  Problem problem = make_problem(1, 2, 2, 40, 64, 16);
  problem.dtype = Format::fp16;
  const Scenario scenario = random_scenario(problem, 2);
  const Truth truth(scenario, problem.dtype);
  const double plain = plain_attention_error(scenario, problem.dtype, truth);
  Tiling tiling = tiles(8, 8);
  const Result fp32 = check_variant(scenario, {"fa1", tiling}, truth);
  tiling.workspace_in_input_format = true;
  const Result fp16 = run_variant(scenario, {"fa1", tiling});
  CHECK_FALSE(same_bits(fp16.outputs, fp32.outputs));
  CHECK(fp16.totals.ledger.all_load_bytes() < fp32.totals.ledger.all_load_bytes());
  // O passes through fp16 once more at each of the seven tiles before the last.
  CHECK(truth.max_error(fp16.outputs) <=
        2 * plain + (1 + 7) * unit_roundoff(problem.dtype) * truth.max_o());
  // m and l stay in fp32.
  CHECK(truth.max_lse_error(fp16.outputs) == truth.max_lse_error(fp32.outputs));
}

TEST_CASE("one split gives the bits of fa2") {
  for (const Format dtype : {Format::fp32, Format::fp16, Format::bf16}) {
    for (Problem problem : masked_problems()) {
      problem.dtype = dtype;
      const Scenario scenario = random_scenario(problem, 3);
      for (const Tiling& tiling : {tiles(1, 1), tiles(4, 3), tiles(64, 64)}) {
        CHECK(same_bits(run_variant(scenario, {"split_kv", tiling}).outputs,
                        run_variant(scenario, {"fa2", tiling}).outputs));
      }
    }
  }
}

TEST_CASE("a rescale threshold that P's format could not hold is refused") {
  Problem problem;
  problem.q_len = problem.kv_len = 8;
  problem.head_dim = 4;
  for (const auto& [dtype, limit] : {std::pair{Format::fp32, 64.0}, std::pair{Format::bf16, 64.0},
                                     std::pair{Format::fp16, 11.0}, std::pair{Format::e4m3, 6.0}}) {
    problem.dtype = dtype;
    const Algorithm fa2 = load_algorithm("fa2");
    const Precision precision = default_precision(fa2, dtype);
    Tiling tiling;
    tiling.rescale_threshold = limit;
    CHECK_NOTHROW(Program(problem, fa2, tiling, precision));
    tiling.rescale_threshold = limit + 0.5;
    CHECK_THROWS_AS(Program(problem, fa2, tiling, precision), Error);
  }
}
