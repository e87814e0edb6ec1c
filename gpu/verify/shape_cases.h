// Trials of the named cases that are about lengths, heads and strides; cases.cpp names them.
#pragma once

#include <vector>

#include "gpu/verify/trial.h"

namespace flashscope::gpu {

using Trials = std::vector<Trial>;

// q = 0: O is the mean of the visible values, LSE the logarithm of their number.
Trial zero_queries(Trial trial);

Trials longer_than_keys(const Element& e);
Trials one_query(const Element& e);
Trials nothing_there(const Element& e);
Trials tails(const Element& e);
Trials short_lengths(const Element& e);
Trials tile_borders(const Element& e);
Trials many_heads(const Element& e);
Trials heads_told_apart(const Element& e);
Trials groups_of_heads(const Element& e);
Trials layouts(const Element& e);
Trials more_than_65535_heads(const Element& e);
Trials beyond_32_bits(const Element& e);
Trials padding_is_nan(const Element& e);

}  // namespace flashscope::gpu
