// The values of an expression at kBlockLanes consecutive values of one variable, with loops that
// the compiler turns into vector instructions. Parts that do not use the variable are computed
// once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/expression/ast.h"

namespace flashscope::expression {

constexpr std::size_t kBlockLanes = 64;
using Block = std::array<std::int64_t, kBlockLanes>;

// result[n]: the value where variable `lane_variable` is variables[lane_variable] + n.
// False, with nothing in the result, when an operation faults in any lane, even in a part that
// `&&`, `||` or `?:` would skip there: evaluate() then tells lane by lane.
bool evaluate_block(const Node& node, std::span<const std::int64_t> variables,
                    std::size_t lane_variable, Block& result);

}  // namespace flashscope::expression
