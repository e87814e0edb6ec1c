// The reference's answer for a whole scenario, with a bound per row on what rounding can add; see
// run_support.h. To first order, with u = 2^-24 and A = |scale| |q| max|k|, which bounds every
// score:
//   a score        sums head_dim products, then is scaled                      D u A
//   s - m          of numbers up to A, in P, in the alphas and in the combine   8 u (A + ln N)
//   sums over keys and steps, with an exponential of 1.1 ulp at each step       8 N u
// in which n roundings of one sum count as min(n, 4 sqrt n) (Higham and Mary 2019, "A new approach
// to probabilistic rounding error analysis"). A relative error x of the weights moves O by at most
// 2 x max|V|, once through the numerator and once through l, and LSE by x. Then come the roundings
// of S (twice: before and after the scale), P and O to the formats of the precision.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "run_support.h"

namespace flashscope::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double roundings(std::int64_t n) {
  const auto count = static_cast<double>(n);
  return std::min(count, 4 * std::sqrt(count));
}

// Half the smallest subnormal: the absolute error of rounding near zero.
double smallest_half(Format format) { return format == Format::fp16 ? 0x1p-25 : 0x1p-134; }

// |got - want|; equal infinities and NaN on both sides count as equal.
double difference(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double d = std::abs(got - want);
  return std::isnan(d) ? kInfinity : d;
}

// 0 <= error; a bound of 0 allows nothing.
double share(double error, double bound) {
  if (error == 0) return 0;
  if (error == kInfinity) return kInfinity;
  return bound > 0 ? error / bound : kInfinity;
}

double norm(std::span<const double> values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

// Own rounding, from the definition of the formats: `digits` significant bits, and no bit below
// that of the smallest normal number's last.
double rounded(Format format, double value) {
  if (!std::isfinite(value) || value == 0 || format == Format::fp32) return value;
  const bool fp16 = format == Format::fp16;
  const int digits = fp16 ? 11 : 8, smallest_exponent = fp16 ? -13 : -125;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int last = std::max(exponent, smallest_exponent) - digits;
  const double result = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  return fp16 && std::abs(result) > 65504 ? std::copysign(kInfinity, value) : result;
}

}  // namespace

double unit_roundoff(Format format) {
  return format == Format::fp32 ? 0x1p-24 : format == Format::fp16 ? 0x1p-11 : 0x1p-8;
}

Truth::Truth(const Scenario& scenario, Format input) : Truth(scenario, input, {}, {}) {
  const Problem& problem = scenario.problem;
  const reference::Inputs inputs = reference_inputs(scenario, input, ReferenceInput::rounded);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(problem.q_len));
  std::iota(rows.begin(), rows.end(), 0);
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t h = 0; h < problem.q_heads; ++h) {
      const reference::Rows part = reference::attention(problem, inputs, b, h, rows);
      o_.insert(o_.end(), part.o.begin(), part.o.end());
      lse_.insert(lse_.end(), part.lse.begin(), part.lse.end());
    }
  }
}

Truth::Truth(const Scenario& scenario, Format input, std::vector<double> o, std::vector<double> lse)
    : q_heads_(scenario.problem.q_heads),
      q_len_(scenario.problem.q_len),
      kv_len_(scenario.problem.kv_len),
      head_dim_(scenario.problem.head_dim),
      scale_(std::abs(scenario.problem.scale)),
      o_(std::move(o)),
      lse_(std::move(lse)) {
  measure(scenario, input);
}

void Truth::measure(const Scenario& scenario, Format input) {
  const Problem& problem = scenario.problem;
  const reference::Inputs inputs = reference_inputs(scenario, input, ReferenceInput::rounded);
  std::vector<double> values(static_cast<std::size_t>(head_dim_));
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t h = 0; h < q_heads_; ++h) {
      const std::int64_t kv_head = h / (q_heads_ / problem.kv_heads);
      double largest_key = 0, largest_value = 0;
      for (std::int64_t key = 0; key < kv_len_; ++key) {
        inputs.k(b, kv_head, key, values.data());
        largest_key = std::max(largest_key, norm(values));
        inputs.v(b, kv_head, key, values.data());
        for (const double v : values) largest_value = std::max(largest_value, std::abs(v));
      }
      for (std::int64_t row = 0; row < q_len_; ++row) {
        inputs.q(b, h, row, values.data());
        largest_score_.push_back(scale_ * norm(values) * largest_key);
        largest_value_.push_back(largest_value);
      }
    }
  }
}

Truth::Bound Truth::bound(std::size_t row, const Precision& precision) const {
  const double score = largest_score_[row], value = largest_value_[row];
  const auto keys = static_cast<double>(kv_len_);
  double relative = 0x1p-24 * (roundings(head_dim_ + 2) * score + 8 * (score + std::log1p(keys)) +
                               8 * roundings(kv_len_) + 16);
  if (precision.score != Format::fp32) {
    relative +=
        2 * unit_roundoff(precision.score) * score + (1 + scale_) * smallest_half(precision.score);
  }
  double o = std::min(2.0, std::expm1(2 * relative)) * value;
  if (precision.probability != Format::fp32) {
    o += (unit_roundoff(precision.probability) + keys * smallest_half(precision.probability)) *
         value;
  }
  if (precision.output != Format::fp32) {
    o += unit_roundoff(precision.output) * (value + o) + smallest_half(precision.output);
  }
  return {o, relative + 0x1p-24 * (score + std::log1p(keys))};
}

