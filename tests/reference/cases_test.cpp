// Inputs that broke real attention implementations, each with an answer worked out by hand.
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "tests/reference/problem_data.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double o_at(const reference::Rows& rows, const Problem& problem, std::int64_t row, std::int64_t d) {
  return rows.o[static_cast<std::size_t>(row * problem.head_dim + d)];
}

}  // namespace

TEST_CASE("causal is aligned bottom-right, and a row that sees nothing is 0 with LSE -inf") {
  const auto problem = [] {
    Problem p = make_problem(1, 1, 1, 5, 2, 64);
    p.mask.causal = true;
    return p;
  }();
  Data data(problem);
  for (std::int64_t d = 0; d < 64; ++d) {
    data.v.row(0, 0, 0)[d] = 3;
    data.v.row(0, 0, 1)[d] = 5;
  }
  const reference::Rows rows = all_rows(problem, data, 0, 0);
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(rows.lse[r] == -kInfinity);
    CHECK(o_at(rows, problem, static_cast<std::int64_t>(r), 63) == 0);
  }
  CHECK(rows.lse[3] == 0);
  CHECK(o_at(rows, problem, 3, 0) == 3);
  CHECK(rows.lse[4] == doctest::Approx(std::log(2.0)).epsilon(1e-15));
  CHECK(o_at(rows, problem, 4, 63) == 4);
}

TEST_CASE("one causal query sees every key") {
  Problem problem = make_problem(1, 4, 4, 1, 16, 64);
  Data data(problem);
  std::mt19937 generator(2);
  data.fill_random(generator);
  for (std::int64_t head = 0; head < 4; ++head) {
    problem.mask.causal = false;
    const reference::Rows full = all_rows(problem, data, 0, head);
    problem.mask.causal = true;
    const reference::Rows causal = all_rows(problem, data, 0, head);
    CHECK(causal.o == full.o);
    CHECK(causal.lse == full.lse);
  }
}

TEST_CASE("with one key the last causal row is V[0] and its LSE the scaled score") {
  Problem problem = make_problem(1, 2, 1, 4, 1, 128);
  problem.mask.causal = true;
  problem.scale = 0.25;
  Data data(problem);
  for (std::int64_t d = 0; d < 128; ++d) {
    data.q.row(0, 1, 3)[d] = 2;
    data.k.row(0, 0, 0)[d] = 0.5;
    data.v.row(0, 0, 0)[d] = static_cast<double>(d);
  }
  const reference::Rows rows = all_rows(problem, data, 0, 1);
  CHECK(rows.lse[2] == -kInfinity);
  CHECK(rows.lse[3] == 0.25 * 128);
  CHECK(o_at(rows, problem, 2, 127) == 0);
  CHECK(o_at(rows, problem, 3, 127) == 127);
}

TEST_CASE("no keys gives zeros, no queries gives nothing") {
  const Problem no_keys = make_problem(1, 1, 1, 3, 0, 8);
  Data data(no_keys);
  const reference::Rows rows = all_rows(no_keys, data, 0, 0);
  CHECK(rows.o == std::vector<double>(24, 0.0));
  CHECK(rows.lse == std::vector<double>(3, -kInfinity));

  const Problem no_queries = make_problem(1, 1, 1, 0, 5, 8);
  Data other(no_queries);
  CHECK(all_rows(no_queries, other, 0, 0).o.empty());
  CHECK(all_rows(no_queries, other, 0, 0).lse.empty());
}

TEST_CASE("a negative scale takes the maximum after scaling, a zero scale gives the mean") {
  Problem problem = make_problem(1, 1, 1, 1, 2, 1);
  Data data(problem);
  data.q.values = {1};
  data.k.values = {8000, 0};  // scaled: -1000 and 0; a maximum of 8000 * scale would underflow both
  data.v.values = {1, 2};
  problem.scale = -0.125;
  const reference::Rows negative = all_rows(problem, data, 0, 0);
  CHECK(negative.o[0] == 2);
  CHECK(negative.lse[0] == 0);
  problem.scale = 0;
  CHECK(all_rows(problem, data, 0, 0).o[0] == 1.5);
}

TEST_CASE("zero queries over kv_len keys give ln(kv_len) and the mean of V") {
  for (const std::int64_t kv_len : {1, 63, 65, 129, 257, 449, 513, 1025}) {
    CAPTURE(kv_len);
    const Problem problem = make_problem(1, 1, 1, 3, kv_len, 2);
    Data data(problem);
    for (std::int64_t key = 0; key < kv_len; ++key) {
      data.v.row(0, 0, key)[1] = static_cast<double>(key);
    }
    const reference::Rows rows = all_rows(problem, data, 0, 0);
    CHECK(rows.lse[2] == doctest::Approx(std::log(static_cast<double>(kv_len))).epsilon(1e-15));
    CHECK(o_at(rows, problem, 2, 1) == static_cast<double>(kv_len - 1) / 2);
  }
}

