// Arithmetic on whole tiles. A tile that is computed on is column-major: a loop over one column
// runs down the rows, so row maxima, sums and factors are plain vector operations, and every row's
// sum is taken in the order of its keys whatever the machine.
#pragma once

#include "sim/machine/tile.h"

namespace flashscope::tile_math {

// result = left right'  and  result += left right; sums in fp32.
void product(Tile& result, const Tile& left, const Tile& right);
void add_product(Tile& result, const Tile& left, const Tile& right);

// result = max(before, maximum of each row of tile); result may be before.
void row_max(Tile& result, const Tile& before, const Tile& tile);

// result = before where result - before <= threshold and before is not -inf.
void keep_max(Tile& result, const Tile& before, float threshold);

// What an exponential is a power of; 2 only where somebody forgot log2 e.
enum class Base { e, two };

// result = exp(tile - max), max per row. Where max is -inf nothing is visible: 0, never NaN.
void exp_tile(Tile& result, const Tile& tile, const Tile& max, Base base = Base::e);

// result = exp(before - max) entry by entry: 1 where they are equal, also when both are -inf.
void exp_vector(Tile& result, const Tile& before, const Tile& max, Base base = Base::e);

// The sum of each row: 64 columns at a time, in their order.
Eigen::VectorXf row_sums(const Tile& tile);

void scale_rows(Tile& tile, const Tile& factor);

// Rows divided by their divisor; a row whose divisor is 0 becomes 0.
void divide_rows(Tile& tile, const Tile& divisor);

// tile += weights[:, column] * addend, row by row. A weight of exactly 0 adds nothing.
void add_weighted(Tile& tile, const Tile& weights, std::int64_t column, const Tile& addend);

// result = max + ln(sum); -inf where sum is 0.
void log_sum_exp(Tile& result, const Tile& max, const Tile& sum);

}  // namespace flashscope::tile_math
