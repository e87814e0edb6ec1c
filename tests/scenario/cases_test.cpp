// Small problems that broke real attention implementations, each with its right answer, on every
// algorithm at many tilings. The public reports are named with each. What is about memory rather
// than numbers (padding, canaries, repeated calls) is in cases_memory_test.cpp.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "run_support.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void check_rejected(const Problem& problem, const char* message) {
  for (const Variant& variant : algorithms_at(Tiling{})) {
    const Algorithm algorithm = load_algorithm(variant.algorithm);
    CHECK_THROWS_WITH_AS(Program(problem, algorithm, variant.tiling, Precision{}), message, Error);
  }
}

}  // namespace

TEST_CASE("case 1: causal rows before the first key are empty (flash-attention #1778)") {
  Problem problem = make_problem(1, 1, 1, 5, 2, 64);
  problem.mask.causal = true;
  const Scenario scenario = make_scenario(
      problem, zero, zero, [](auto, auto, auto key, auto) { return key == 0 ? 3.0F : 5.0F; });
  check_all_variants(scenario, [](const Outputs& outputs) {
    for (std::int64_t row = 0; row < 3; ++row) {
      CHECK(outputs.lse.at(0, 0, row, 0) == -kInfinity);
      CHECK(outputs.o.at(0, 0, row, 63) == 0);
    }
    CHECK(outputs.lse.at(0, 0, 3, 0) == 0);
    CHECK(outputs.o.at(0, 0, 3, 0) == 3);
    CHECK(outputs.lse.at(0, 0, 4, 0) == doctest::Approx(std::log(2.0)).epsilon(1e-7));
    CHECK(outputs.o.at(0, 0, 4, 63) == 4);
  });
}

TEST_CASE("case 2: one causal query sees every key (pytorch #108108, #103082)") {
  Scenario scenario = random_scenario(make_problem(1, 4, 4, 1, 16, 64), 2);
  for (const Variant& variant : all_variants(scenario.problem)) {
    const std::string what = describe(variant);
    CAPTURE(what);
    scenario.problem.mask.causal = false;
    const Result full = run_variant(scenario, variant);
    scenario.problem.mask.causal = true;
    CHECK(same_bits(run_variant(scenario, variant).outputs, full.outputs));
  }
  check_all_variants(scenario);
}

TEST_CASE("case 3: with one key only the last causal row sees it (flashinfer #4452)") {
  Problem problem = make_problem(1, 2, 1, 4, 1, 128);
  problem.mask.causal = true;
  problem.scale = 0.25;
  const Scenario scenario = make_scenario(
      problem, [](auto, auto, auto row, auto) { return row == 3 ? 2.0F : 7.0F; },
      [](auto...) { return 0.5F; }, [](auto, auto, auto, auto d) { return static_cast<float>(d); });
  check_all_variants(scenario, [](const Outputs& outputs) {
    for (std::int64_t head = 0; head < 2; ++head) {
      CHECK(outputs.lse.at(0, head, 2, 0) == -kInfinity);
      CHECK(outputs.o.at(0, head, 2, 127) == 0);
      CHECK(outputs.lse.at(0, head, 3, 0) == 0.25F * 128);
      CHECK(outputs.o.at(0, head, 3, 127) == 127);
    }
  });
}

TEST_CASE("case 4: no keys, no queries and no batch are legal (pytorch #165944)") {
  check_all_variants(random_scenario(make_problem(2, 2, 1, 3, 0, 8), 4), [](const Outputs& out) {
    for (std::int64_t row = 0; row < 3; ++row) {
      CHECK(out.lse.at(1, 1, row, 0) == -kInfinity);
      CHECK(out.o.at(1, 1, row, 7) == 0);
    }
  });
  check_all_variants(random_scenario(make_problem(2, 2, 1, 0, 5, 8), 4));
  check_all_variants(random_scenario(make_problem(0, 2, 1, 3, 5, 8), 4));
  check_all_variants(random_scenario(make_problem(1, 1, 1, 0, 0, 1), 4));
}

