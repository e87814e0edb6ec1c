// NaN and infinity in K and V reach exactly the rows that see them: none when every tile that holds
// them is left out, and in a visited tile not the tile's other rows, although 0 * NaN is NaN.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "run_support.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

enum class Where { key, value };

// `bad` in one column of one key's row of K or V, for kv head 0 of batch 0.
Scenario poisoned(Scenario scenario, Where where, std::int64_t bad_key, float bad) {
  TensorView& view = where == Where::key ? scenario.inputs.k : scenario.inputs.v;
  std::vector<float> values(static_cast<std::size_t>(view.shape[3]));
  const TensorView clean = view;
  view = filled(clean.shape, [&](auto b, auto h, auto row, auto d) {
           clean.read_row(b, h, row, values);
           const bool here = b == 0 && h == 0 && row == bad_key && d == 1;
           return here ? bad : values[static_cast<std::size_t>(d)];
         }).view();
  return scenario;
}

bool row_is_finite(const Outputs& outputs, std::int64_t b, std::int64_t h, std::int64_t row) {
  bool finite = true;
  for (std::int64_t d = 0; d < outputs.o.shape()[3]; ++d) {
    finite = finite && std::isfinite(outputs.o.at(b, h, row, d));
  }
  return finite;
}

std::vector<Mask> masks() {
  std::vector<Mask> all(5);
  all[1].causal = true;
  all[2].window_left = 3;
  all[2].window_right = 2;
  all[3].expression = expression::MaskExpression::parse("(q/3 + k/4) % 2 == 0");  // holes
  all[4].expression = expression::MaskExpression::parse("k != 9 && k < 20");      // seen by nobody
  all[4].causal = true;
  return all;
}

std::vector<Variant> variants(const Problem& problem) {
  std::vector<Variant> result = all_variants(problem);
  for (Tiling tiling : {tiles(3, 4), tiles(8, 5)}) {
    tiling.kv_order = KvOrder::descending;
    for (const Variant& variant : algorithms_at(tiling)) {
      if (variant.algorithm != "standard") result.push_back(variant);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("a NaN or an infinity in K or V reaches exactly the rows that see it") {
  for (const Mask& mask : masks()) {
    Problem problem = make_problem(2, 2, 1, 14, 23, 3);
    problem.mask = mask;
    const Scenario clean = random_scenario(problem, 1);
    for (const std::int64_t bad_key : {0, 9, 15, 22}) {
      for (const Where where : {Where::key, Where::value}) {
        for (const float bad : {kNan, kInfinity, -kInfinity}) {
          const Scenario scenario = poisoned(clean, where, bad_key, bad);
          // A key of +-inf makes scores of +-inf: the reference says what becomes of those.
          const Truth truth(scenario, Format::fp32);
          for (const Variant& variant : variants(problem)) {
            const std::string what = describe(problem) + ": " + describe(variant);
            CAPTURE(what);
            CAPTURE(bad_key);
            CAPTURE(bad);
            const Result result = run_variant(scenario, variant);
            const Result untouched = run_variant(clean, variant);
            int wrong = 0, leaked = 0;
            for (std::int64_t n = 0; n < 4 * 14; ++n) {
              const std::int64_t b = n / 28, h = n / 14 % 2, row = n % 14;
              bool reference_finite = true;
              for (std::size_t d = 0; d < 3; ++d) {
                const double o = truth.o()[static_cast<std::size_t>(n) * 3 + d];
                reference_finite = reference_finite && std::isfinite(o);
              }
              wrong += row_is_finite(result.outputs, b, h, row) != reference_finite;
              if (b == 0 && sees(problem, b, h, row, bad_key)) {
                // NaN and an infinite value must show; an infinite score may hide its key.
                wrong += (std::isnan(bad) || where == Where::value) && reference_finite;
                continue;
              }
              for (std::int64_t d = 0; d < 3; ++d) {
                leaked += result.outputs.o.at(b, h, row, d) != untouched.outputs.o.at(b, h, row, d);
              }
              leaked +=
                  result.outputs.lse.at(b, h, row, 0) != untouched.outputs.lse.at(b, h, row, 0);
            }
            CHECK(wrong == 0);
            CHECK(leaked == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("whole tiles of NaN that nobody visits are as if they were not there") {
  // Rows 0-3 see keys 0-3 and rows 4-7 keys 8-11; keys 4-7 and 12-15 are tiles of NaN.
  Problem problem = make_problem(1, 1, 1, 8, 16, 4);
  problem.mask.expression = expression::MaskExpression::parse("k/4 == 2*(q/4)");
  const auto hidden = [](std::int64_t key) { return key / 4 % 2 == 1; };
  const Scenario clean = random_scenario(problem, 2);
  Scenario dirty = clean;
  for (TensorView* view : {&dirty.inputs.k, &dirty.inputs.v}) {
    const TensorView from = *view;
    std::vector<float> values(4);
    *view = filled(from.shape, [&](auto b, auto h, auto row, auto d) {
              from.read_row(b, h, row, values);
              return hidden(row) ? kNan : values[static_cast<std::size_t>(d)];
            }).view();
  }
  for (const Variant& variant : variants(problem)) {
    const std::string what = describe(variant);
    CAPTURE(what);
    CHECK(same_bits(run_variant(dirty, variant).outputs, run_variant(clean, variant).outputs));
  }
}

TEST_CASE("a row of the queries that is NaN stays alone") {
  Problem problem = make_problem(1, 2, 1, 9, 7, 3);
  const Scenario clean = random_scenario(problem, 3);
  Scenario dirty = clean;
  std::vector<float> values(3);
  dirty.inputs.q = filled({1, 2, 9, 3}, [&](auto b, auto h, auto row, auto d) {
                     clean.inputs.q.read_row(b, h, row, values);
                     return h == 1 && row == 4 ? kNan : values[static_cast<std::size_t>(d)];
                   }).view();
  for (const Variant& variant : variants(problem)) {
    const std::string what = describe(variant);
    CAPTURE(what);
    const Result got = run_variant(dirty, variant), want = run_variant(clean, variant);
    CHECK(std::isnan(got.outputs.o.at(0, 1, 4, 0)));
    CHECK(std::isnan(got.outputs.lse.at(0, 1, 4, 0)));
    int leaked = 0;
    for (std::int64_t n = 0; n < 18; ++n) {
      if (n == 9 + 4) continue;
      leaked += got.outputs.o.at(0, n / 9, n % 9, 2) != want.outputs.o.at(0, n / 9, n % 9, 2);
    }
    CHECK(leaked == 0);
  }
}
