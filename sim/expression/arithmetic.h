// Integer arithmetic of expressions on 64-bit values: what cannot be represented is a Fault, never
// a wrapped number. Division and remainder round towards minus infinity, as in Python.
#pragma once

#include <cassert>
#include <cstdint>
#include <limits>

#include "sim/expression/ast.h"

namespace flashscope::expression {

enum class Fault : std::uint8_t { none, overflow, division_by_zero, shift_count };

struct Checked {
  std::int64_t value = 0;
  Fault fault = Fault::none;
};

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

constexpr Checked floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return {0, Fault::division_by_zero};
  if (a == kSmallest && b == -1) return {0, Fault::overflow};
  const bool rounds_up = a % b != 0 && (a < 0) != (b < 0);  // C++ rounds towards zero
  return {a / b - (rounds_up ? 1 : 0)};
}

// Has the sign of b.
constexpr Checked floor_modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) return {0, Fault::division_by_zero};
  if (b == -1) return {0};  // C++ leaves the smallest value % -1 undefined
  const std::int64_t remainder = a % b;
  return {remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder};
}

constexpr Checked shift_left(std::int64_t a, std::int64_t count) {
  if (count < 0 || count > 63) return {0, Fault::shift_count};
  const std::int64_t shifted = a << count;
  return {shifted, shifted >> count == a ? Fault::none : Fault::overflow};
}

constexpr Checked shift_right(std::int64_t a, std::int64_t count) {
  if (count < 0 || count > 63) return {0, Fault::shift_count};
  return {a >> count};
}

// Every operator that evaluates all of its operands; those with one operand ignore b.
constexpr Checked apply(Operator operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const auto checked = [&result](bool overflows) {
    return Checked{result, overflows ? Fault::overflow : Fault::none};
  };
  switch (operation) {
    case Operator::negate:
      return checked(__builtin_sub_overflow(std::int64_t{0}, a, &result));
    case Operator::logical_not:
      return {a == 0};
    case Operator::absolute:
      return a < 0 ? checked(__builtin_sub_overflow(std::int64_t{0}, a, &result)) : Checked{a};
    case Operator::multiply:
      return checked(__builtin_mul_overflow(a, b, &result));
    case Operator::divide:
      return floor_divide(a, b);
    case Operator::modulo:
      return floor_modulo(a, b);
    case Operator::add:
      return checked(__builtin_add_overflow(a, b, &result));
    case Operator::subtract:
      return checked(__builtin_sub_overflow(a, b, &result));
    case Operator::shift_left:
      return shift_left(a, b);
    case Operator::shift_right:
      return shift_right(a, b);
    case Operator::less:
      return {a < b};
    case Operator::less_equal:
      return {a <= b};
    case Operator::greater:
      return {a > b};
    case Operator::greater_equal:
      return {a >= b};
    case Operator::equal:
      return {a == b};
    case Operator::not_equal:
      return {a != b};
    case Operator::bit_and:
      return {a & b};
    case Operator::bit_xor:
      return {a ^ b};
    case Operator::bit_or:
      return {a | b};
    case Operator::minimum:
      return {a < b ? a : b};
    case Operator::maximum:
      return {a > b ? a : b};
    default:
      break;
  }
  assert(false && "evaluated by the tree walkers, or never in a mask");
  return {};
}

}  // namespace flashscope::expression
