// Interval arithmetic: bounds on what an expression is when its variables range over intervals.
// Bounds may be wider than the values taken (each operand is bounded on its own), never narrower.
// R. E. Moore, Interval Analysis, 1966.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sim/expression/ast.h"

namespace flashscope::expression {

struct Interval {
  std::int64_t low = 0;   // inclusive
  std::int64_t high = 0;  // inclusive

  constexpr bool contains(std::int64_t value) const { return low <= value && value <= high; }
  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

// Nothing when an overflow, a division by zero or a shift outside 0..63 is possible in a part that
// is evaluated. variables[i]: the interval of variable i of the vocabulary.
std::optional<Interval> bounds_of(const Node& node, std::span<const Interval> variables);

}  // namespace flashscope::expression
