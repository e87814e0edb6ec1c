// Small inputs for the tests of the reference: tensors in memory, and readers over them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "sim/reference/attention.h"

namespace flashscope::test {

struct Tensor {
  std::int64_t heads, rows, head_dim;
  std::vector<double> values;  // (batch, heads, rows, head_dim)

  Tensor(std::int64_t batch, std::int64_t head_count, std::int64_t row_count, std::int64_t dim)
      : heads(head_count),
        rows(row_count),
        head_dim(dim),
        values(static_cast<std::size_t>(batch * head_count * row_count * dim)) {}

  double* row(std::int64_t batch, std::int64_t head, std::int64_t index) {
    return values.data() + ((batch * heads + head) * rows + index) * head_dim;
  }

  void fill_random(std::mt19937& generator) {
    for (double& value : values) {
      value = static_cast<double>(generator() % 2001) / 500.0 - 2.0;  // [-2, 2]
    }
  }

  reference::RowReader reader() {
    return [this](std::int64_t batch, std::int64_t head, std::int64_t index, double* out) {
      const double* from = row(batch, head, index);
      std::copy(from, from + head_dim, out);
    };
  }
};

// Q, K and V of a problem, all zero at first.
struct Data {
  Tensor q, k, v;

  explicit Data(const Problem& problem)
      : q(problem.batch, problem.q_heads, problem.q_len, problem.head_dim),
        k(problem.batch, problem.kv_heads, problem.kv_len, problem.head_dim),
        v(problem.batch, problem.kv_heads, problem.kv_len, problem.head_dim) {}

  void fill_random(std::mt19937& generator) {
    q.fill_random(generator);
    k.fill_random(generator);
    v.fill_random(generator);
  }

  reference::Inputs inputs() { return {q.reader(), k.reader(), v.reader()}; }
};

// T(B, Hq, Hkv, Lq, Lk, D) of the cases, with scale 1.
inline Problem make_problem(std::int64_t batch, std::int64_t q_heads, std::int64_t kv_heads,
                            std::int64_t q_len, std::int64_t kv_len, std::int64_t head_dim) {
  Problem problem;
  problem.batch = batch;
  problem.q_heads = q_heads;
  problem.kv_heads = kv_heads;
  problem.q_len = q_len;
  problem.kv_len = kv_len;
  problem.head_dim = head_dim;
  return problem;
}

inline reference::Rows all_rows(const Problem& problem, Data& data, std::int64_t batch,
                                std::int64_t head) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(problem.q_len));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  return reference::attention(problem, data.inputs(), batch, head, rows);
}

}  // namespace flashscope::test
