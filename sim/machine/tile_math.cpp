// Loops over tiles; see tile_math.h.
#include "sim/machine/tile_math.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/machine/exponential.h"

namespace flashscope::tile_math {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The four storage orders of two factors; both products below go through here.
template <typename Use>
void with_orders(const Tile& left, bool right_transposed, const Tile& right, Use use) {
  // A row-major tile stores its transpose.
  const bool flip_left = left.row_major;
  const bool flip_right = right.row_major != right_transposed;
  if (flip_left && flip_right) use(left.values.transpose(), right.values.transpose());
  if (flip_left && !flip_right) use(left.values.transpose(), right.values);
  if (!flip_left && flip_right) use(left.values, right.values.transpose());
  if (!flip_left && !flip_right) use(left.values, right.values);
}

}  // namespace

void product(Tile& result, const Tile& left, const Tile& right) {
  assert(!result.row_major);
  with_orders(left, true, right,
              [&](const auto& a, const auto& b) { result.values.noalias() = a * b; });
}

void add_product(Tile& result, const Tile& left, const Tile& right) {
  assert(!result.row_major);
  with_orders(left, false, right,
              [&](const auto& a, const auto& b) { result.values.noalias() += a * b; });
}

void row_max(Tile& result, const Tile& before, const Tile& tile) {
  result.values = before.values;
  float* max = result.values.data();
  for (std::int64_t c = 0; c < tile.columns; ++c) {
    const float* column = tile.values.col(c).data();
    for (std::int64_t r = 0; r < tile.rows; ++r) max[r] = column[r] > max[r] ? column[r] : max[r];
  }
}

void keep_max(Tile& result, const Tile& before, float threshold) {
  float* max = result.values.data();
  const float* old = before.values.data();
  for (std::int64_t r = 0; r < result.rows; ++r) {
    // A row's first key always counts, even against a threshold of infinity.
    const bool keep = old[r] != -kInfinity && max[r] - old[r] <= threshold;
    max[r] = keep ? old[r] : max[r];
  }
}

void exp_tile(Tile& result, const Tile& tile, const Tile& max, Base base) {
  // -inf - -inf would be NaN: a row that has seen no key subtracts 0 instead.
  const Eigen::VectorXf safe_max =
      max.values.unaryExpr([](float m) { return m == -kInfinity ? 0.0F : m; });
  const float* shift = safe_max.data();
  for (std::int64_t c = 0; c < tile.columns; ++c) {
    const float* in = tile.values.col(c).data();
    float* out = result.values.col(c).data();
    if (base == Base::e) {
      for (std::int64_t r = 0; r < tile.rows; ++r) out[r] = exponential(in[r] - shift[r]);
    } else {
      for (std::int64_t r = 0; r < tile.rows; ++r) {
        out[r] = exponential(std::numbers::ln2_v<float> * (in[r] - shift[r]));
      }
    }
  }
}

void exp_vector(Tile& result, const Tile& before, const Tile& max, Base base) {
  exp_tile(result, before, max, base);
  for (std::int64_t r = 0; r < result.rows; ++r) {
    if (before.at(r, 0) == max.at(r, 0)) result.at(r, 0) = 1;
  }
}

Eigen::VectorXf row_sums(const Tile& tile) {
  // In parts: one long sum of like numbers would lose a digit against the tiles of an online
  // softmax.
  constexpr std::int64_t kPartColumns = 64;
  Eigen::VectorXf sums = Eigen::VectorXf::Zero(tile.rows);
  Eigen::VectorXf part(tile.rows);
  for (std::int64_t first = 0; first < tile.columns; first += kPartColumns) {
    const std::int64_t end = std::min(first + kPartColumns, tile.columns);
    part.setZero();
    for (std::int64_t c = first; c < end; ++c) part += tile.values.col(c);
    sums += part;
  }
  return sums;
}

void scale_rows(Tile& tile, const Tile& factor) {
  for (std::int64_t c = 0; c < tile.columns; ++c) {
    tile.values.col(c).array() *= factor.values.col(0).array();
  }
}

void divide_rows(Tile& tile, const Tile& divisor) {
  const float* by = divisor.values.data();
  for (std::int64_t c = 0; c < tile.columns; ++c) {
    float* column = tile.values.col(c).data();
    for (std::int64_t r = 0; r < tile.rows; ++r) column[r] = by[r] == 0 ? 0.0F : column[r] / by[r];
  }
}

void add_weighted(Tile& tile, const Tile& weights, std::int64_t column, const Tile& addend) {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const float weight = weights.at(r, column);
    if (weight == 0) continue;
    for (std::int64_t c = 0; c < tile.columns; ++c) tile.at(r, c) += weight * addend.at(r, c);
  }
}

void log_sum_exp(Tile& result, const Tile& max, const Tile& sum) {
  for (std::int64_t r = 0; r < result.rows; ++r) {
    const float l = sum.at(r, 0);
    result.at(r, 0) = l == 0 ? -kInfinity : max.at(r, 0) + std::log(l);
  }
}

}  // namespace flashscope::tile_math