TEST_CASE("case 5: a negative scale takes the maximum after scaling (pytorch PR 105202)") {
  // Scaled scores -1000 and 0: a maximum of the raw scores would underflow both.
  Problem problem = make_problem(1, 1, 1, 1, 2, 1);
  problem.scale = -0.125;
  check_all_variants(make_scenario(
                         problem, [](auto...) { return 1.0F; },
                         [](auto, auto, auto key, auto) { return key == 0 ? 8000.0F : 0.0F; },
                         [](auto, auto, auto key, auto) { return static_cast<float>(key + 1); }),
                     [](const Outputs& outputs) {
                       CHECK(outputs.o.at(0, 0, 0, 0) == 2);
                       CHECK(outputs.lse.at(0, 0, 0, 0) == 0);
                     });
  Problem larger = make_problem(1, 2, 2, 9, 21, 16);
  larger.scale = -0.125;
  check_all_variants(random_scenario(larger, 5));
}

TEST_CASE("case 6: the tail tile is not counted (pytorch #181645, flashinfer #5090, #3716)") {
  for (const std::int64_t kv_len : {1, 63, 65, 129, 257, 449}) {
    CAPTURE(kv_len);
    const Scenario scenario = make_scenario(
        make_problem(1, 1, 1, 3, kv_len, 2), zero, [](auto...) { return 1.0F; },
        [](auto, auto, auto key, auto d) { return static_cast<float>(key * d); });
    check_all_variants(scenario, [&](const Outputs& outputs) {
      const double keys = static_cast<double>(kv_len);
      CHECK(outputs.lse.at(0, 0, 2, 0) == doctest::Approx(std::log(keys)).epsilon(1e-6));
      CHECK(outputs.o.at(0, 0, 2, 1) == doctest::Approx((keys - 1) / 2).epsilon(1e-5));
    });
  }
}

TEST_CASE("case 8: forty heads are right on every head (triton #2059)") {
  check_all_variants(random_scenario(make_problem(1, 40, 40, 8, 8, 128), 8));
}

TEST_CASE("case 10: any head dim from 1 to 512 is right, others are rejected") {
  for (const std::int64_t head_dim : {1, 63, 512}) {
    check_all_variants(random_scenario(make_problem(1, 1, 1, 7, 9, head_dim), 10));
  }
  check_rejected(make_problem(1, 1, 1, 4, 4, 513),
                 "--head-dim is 513: it must be between 1 and 512");
  check_rejected(make_problem(1, 1, 1, 4, 4, 0), "--head-dim is 0: it must be between 1 and 512");
}

TEST_CASE("case 11: the upper half of the head dim counts (triton #621)") {
  const Fill upper_half = [](auto, auto, auto row, auto d) {
    return d < 64 ? 0.0F : static_cast<float>((row + d) % 5) - 2.0F;
  };
  check_all_variants(
      make_scenario(make_problem(1, 1, 1, 6, 10, 128), upper_half, upper_half,
                    [](auto, auto, auto key, auto d) { return static_cast<float>(key - d % 3); }));
}

TEST_CASE("case 12: batches and heads are told apart (triton #6242, #5816)") {
  for (const std::int64_t kv_len : {1, 20}) {
    Scenario scenario = random_scenario(make_problem(2, 3, 3, 6, kv_len, 64), 12);
    scenario.inputs.v = filled({2, 3, kv_len, 64}, [](auto b, auto h, auto, auto) {
                          return static_cast<float>(3 * b + h + 1);
                        }).view();
    check_all_variants(scenario, [](const Outputs& outputs) {
      for (std::int64_t n = 0; n < 6; ++n) {
        CHECK(outputs.o.at(n / 3, n % 3, 5, 63) ==
              doctest::Approx(static_cast<double>(n + 1)).epsilon(1e-6));
      }
    });
  }
}

TEST_CASE("case 14: consecutive query heads share a kv head (ONNXim PR 34)") {
  Scenario scenario = random_scenario(make_problem(1, 28, 4, 3, 5, 8), 14);
  scenario.inputs.v = filled({1, 4, 5, 8}, [](auto, auto h, auto, auto) {
                        return static_cast<float>(h + 1);
                      }).view();
  check_all_variants(scenario, [](const Outputs& outputs) {
    for (std::int64_t head = 0; head < 28; ++head) {
      const auto expected = static_cast<double>(head / 7 + 1);
      CHECK(outputs.o.at(0, head, 2, 7) == doctest::Approx(expected).epsilon(1e-6));
    }
  });
}

