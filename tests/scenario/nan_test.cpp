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

bool row_has_same_values(const Outputs& x, const Outputs& y, std::int64_t b, std::int64_t h,
                         std::int64_t row) {
  bool same = x.lse.at(b, h, row, 0) == y.lse.at(b, h, row, 0);
  for (std::int64_t d = 0; d < x.o.shape()[3]; ++d) {
    same = same && x.o.at(b, h, row, d) == y.o.at(b, h, row, d);
  }
  return same;
}

struct Poisoned {
  Scenario scenario;
  Where where;
  std::int64_t key;
  float bad;
  std::vector<bool> finite_rows;  // as the reference has them
};

std::vector<Poisoned> poisoned_in_many_ways(const Scenario& clean) {
  std::vector<Poisoned> all;
  for (const std::int64_t key :
       kFastBuild ? std::vector<std::int64_t>{0, 9, 15, 22} : std::vector<std::int64_t>{9}) {
    for (const Where where : {Where::key, Where::value}) {
      for (const float bad : {kNan, kInfinity, -kInfinity}) {
        Poisoned poison{poisoned(clean, where, key, bad), where, key, bad, {}};
        const Truth truth(poison.scenario, Format::fp32);
        const auto width = static_cast<std::size_t>(clean.problem.head_dim);
        for (std::size_t row = 0; row < truth.lse().size(); ++row) {
          bool finite = true;
          for (std::size_t d = 0; d < width; ++d) {
            finite = finite && std::isfinite(truth.o()[row * width + d]);
          }
          poison.finite_rows.push_back(finite);
        }
        all.push_back(std::move(poison));
      }
    }
  }
  return all;
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
    const std::vector<Poisoned> all = poisoned_in_many_ways(clean);
    for (const Variant& variant : variants(problem)) {
      const std::string what = describe(problem) + ": " + describe(variant);
      CAPTURE(what);
      const Result untouched = run_variant(clean, variant);
      for (const Poisoned& poison : all) {
        CAPTURE(poison.key);
        CAPTURE(poison.bad);
        const Result result = run_variant(poison.scenario, variant);
        int wrong = 0, leaked = 0;
        for (std::int64_t n = 0; n < 4 * 14; ++n) {
          const std::int64_t b = n / 28, h = n / 14 % 2, row = n % 14;
          const bool finite = row_is_finite(result.outputs, b, h, row);
          wrong += finite != poison.finite_rows[static_cast<std::size_t>(n)];
          if (b == 0 && sees(problem, b, h, row, poison.key)) {
            // NaN and an infinite value must show; a score of -inf may hide its key.
            wrong += finite && (std::isnan(poison.bad) || poison.where == Where::value);
          } else {
            leaked += !row_has_same_values(result.outputs, untouched.outputs, b, h, row);
          }
        }
        CHECK(wrong == 0);
        CHECK(leaked == 0);
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
