// Tolerances from rounding; see tolerance.h. With u = 2^-24 and A = the largest score:
//   a score           sums head_dim products, then is scaled                    D u A
//   s - m             of numbers up to A, in the weights and in every alpha     8 u (A + ln N)
//   sums over keys    with an exponential at each step                          8 N u
// in which n roundings of one sum count as min(n, 4 sqrt n) (Higham and Mary 2019). A relative
// error x of the weights moves O by at most 2 x max|V|, and LSE by x.
#include "sim/debugger/tolerance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace flashscope {
namespace {

constexpr double kFp32Roundoff = 0x1p-24;

double roundoff(Format format) {
  switch (format) {
    case Format::fp32:
      return kFp32Roundoff;
    case Format::fp16:
      return 0x1p-11;
    case Format::bf16:
      return 0x1p-8;
    case Format::e4m3:
      return 0x1p-4;
  }
  return kFp32Roundoff;
}

double roundings(std::int64_t n) {
  const auto count = static_cast<double>(n);
  return std::min(count, 4 * std::sqrt(count));
}

// The largest norm and the largest element of all rows; what is not finite is left out.
struct Largest {
  double norm = 0, element = 0;
};
Largest largest(const reference::RowReader& read, const Shape& shape) {
  Largest result;
  std::vector<double> values(static_cast<std::size_t>(shape[3]));
  for (std::int64_t n = 0; n < shape[0] * shape[1] * shape[2]; ++n) {
    const std::int64_t head = n / shape[2];
    read(head / shape[1], head % shape[1], n % shape[2], values.data());
    double squares = 0;
    for (const double value : values) {
      squares += value * value;
      if (std::isfinite(value)) result.element = std::max(result.element, std::abs(value));
    }
    if (std::isfinite(squares)) result.norm = std::max(result.norm, std::sqrt(squares));
  }
  return result;
}

}  // namespace

Magnitudes magnitudes(const Scenario& scenario, Format input) {
  const reference::Inputs inputs = reference_inputs(scenario, input, ReferenceInput::rounded);
  const Inputs& tensors = scenario.inputs;
  return {std::abs(scenario.problem.scale) * largest(inputs.q, tensors.q.shape).norm *
              largest(inputs.k, tensors.k.shape).norm,
          largest(inputs.v, tensors.v.shape).element};
}

Tolerance tolerance(const Problem& problem, const Precision& precision,
                    const Magnitudes& magnitudes, double plain_o, double plain_lse) {
  const double score = magnitudes.largest_score, value = magnitudes.largest_value;
  const double log_keys = std::log1p(static_cast<double>(problem.kv_len));
  const double relative =
      kFp32Roundoff * (roundings(problem.head_dim + 2) * score + 8 * (score + log_keys) +
                       8 * roundings(problem.kv_len) + 16);
  Tolerance result;
  result.largest_o = value;
  result.plain_o = std::isfinite(plain_o) ? 2 * plain_o : 0;
  result.plain_lse = std::isfinite(plain_lse) ? 2 * plain_lse : 0;
  result.rounding_o = std::min(2.0, std::expm1(2 * relative)) * value;
  for (const Format format : {precision.probability, precision.accumulator}) {
    if (format != Format::fp32) result.rounding_o += roundoff(format) * value;
  }
  result.rounding_lse = relative + kFp32Roundoff * (score + log_keys);
  // Scores in the dtype, rounded before and after they are scaled, are nobody's fault either.
  if (precision.input != Format::fp32) result.rounding_lse += 2 * roundoff(precision.input) * score;
  result.o = std::max(result.plain_o, result.rounding_o) + roundoff(precision.output) * value;
  result.lse = std::max(result.plain_lse, result.rounding_lse);
  return result;
}

double difference(double got, double want) {
  if (got == want) return 0;  // also infinities of one sign
  if (std::isnan(got) && std::isnan(want)) return 0;
  const double d = std::abs(got - want);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

double difference_of_wrong(double a, double b) {
  const bool one_is_nan = std::isnan(a) || std::isnan(b);
  if (one_is_nan && !std::isfinite(a) && !std::isfinite(b)) return 0;
  return difference(a, b);
}

}  // namespace flashscope
