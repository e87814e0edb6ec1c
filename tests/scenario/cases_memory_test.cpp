// The reported cases that are about memory: what lies past the ends and between the rows of the
// inputs, what lies around the outputs, and whether a call can be repeated. The numbers are in
// cases_test.cpp.
#include <algorithm>
#include <limits>

#include <doctest/doctest.h>

#include "run_support.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

// Every row is followed by 3 elements of NaN, every head by 2 rows of them, every batch by a head.
TensorView with_padding(const TensorView& source) {
  const std::int64_t row = source.shape[3] + 3;
  const std::int64_t head = row * (source.shape[2] + 2);
  const std::int64_t batch = head * (source.shape[1] + 1);
  return laid_out(source, {batch, head, row, 1}, row, row + batch * source.shape[0]);
}

// Outputs one batch, one head and one row larger than the problem's, full of canaries.
Outputs with_canaries(const Problem& problem, const Precision& precision) {
  const auto make = [&](Format format, std::int64_t width) {
    Tensor tensor(format, {problem.batch + 1, problem.q_heads + 1, problem.q_len + 1, width});
    const std::vector<float> canary(static_cast<std::size_t>(width), 12345.0F);
    for (std::int64_t b = 0; b <= problem.batch; ++b) {
      for (std::int64_t h = 0; h <= problem.q_heads; ++h) {
        for (std::int64_t r = 0; r <= problem.q_len; ++r) tensor.write_row(b, h, r, canary);
      }
    }
    return tensor;
  };
  return {make(precision.output, problem.head_dim), make(Format::fp32, 1)};
}

// Elements that differ from the canary where the problem has none.
int touched(const Tensor& tensor, const Problem& problem) {
  int count = 0;
  const auto& [batches, heads, rows, columns] = tensor.shape();
  for (std::int64_t b = 0; b < batches; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t r = 0; r < rows; ++r) {
        if (b < problem.batch && h < problem.q_heads && r < problem.q_len) continue;
        for (std::int64_t c = 0; c < columns; ++c) count += tensor.at(b, h, r, c) != 12345.0F;
      }
    }
  }
  return count;
}

}  // namespace

TEST_CASE("case 7: NaN past the ends and between rows never shows (flash-attention #1745, #1395)") {
  for (const bool causal : {false, true}) {
    Problem problem = make_problem(2, 4, 2, 7, 11, 5);
    problem.mask.causal = causal;
    const Scenario dense = random_scenario(problem, 7);
    Scenario padded = dense;
    padded.inputs = {with_padding(dense.inputs.q), with_padding(dense.inputs.k),
                     with_padding(dense.inputs.v)};
    for (const Variant& variant : all_variants(problem)) {
      const std::string what = describe(variant);
      CAPTURE(what);
      CHECK(same_bits(run_variant(padded, variant).outputs, run_variant(dense, variant).outputs));
    }
  }
}

TEST_CASE("case 9: nothing is written around O and LSE (flash-attention-minimal PR 2)") {
  for (const std::int64_t length : {1, 7, 31, 33}) {
    CAPTURE(length);
    Problem problem = make_problem(1, 2, 1, length, length, 6);
    problem.mask.causal = true;
    const Scenario scenario = random_scenario(problem, 9);
    const Truth truth(scenario, Format::fp32);
    for (const Variant& variant : all_variants(problem)) {
      const std::string what = describe(variant);
      CAPTURE(what);
      const Algorithm algorithm = load_algorithm(variant.algorithm);
      const Precision precision = default_precision(algorithm, problem.dtype);
      Outputs outputs = with_canaries(problem, precision);
      run(Program(problem, algorithm, variant.tiling, precision), scenario.inputs, outputs,
          {1, {}});
      CHECK(truth.worst_share(outputs, precision) <= 1);
      CHECK(touched(outputs.o, problem) == 0);
      CHECK(touched(outputs.lse, problem) == 0);
    }
  }
}

TEST_CASE("case 19: the same call a hundred times gives the same bits (xformers #1392)") {
  Problem problem = make_problem(1, 4, 2, 33, 45, 16);
  problem.mask.causal = true;
  problem.dtype = Format::fp16;
  const Scenario scenario = random_scenario(problem, 19);
  Tiling tiling = tiles(8, 16);
  tiling.pack_gqa = true;
  for (const Variant& variant : algorithms_at(tiling)) {
    const std::string what = describe(variant);
    CAPTURE(what);
    const Result first = run_variant(scenario, variant, 2);
    int different = 0;
    for (int n = 0; n < (kFastBuild ? 100 : 10); ++n) {
      different += same_bits(run_variant(scenario, variant, 2).outputs, first.outputs) ? 0 : 1;
    }
    CHECK(different == 0);
  }
}