TEST_CASE("case 15: q heads that are no multiple are rejected (flash-attention #397)") {
  check_rejected(make_problem(1, 6, 4, 4, 4, 8), "--q-heads 6 is not a multiple of --kv-heads 4");
}

TEST_CASE("case 16: a window of (127, 0) shows 128 keys (transformers #39408)") {
  Problem problem = make_problem(1, 1, 1, 256, 256, 2);
  problem.mask.window_left = 127;
  problem.mask.window_right = 0;
  check_all_variants(make_scenario(problem, zero, zero, zero), [](const Outputs& outputs) {
    CHECK(outputs.lse.at(0, 0, 200, 0) == doctest::Approx(std::log(128.0)).epsilon(1e-6));
    CHECK(outputs.lse.at(0, 0, 3, 0) == doctest::Approx(std::log(4.0)).epsilon(1e-6));
  });
}

TEST_CASE("case 17: a window of (0, 0) copies V (flash-attention #2574)") {
  Problem problem = make_problem(1, 2, 1, 21, 21, 4);
  problem.mask.window_left = problem.mask.window_right = 0;
  const Fill q = [](auto, auto h, auto row, auto d) { return static_cast<float>(h + row - d); };
  const Fill v = [](auto, auto, auto row, auto d) {
    return static_cast<float>(row - 8 * d) / 8.0F;
  };
  check_all_variants(make_scenario(problem, q, q, v), [&](const Outputs& outputs) {
    for (std::int64_t row = 0; row < 21; ++row) {
      float score = 0;
      for (std::int64_t d = 0; d < 4; ++d) {
        CHECK(outputs.o.at(0, 1, row, d) == v(0, 0, row, d));
        score += 0.5F * q(0, 1, row, d) * q(0, 0, row, d);
      }
      CHECK(outputs.lse.at(0, 1, row, 0) == score);
    }
  });
}

TEST_CASE("case 18: window bounds below -1 are rejected (flash-attention #1116)") {
  Problem problem = make_problem(1, 1, 1, 4, 4, 8);
  problem.mask.window_left = -2;
  check_rejected(problem, "--window: the left bound is -2: use 0 or more, or -1 for unbounded");
  problem.mask.window_left = -1;
  problem.mask.window_right = -7;
  check_rejected(problem, "--window: the right bound is -7: use 0 or more, or -1 for unbounded");
}

TEST_CASE("case 20: scores of 1e4 and inputs of 60000 make no inf - inf and no NaN") {
  Problem problem = make_problem(1, 1, 1, 2, 3, 1);
  problem.scale = 1;
  const auto sign = [](std::int64_t n) { return n == 0 ? 1.0F : -1.0F; };
  const Fill v = [](auto, auto, auto key, auto) {
    return static_cast<float>(key == 2 ? 7 : 2 * key + 1);
  };
  const auto check = [](const Outputs& outputs) {
    CHECK(outputs.o.at(0, 0, 0, 0) == 2);
    CHECK(outputs.o.at(0, 0, 1, 0) == 7);
  };
  const auto key_sign = [&](std::int64_t key) { return key < 2 ? 1.0F : -1.0F; };
  check_all_variants(make_scenario(
                         problem, [&](auto, auto, auto row, auto) { return 100 * sign(row); },
                         [&](auto, auto, auto key, auto) { return 100 * key_sign(key); }, v),
                     check);
  // Scores of +-60000, which fp16 holds: every algorithm.
  problem.dtype = Format::fp16;
  check_all_variants(make_scenario(
                         problem, [&](auto, auto, auto row, auto) { return sign(row); },
                         [&](auto, auto, auto key, auto) { return 60000 * key_sign(key); }, v),
                     check);
  // Scores of +-3.6e9, which fp16 does not hold: with S in fp32, where the flash algorithms keep
  // it.
  const Scenario huge = make_scenario(
      problem, [&](auto, auto, auto row, auto) { return 60000 * sign(row); },
      [&](auto, auto, auto key, auto) { return 60000 * key_sign(key); }, v);
  for (const Variant& variant : all_variants(problem)) {
    const std::string what = describe(variant);
    CAPTURE(what);
    const Algorithm algorithm = load_algorithm(variant.algorithm);
    Precision precision = default_precision(algorithm, Format::fp16);
    precision.score = Format::fp32;
    check(run_table(huge, algorithm, variant.tiling, precision).outputs);
  }
}
