// See interval.h. Where an operator is monotonic in each operand (or linear, or a quotient with a
// divisor of one sign), its extremes are among the results at the four corners.
#include "sim/expression/interval.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <initializer_list>

#include "sim/expression/arithmetic.h"

namespace flashscope::expression {
namespace {

using Bounds = std::optional<Interval>;

constexpr Interval kFalse{0, 0};
constexpr Interval kTrue{1, 1};
constexpr Interval kTruthUnknown{0, 1};

Interval truth(bool certain, bool possible) {
  return certain ? kTrue : possible ? kTruthUnknown : kFalse;
}

bool certainly_true(Interval a) { return !a.contains(0); }
bool certainly_false(Interval a) { return a == kFalse; }

Interval hull(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Bounds corners(Operator operation, Interval a, Interval b) {
  Bounds result;
  for (const std::int64_t left : {a.low, a.high}) {
    for (const std::int64_t right : {b.low, b.high}) {
      const Checked corner = apply(operation, left, right);
      if (corner.fault != Fault::none) return std::nullopt;
      const Interval point{corner.value, corner.value};
      result = result ? hull(*result, point) : point;
    }
  }
  return result;
}

Interval absolute(Interval a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return {-a.high, -a.low};
  return {0, std::max(-a.low, a.high)};
}

Interval modulo(Interval a, Interval b) {
  if (b.low == b.high) {
    const std::int64_t divisor = b.low;
    const Checked first = floor_divide(a.low, divisor);
    const Checked last = floor_divide(a.high, divisor);
    const bool no_fault = first.fault == Fault::none && last.fault == Fault::none;
    if (no_fault && first.value == last.value) {  // no jump between a.low and a.high
      return {floor_modulo(a.low, divisor).value, floor_modulo(a.high, divisor).value};
    }
  }
  if (b.high < 0) return {b.low + 1, 0};
  return {0, a.low >= 0 ? std::min(a.high, b.high - 1) : b.high - 1};
}

// & | ^ of two numbers that fit in n bits and a sign fit in n bits and a sign.
Interval bitwise(Operator operation, Interval a, Interval b) {
  if (a.low == a.high && b.low == b.high) return *corners(operation, a, b);
  std::uint64_t magnitudes = 0;
  for (const std::int64_t end : {a.low, a.high, b.low, b.high}) {
    magnitudes |= static_cast<std::uint64_t>(end < 0 ? ~end : end);
  }
  const auto bits = static_cast<int>(std::bit_width(magnitudes));
  const auto ones = static_cast<std::int64_t>((std::uint64_t{1} << bits) - 1);
  const bool a_is_natural = a.low >= 0;
  const bool b_is_natural = b.low >= 0;
  if (operation == Operator::bit_and && (a_is_natural || b_is_natural)) {
    return {0, std::min(a_is_natural ? a.high : ones, b_is_natural ? b.high : ones)};
  }
  if (!a_is_natural || !b_is_natural) return {~ones, ones};
  return {operation == Operator::bit_or ? std::max(a.low, b.low) : 0, ones};
}

Bounds apply(Operator operation, Interval a, Interval b) {
  switch (operation) {
    case Operator::negate:
      return a.low == kSmallest ? Bounds() : Interval{-a.high, -a.low};
    case Operator::logical_not:
      return truth(certainly_false(a), a.contains(0));
    case Operator::absolute:
      return a.low == kSmallest ? Bounds() : absolute(a);
    case Operator::multiply:
    case Operator::add:
    case Operator::subtract:
    case Operator::shift_right:
    case Operator::shift_left:
    case Operator::minimum:
    case Operator::maximum:
      return corners(operation, a, b);
    case Operator::divide:
      return b.contains(0) ? Bounds() : corners(operation, a, b);
    case Operator::modulo:
      return b.contains(0) ? Bounds() : modulo(a, b);
    case Operator::less:
      return truth(a.high < b.low, a.low < b.high);
    case Operator::less_equal:
      return truth(a.high <= b.low, a.low <= b.high);
    case Operator::greater:
      return truth(a.low > b.high, a.high > b.low);
    case Operator::greater_equal:
      return truth(a.low >= b.high, a.high >= b.low);
    case Operator::equal:
      return truth(a.low == b.high && a.high == b.low, a.low <= b.high && b.low <= a.high);
    case Operator::not_equal:
      return truth(a.low > b.high || a.high < b.low, a.low != b.high || a.high != b.low);
    case Operator::bit_and:
    case Operator::bit_xor:
    case Operator::bit_or:
      return bitwise(operation, a, b);
    default:
      break;
  }
  assert(false && "bounds_of() evaluates these, or they are never in a mask");
  return std::nullopt;
}

// The right operand is only evaluated where the left one has not decided.
Bounds logical(const Node& node, Interval left, std::span<const Interval> variables) {
  const bool is_and = node.operation == Operator::logical_and;
  if (is_and && certainly_false(left)) return kFalse;
  if (!is_and && certainly_true(left)) return kTrue;
  const Bounds right = bounds_of(*node.operands[1], variables);
  if (!right) return std::nullopt;
  if (is_and) {
    return truth(certainly_true(left) && certainly_true(*right), !certainly_false(*right));
  }
  return truth(certainly_true(*right), !certainly_false(left) || !certainly_false(*right));
}

Bounds conditional(const Node& node, Interval condition, std::span<const Interval> variables) {
  if (certainly_true(condition)) return bounds_of(*node.operands[1], variables);
  if (certainly_false(condition)) return bounds_of(*node.operands[2], variables);
  const Bounds first = bounds_of(*node.operands[1], variables);
  const Bounds second = bounds_of(*node.operands[2], variables);
  return first && second ? hull(*first, *second) : Bounds();
}

}  // namespace

Bounds bounds_of(const Node& node, std::span<const Interval> variables) {
  if (node.kind == Node::Kind::literal) return Interval{node.literal, node.literal};
  if (node.kind == Node::Kind::variable) return variables[node.variable];
  const Bounds first = bounds_of(*node.operands[0], variables);
  if (!first) return std::nullopt;
  switch (node.operation) {
    case Operator::logical_and:
    case Operator::logical_or:
      return logical(node, *first, variables);
    case Operator::conditional:
      return conditional(node, *first, variables);
    default:
      break;
  }
  if (node.operands.size() == 1) return apply(node.operation, *first, Interval{});
  const Bounds second = bounds_of(*node.operands[1], variables);
  return second ? apply(node.operation, *first, *second) : std::nullopt;
}

}  // namespace flashscope::expression