TEST_CASE("every dimension of the head counts, in odd head dims too") {
  for (const std::int64_t head_dim : {1, 63, 128}) {
    CAPTURE(head_dim);
    const Problem problem = make_problem(1, 1, 1, 1, 1, head_dim);
    Data data(problem);
    data.q.row(0, 0, 0)[head_dim - 1] = 3;
    data.k.row(0, 0, 0)[head_dim - 1] = 7;
    data.v.row(0, 0, 0)[head_dim - 1] = 9;
    const reference::Rows rows = all_rows(problem, data, 0, 0);
    CHECK(rows.lse[0] == 21);
    CHECK(o_at(rows, problem, 0, head_dim - 1) == 9);
  }
}

TEST_CASE("batch, head and kv head are told apart") {
  const Problem problem = make_problem(2, 28, 4, 2, 3, 4);  // query head h reads kv head h / 7
  Data data(problem);
  for (std::int64_t batch = 0; batch < 2; ++batch) {
    for (std::int64_t head = 0; head < 4; ++head) {
      for (std::int64_t key = 0; key < 3; ++key) {
        std::fill_n(data.v.row(batch, head, key), 4, static_cast<double>(4 * batch + head + 1));
      }
    }
  }
  for (std::int64_t batch = 0; batch < 2; ++batch) {
    for (std::int64_t head = 0; head < 28; ++head) {
      CAPTURE(head);
      const reference::Rows rows = all_rows(problem, data, batch, head);
      const double expected = static_cast<double>(4 * batch + head / 7 + 1);
      CHECK(rows.o == std::vector<double>(8, expected));
    }
  }
}

TEST_CASE("a window of (127, 0) shows 128 keys, and fewer near the start") {
  Problem problem = make_problem(1, 1, 1, 256, 256, 2);
  problem.mask.window_left = 127;
  problem.mask.window_right = 0;
  Data data(problem);
  const reference::Rows rows = all_rows(problem, data, 0, 0);
  CHECK(rows.lse[200] == doctest::Approx(std::log(128.0)).epsilon(1e-15));
  CHECK(rows.lse[3] == doctest::Approx(std::log(4.0)).epsilon(1e-15));
}

TEST_CASE("a window of (0, 0) copies V, and the largest window bound hides nothing") {
  Problem problem = make_problem(1, 1, 1, 6, 6, 3);
  Data data(problem);
  std::mt19937 generator(17);
  data.fill_random(generator);
  const reference::Rows unmasked = all_rows(problem, data, 0, 0);
  problem.mask.window_left = problem.mask.window_right = std::numeric_limits<std::int64_t>::max();
  CHECK(all_rows(problem, data, 0, 0).o == unmasked.o);
  problem.mask.window_left = problem.mask.window_right = 0;
  const reference::Rows diagonal = all_rows(problem, data, 0, 0);
  CHECK(diagonal.o == data.v.values);
  for (std::int64_t row = 0; row < 6; ++row) {
    double score = 0;
    for (std::int64_t d = 0; d < 3; ++d) {
      score += data.q.row(0, 0, row)[d] * data.k.row(0, 0, row)[d];
    }
    CHECK(diagonal.lse[static_cast<std::size_t>(row)] == score);
  }
}

TEST_CASE("huge scores make no inf - inf") {
  const Problem problem = make_problem(1, 1, 1, 2, 3, 1);
  Data data(problem);
  data.q.values = {1e4, -60000};
  data.k.values = {60000, 60000, -60000};
  data.v.values = {1, 3, 7};
  const reference::Rows rows = all_rows(problem, data, 0, 0);
  CHECK(rows.o == std::vector<double>{2, 7});
  CHECK(rows.lse[0] == doctest::Approx(6e8));
  CHECK(rows.lse[1] == doctest::Approx(3.6e9));
}

TEST_CASE("a score of -inf hides its key; when every score is -inf the row is empty") {
  const Problem problem = make_problem(1, 1, 1, 1, 2, 1);
  Data data(problem);
  data.q.values = {1};
  data.k.values = {-kInfinity, 0};
  data.v.values = {1, 2};
  const reference::Rows one_left = all_rows(problem, data, 0, 0);
  CHECK(one_left.o[0] == 2);
  CHECK(one_left.lse[0] == 0);
  data.k.values = {-kInfinity, -kInfinity};
  const reference::Rows none_left = all_rows(problem, data, 0, 0);
  CHECK(none_left.o[0] == 0);
  CHECK(none_left.lse[0] == -kInfinity);
}