double Truth::worst_share(const Outputs& outputs, const Precision& precision) const {
  const auto width = static_cast<std::size_t>(head_dim_);
  std::vector<float> got(width);
  double worst = 0;
  for (std::size_t row = 0; row < lse_.size(); ++row) {
    const auto index = static_cast<std::int64_t>(row);
    const std::int64_t head = index / q_len_;
    outputs.o.read_row(head / q_heads_, head % q_heads_, index % q_len_, got);
    const double lse = outputs.lse.at(head / q_heads_, head % q_heads_, index % q_len_, 0);
    const bool empty = lse_[row] == -kInfinity;
    const Bound limit = empty ? Bound{0, 0} : bound(row, precision);
    worst = std::max(worst, share(difference(lse, lse_[row]), limit.lse));
    for (std::size_t d = 0; d < width; ++d) {
      worst = std::max(worst, share(difference(got[d], o_[row * width + d]), limit.o));
    }
  }
  return worst;
}

double Truth::max_error(const Outputs& outputs) const {
  std::vector<float> got(o_.size());
  const auto width = static_cast<std::size_t>(head_dim_);
  double worst = 0;
  for (std::size_t row = 0; row < lse_.size(); ++row) {
    const auto index = static_cast<std::int64_t>(row);
    const std::int64_t head = index / q_len_;
    const std::span<float> values = std::span(got).subspan(row * width, width);
    outputs.o.read_row(head / q_heads_, head % q_heads_, index % q_len_, values);
    for (std::size_t d = 0; d < width; ++d) {
      worst = std::max(worst, difference(values[d], o_[row * width + d]));
    }
  }
  return worst;
}

double Truth::max_lse_error(const Outputs& outputs) const {
  double worst = 0;
  for (std::size_t row = 0; row < lse_.size(); ++row) {
    const auto index = static_cast<std::int64_t>(row);
    const std::int64_t head = index / q_len_;
    const double lse = outputs.lse.at(head / q_heads_, head % q_heads_, index % q_len_, 0);
    worst = std::max(worst, difference(lse, lse_[row]));
  }
  return worst;
}

double Truth::max_o() const {
  double largest = 0;
  for (const double o : o_) largest = std::max(largest, std::abs(o));
  return largest;
}

double plain_attention_error(const Scenario& scenario, Format dtype, const Truth& truth) {
  const Problem& problem = scenario.problem;
  const reference::Inputs inputs = reference_inputs(scenario, Format::fp32, ReferenceInput::exact);
  const auto width = static_cast<std::size_t>(problem.head_dim);
  const auto keys = static_cast<std::size_t>(problem.kv_len);
  std::vector<double> q(width), k(keys * width), v(keys * width), s(keys), o(width);
  double worst = 0;
  std::size_t row_index = 0;
  for (std::int64_t b = 0; b < problem.batch; ++b) {
    for (std::int64_t h = 0; h < problem.q_heads; ++h) {
      const std::int64_t kv_head = h / (problem.q_heads / problem.kv_heads);
      for (std::size_t key = 0; key < keys; ++key) {
        inputs.k(b, kv_head, static_cast<std::int64_t>(key), k.data() + key * width);
        inputs.v(b, kv_head, static_cast<std::int64_t>(key), v.data() + key * width);
      }
      for (double& x : k) x = rounded(dtype, x);
      for (double& x : v) x = rounded(dtype, x);
      for (std::int64_t row = 0; row < problem.q_len; ++row, ++row_index) {
        inputs.q(b, h, row, q.data());
        for (double& x : q) x = rounded(dtype, x);
        double largest = -kInfinity, sum = 0;
        for (std::size_t key = 0; key < keys; ++key) {
          const double dot = std::inner_product(q.begin(), q.end(), k.data() + key * width, 0.0);
          s[key] = sees(problem, b, h, row, static_cast<std::int64_t>(key))
                       ? rounded(dtype, rounded(dtype, dot) * problem.scale)
                       : -kInfinity;
          largest = std::max(largest, s[key]);
        }
        if (largest == -kInfinity) continue;
        for (std::size_t key = 0; key < keys; ++key) sum += std::exp(s[key] - largest);
        std::fill(o.begin(), o.end(), 0.0);
        for (std::size_t key = 0; key < keys; ++key) {
          const double p = rounded(dtype, std::exp(s[key] - largest) / sum);
          for (std::size_t d = 0; d < width; ++d) o[d] += p * v[key * width + d];
        }
        for (std::size_t d = 0; d < width; ++d) {
          worst = std::max(worst, difference(o[d], truth.o()[row_index * width + d]));
        }
      }
    }
  }
  return worst;
}

}  // namespace flashscope::test
