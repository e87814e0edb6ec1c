// The reference against a second, naive one on random problems, and its promises: hidden rows never
// matter, a row's bits don't depend on its company, and parts of the keys are what they say.
#include <cmath>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "tests/reference/problem_data.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

bool sees(const Problem& problem, std::int64_t batch, std::int64_t head, std::int64_t q,
          std::int64_t k) {
  const std::int64_t diagonal = q + problem.kv_len - problem.q_len;
  const Mask& mask = problem.mask;
  if (mask.causal && k > diagonal) return false;
  if (mask.window_left >= 0 && k < diagonal - mask.window_left) return false;
  if (mask.window_right >= 0 && k > diagonal + mask.window_right) return false;
  return !mask.expression ||
         mask.expression->visible({batch, head, problem.q_len, problem.kv_len}, q, k);
}

// Softmax without any care for large scores: right for the small ones of these tests. The last
// value of the result is the LSE.
std::vector<double> naive_row(const Problem& problem, Data& data, std::int64_t batch,
                              std::int64_t head, std::int64_t row) {
  std::vector<double> o(static_cast<std::size_t>(problem.head_dim) + 1);
  const std::int64_t kv_head = head * problem.kv_heads / problem.q_heads;
  for (std::int64_t key = 0; key < problem.kv_len; ++key) {
    if (!sees(problem, batch, head, row, key)) continue;
    const double* q = data.q.row(batch, head, row);
    const double* k = data.k.row(batch, kv_head, key);
    const double weight =
        std::exp(problem.scale * std::inner_product(q, q + problem.head_dim, k, 0.0));
    for (std::size_t d = 0; d + 1 < o.size(); ++d)
      o[d] += weight * data.v.row(batch, kv_head, key)[d];
    o.back() += weight;
  }
  for (std::size_t d = 0; d + 1 < o.size(); ++d) o[d] = o.back() > 0 ? o[d] / o.back() : 0;
  o.back() = std::log(o.back());
  return o;
}

Problem random_problem(std::mt19937& generator) {
  const auto below = [&generator](std::int64_t end) {
    return static_cast<std::int64_t>(generator() % static_cast<std::uint32_t>(end));
  };
  const std::int64_t kv_heads = 1 + below(3);
  Problem problem = make_problem(1 + below(2), kv_heads * (1 + below(3)), kv_heads, 1 + below(70),
                                 below(90), 1 + below(40));
  problem.scale = static_cast<double>(below(9) - 4) / 8;
  problem.mask.causal = below(2) == 1;
  problem.mask.window_left = below(2) == 1 ? kUnbounded : below(30);
  problem.mask.window_right = below(2) == 1 ? kUnbounded : below(30);
  if (below(3) == 0) {
    problem.mask.expression = expression::MaskExpression::parse("(q + k + h) % 3 != b || k < 2");
  }
  return problem;
}

