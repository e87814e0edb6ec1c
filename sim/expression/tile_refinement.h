// Exact answers about a rectangle of scores (rows of q by keys), where MaskExpression::classify()
// may be undecided: an undecided rectangle is split in two until its parts are decided or small
// enough to evaluate element by element. Knows nothing about tiles, tilings or other masks.
#pragma once

#include <cstdint>

#include "sim/expression/mask_expression.h"

namespace flashscope::expression {

// `none` for an empty rectangle. Throws Error where visible() throws anywhere in the rectangle: the
// Error of the first such element, row by row.
Verdict classify_exactly(const MaskExpression& mask, const MaskScope& scope, IndexRange q,
                         IndexRange k);

// How many (q, k) of the rectangle are visible. Throws as classify_exactly().
std::int64_t count_visible(const MaskExpression& mask, const MaskScope& scope, IndexRange q,
                           IndexRange k);

}  // namespace flashscope::expression
