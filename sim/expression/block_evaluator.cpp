// See block_evaluator.h.
#include "sim/expression/block_evaluator.h"

#include <bit>

#include "sim/expression/arithmetic.h"
#include "sim/expression/scalar_evaluator.h"

namespace flashscope::expression {
namespace {

// A right operand that is the same in every lane.
struct Uniform {
  std::int64_t value;
  std::int64_t operator[](std::size_t /*lane*/) const { return value; }
};

// a[n] = function(a[n], b[n], faults); true when no lane has set the sign bit of `faults`. Keeping
// the test for faults out of the loop is what lets it vectorise. Right is Block or Uniform.
template <typename Right, typename Function>
bool for_each_lane(Block& a, const Right& b, Function function) {
  std::int64_t faults = 0;
  for (std::size_t n = 0; n < kBlockLanes; ++n) a[n] = function(a[n], b[n], faults);
  return faults >= 0;
}

// Sums and differences that wrap; they have overflowed when the sign is not what the operands
// imply.
std::int64_t add(std::int64_t a, std::int64_t b, std::int64_t& faults) {
  const auto sum =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  faults |= (a ^ sum) & (b ^ sum);
  return sum;
}

std::int64_t subtract(std::int64_t a, std::int64_t b, std::int64_t& faults) {
  const auto difference =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  faults |= (a ^ b) & (a ^ difference);
  return difference;
}

// `/` and `%` by a power of two, which is how masks speak of blocks of keys: a shift and an `and`
// round towards minus infinity too, and a 64-bit division is slow.
bool divides_by_power_of_two(Operator operation, std::int64_t divisor) {
  return (operation == Operator::divide || operation == Operator::modulo) && divisor > 0 &&
         std::has_single_bit(static_cast<std::uint64_t>(divisor));
}

void divide_by_power_of_two(Operator operation, Block& a, std::int64_t divisor) {
  const int bits = std::countr_zero(static_cast<std::uint64_t>(divisor));
  const std::int64_t remainder_bits = divisor - 1;
  if (operation == Operator::divide) {
    for (std::int64_t& lane : a) lane >>= bits;
  } else {
    for (std::int64_t& lane : a) lane &= remainder_bits;
  }
}

// One loop per operator that masks are made of; the others share a slower one.
template <typename Right>
bool apply_to_lanes(Operator operation, Block& a, const Right& b) {
  using I = std::int64_t;
  switch (operation) {
    case Operator::add:
      return for_each_lane(a, b, add);
    case Operator::subtract:
      return for_each_lane(a, b, subtract);
    case Operator::less:
      return for_each_lane(a, b, [](I x, I y, I&) -> I { return x < y; });
    case Operator::less_equal:
      return for_each_lane(a, b, [](I x, I y, I&) -> I { return x <= y; });
    case Operator::greater:
      return for_each_lane(a, b, [](I x, I y, I&) -> I { return x > y; });
    case Operator::greater_equal:
      return for_each_lane(a, b, [](I x, I y, I&) -> I { return x >= y; });
    case Operator::equal:
      return for_each_lane(a, b, [](I x, I y, I&) -> I { return x == y; });
    case Operator::not_equal:
      return for_each_lane(a, b, [](I x, I y, I&) -> I { return x != y; });
    case Operator::logical_and:
      return for_each_lane(a, b, [](I x, I y, I&) -> I { return (x != 0) & (y != 0); });
    case Operator::logical_or:
      return for_each_lane(a, b, [](I x, I y, I&) -> I { return (x | y) != 0; });
    case Operator::bit_and:
      return for_each_lane(a, b, [](I x, I y, I&) { return x & y; });
    case Operator::bit_or:
      return for_each_lane(a, b, [](I x, I y, I&) { return x | y; });
    case Operator::minimum:
      return for_each_lane(a, b, [](I x, I y, I&) { return x < y ? x : y; });
    case Operator::maximum:
      return for_each_lane(a, b, [](I x, I y, I&) { return x > y ? x : y; });
    default:
      return for_each_lane(a, b, [operation](I x, I y, I& faults) {
        const Checked result = apply(operation, x, y);
        faults |= result.fault == Fault::none ? 0 : -1;
        return result.value;
      });
  }
}

bool apply_uniform(Operator operation, Block& a, const Outcome& b) {
  if (b.fault != Fault::none) return false;
  if (divides_by_power_of_two(operation, b.value)) {
    divide_by_power_of_two(operation, a, b.value);
    return true;
  }
  return apply_to_lanes(operation, a, Uniform{b.value});
}

bool evaluate_conditional(const Node& node, std::span<const std::int64_t> variables,
                          std::size_t lane_variable, Block& condition) {
  Block first;
  Block second;
  if (!evaluate_block(*node.operands[1], variables, lane_variable, first) ||
      !evaluate_block(*node.operands[2], variables, lane_variable, second)) {
    return false;
  }
  for (std::size_t n = 0; n < kBlockLanes; ++n) {
    condition[n] = condition[n] != 0 ? first[n] : second[n];
  }
  return true;
}

}  // namespace

bool evaluate_block(const Node& node, std::span<const std::int64_t> variables,
                    std::size_t lane_variable, Block& result) {
  if (!node.uses(lane_variable)) {
    const Outcome outcome = evaluate(node, variables);
    result.fill(outcome.value);
    return outcome.fault == Fault::none;
  }
  if (node.kind == Node::Kind::variable) {
    const std::int64_t first = variables[lane_variable];
    for (std::size_t n = 0; n < kBlockLanes; ++n) result[n] = first + static_cast<std::int64_t>(n);
    return true;
  }
  if (!evaluate_block(*node.operands[0], variables, lane_variable, result)) return false;
  if (node.operands.size() == 3) {
    return evaluate_conditional(node, variables, lane_variable, result);
  }
  if (node.operands.size() == 1) return apply_to_lanes(node.operation, result, Uniform{0});
  const Node& right = *node.operands[1];
  if (!right.uses(lane_variable)) {
    return apply_uniform(node.operation, result, evaluate(right, variables));
  }
  Block second;
  return evaluate_block(right, variables, lane_variable, second) &&
         apply_to_lanes(node.operation, result, second);
}

}  // namespace flashscope::expression