void check_against_naive(const Problem& problem, Data& data) {
  const std::size_t head_dim = static_cast<std::size_t>(problem.head_dim);
  for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
    for (std::int64_t head = 0; head < problem.q_heads; ++head) {
      const reference::Rows rows = all_rows(problem, data, batch, head);
      for (std::int64_t row = 0; row < problem.q_len; ++row) {
        CAPTURE(row);
        const std::vector<double> expected = naive_row(problem, data, batch, head, row);
        const std::size_t r = static_cast<std::size_t>(row);
        if (std::isinf(expected.back())) {
          REQUIRE(rows.lse[r] == expected.back());
        } else {
          REQUIRE(rows.lse[r] == doctest::Approx(expected.back()).epsilon(1e-12));
        }
        for (std::size_t d = 0; d < head_dim; ++d) {
          REQUIRE(std::fabs(rows.o[r * head_dim + d] - expected[d]) < 1e-12);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("random problems agree with a naive softmax") {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 generator(seed);
    const Problem problem = random_problem(generator);
    Data data(problem);
    data.fill_random(generator);
    check_against_naive(problem, data);
  }
}

TEST_CASE("NaN and infinity in a key or value row reach only the rows that see it") {
  constexpr std::uint32_t kSeed = 7;
  INFO("seed ", kSeed);
  Problem problem = make_problem(1, 1, 1, 40, 40, 5);
  problem.mask.causal = true;
  Data data(problem);
  std::mt19937 generator(kSeed);
  data.fill_random(generator);
  const reference::Rows clean = all_rows(problem, data, 0, 0);
  std::fill_n(data.k.row(0, 0, 20), 5, std::numeric_limits<double>::quiet_NaN());
  std::fill_n(data.v.row(0, 0, 30), 5, std::numeric_limits<double>::infinity());
  const reference::Rows dirty = all_rows(problem, data, 0, 0);
  for (std::size_t row = 0; row < 20; ++row) {
    CHECK(dirty.lse[row] == clean.lse[row]);
    for (std::size_t d = 0; d < 5; ++d) CHECK(dirty.o[row * 5 + d] == clean.o[row * 5 + d]);
  }
  for (std::size_t row = 20; row < 40; ++row) {
    CHECK(std::isnan(dirty.lse[row]));
    CHECK(std::isnan(dirty.o[row * 5]));
  }
}

TEST_CASE("a row has the same bits whichever other rows are asked for") {
  constexpr std::uint32_t kSeed = 11;
  INFO("seed ", kSeed);
  Problem problem = make_problem(1, 1, 1, 80, 600, 33);
  problem.mask.causal = true;
  problem.scale = 0.2;
  Data data(problem);
  std::mt19937 generator(kSeed);
  data.fill_random(generator);
  const reference::Rows all = all_rows(problem, data, 0, 0);
  const std::vector<std::int64_t> some = {79, 3, 41, 3};
  const reference::Rows few = reference::attention(problem, data.inputs(), 0, 0, some);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const std::size_t row = static_cast<std::size_t>(some[i]);
    CHECK(few.lse[i] == all.lse[row]);
    for (std::size_t d = 0; d < 33; ++d) CHECK(few.o[i * 33 + d] == all.o[row * 33 + d]);
  }
}

TEST_CASE("a part of the keys is the softmax over just those") {
  constexpr std::uint32_t kSeed = 13;
  INFO("seed ", kSeed);
  Problem problem = make_problem(1, 1, 1, 8, 1300, 6);
  problem.scale = 0.3;
  problem.mask.expression = expression::MaskExpression::parse("k % 2 == 0");
  Data data(problem);
  std::mt19937 generator(kSeed);
  data.fill_random(generator);
  const std::vector<std::int64_t> rows = {0, 7};
  const std::vector<IndexRange> keys = {{100, 700}, {1299, 1300}, {1000, 1000}, {3, 9}};
  const reference::Rows part = reference::attention_over(problem, data.inputs(), 0, 0, rows, keys);
  Problem masked = problem;  // the same keys, hidden by a mask this time
  masked.mask.expression = expression::MaskExpression::parse(
      "k % 2 == 0 && (k >= 100 && k < 700 || k == 1299 || k >= 3 && k < 9)");
  const reference::Rows whole = reference::attention(masked, data.inputs(), 0, 0, rows);
  for (std::size_t r = 0; r < 2; ++r) {
    CHECK(part.lse[r] == doctest::Approx(whole.lse[r]).epsilon(1e-14));
    for (std::size_t d = 0; d < 6; ++d) {
      CHECK(part.o[r * 6 + d] == doctest::Approx(whole.o[r * 6 + d]).epsilon(1e-12));
    }
  }
  const reference::Rows none = reference::attention_over(problem, data.inputs(), 0, 0, rows, {});
  CHECK(std::isinf(none.lse[0]));
  CHECK(none.o == std::vector<double>(12, 0.0));
}
