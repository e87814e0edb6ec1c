// Arithmetic of state expressions on short runs of doubles, in loops that the compiler turns into
// vector instructions. Knows nothing of tiles or trees.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/expression/ast.h"

namespace flashscope::expression {

constexpr std::size_t kMaxLanes = 128;
using Lanes = std::array<double, kMaxLanes>;

enum class LaneFault : std::uint8_t { none, not_whole, shift_count };

// a[n] = operation(a[n], b[n]) for the a.size() lanes; b has as many. Operators with one operand
// ignore b. not_whole: & | ^ << >> met a number with a fraction or above 2^53; shift_count: a shift
// by a count outside 0..63.
LaneFault apply_to_lanes(Operator operation, std::span<double> a, const double* b);
LaneFault apply_to_lanes(Operator operation, std::span<double> a, double b);  // b in every lane

// a[n] = condition[n] != 0 ? first[n] : second[n].
void select_lanes(std::span<double> condition, const double* first, const double* second);

std::int64_t count_nonzero(std::span<const double> a);  // a NaN is not zero

}  // namespace flashscope::expression
