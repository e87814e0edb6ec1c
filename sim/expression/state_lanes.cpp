// See state_lanes.h.
#include "sim/expression/state_lanes.h"

#include <cassert>
#include <cmath>

namespace flashscope::expression {
namespace {

constexpr double kLargestExact = 9007199254740992;  // 2^53
constexpr double kLargestShift = 63;

// A right operand that is the same in every lane.
struct Uniform {
  double value;
  double operator[](std::size_t /*lane*/) const { return value; }
};

template <typename Right, typename Function>
LaneFault for_each_lane(std::span<double> a, const Right& b, Function function) {
  for (std::size_t n = 0; n < a.size(); ++n) a[n] = function(a[n], b[n]);
  return LaneFault::none;
}

bool is_whole(double x) { return std::abs(x) <= kLargestExact && x == std::trunc(x); }

// As Python's: has the sign of b.
double floor_modulo(double a, double b) {
  const double remainder = std::fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// floor(a / b) alone would round 2^53 - 1 over 2^53 up to 1.
double floor_quotient(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b) || b == 0) return std::floor(a / b);
  return std::round((a - floor_modulo(a, b)) / b);
}

double apply_to_bits(Operator operation, double a, double b) {
  const auto x = static_cast<std::int64_t>(a);
  const auto y = static_cast<std::int64_t>(b);
  switch (operation) {
    case Operator::bit_and:
      return static_cast<double>(x & y);
    case Operator::bit_or:
      return static_cast<double>(x | y);
    case Operator::bit_xor:
      return static_cast<double>(x ^ y);
    case Operator::shift_left:
      return std::ldexp(a, static_cast<int>(y));
    default:
      return std::floor(std::ldexp(a, -static_cast<int>(y)));  // shift_right
  }
}

template <typename Right>
LaneFault apply_to_bits(Operator operation, std::span<double> a, const Right& b) {
  const bool is_shift = operation == Operator::shift_left || operation == Operator::shift_right;
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (!is_whole(a[n]) || !is_whole(b[n])) return LaneFault::not_whole;
    if (is_shift && (b[n] < 0 || b[n] > kLargestShift)) return LaneFault::shift_count;
    a[n] = apply_to_bits(operation, a[n], b[n]);
  }
  return LaneFault::none;
}

template <typename Right>
LaneFault apply(Operator operation, std::span<double> a, const Right& b) {
  const auto truth = [&](auto test) {
    return for_each_lane(a, b, [test](double x, double y) { return test(x, y) ? 1.0 : 0.0; });
  };
  const auto number = [&](auto function) { return for_each_lane(a, b, function); };
  switch (operation) {
    case Operator::negate:
      return number([](double x, double) { return -x; });
    case Operator::absolute:
      return number([](double x, double) { return std::abs(x); });
    case Operator::multiply:
      return number([](double x, double y) { return x * y; });
    case Operator::real_divide:
      return number([](double x, double y) { return x / y; });
    case Operator::divide:
      return number(floor_quotient);
    case Operator::modulo:
      return number(floor_modulo);
    case Operator::add:
      return number([](double x, double y) { return x + y; });
    case Operator::subtract:
      return number([](double x, double y) { return x - y; });
    case Operator::minimum:  // of a NaN a NaN: nothing hides one
      return number([](double x, double y) { return y < x || y != y ? y : x; });
    case Operator::maximum:
      return number([](double x, double y) { return y > x || y != y ? y : x; });
    case Operator::exponential:
      return number([](double x, double) { return std::exp(x); });
    case Operator::logarithm:
      return number([](double x, double) { return std::log(x); });
    case Operator::logical_not:
      return truth([](double x, double) { return x == 0; });
    case Operator::is_nan:
      return truth([](double x, double) { return x != x; });
    case Operator::is_infinite:
      return truth([](double x, double) { return std::isinf(x); });
    case Operator::less:
      return truth([](double x, double y) { return x < y; });
    case Operator::less_equal:
      return truth([](double x, double y) { return x <= y; });
    case Operator::greater:
      return truth([](double x, double y) { return x > y; });
    case Operator::greater_equal:
      return truth([](double x, double y) { return x >= y; });
    case Operator::equal:
      return truth([](double x, double y) { return x == y; });
    case Operator::not_equal:
      return truth([](double x, double y) { return x != y; });
    case Operator::logical_and:
      return truth([](double x, double y) { return (x != 0) & (y != 0); });
    case Operator::logical_or:
      return truth([](double x, double y) { return (x != 0) | (y != 0); });
    case Operator::bit_and:
    case Operator::bit_or:
    case Operator::bit_xor:
    case Operator::shift_left:
    case Operator::shift_right:
      return apply_to_bits(operation, a, b);
    default:
      break;
  }
  assert(false && "the state evaluator computes these");
  return LaneFault::none;
}

}  // namespace

LaneFault apply_to_lanes(Operator operation, std::span<double> a, const double* b) {
  return apply(operation, a, b);
}

LaneFault apply_to_lanes(Operator operation, std::span<double> a, double b) {
  return apply(operation, a, Uniform{b});
}

void select_lanes(std::span<double> condition, const double* first, const double* second) {
  for (std::size_t n = 0; n < condition.size(); ++n) {
    condition[n] = condition[n] != 0 ? first[n] : second[n];
  }
}

std::int64_t count_nonzero(std::span<const double> a) {
  std::int64_t count = 0;
  for (const double x : a) count += x != 0 ? 1 : 0;
  return count;
}

}  // namespace flashscope::expression
