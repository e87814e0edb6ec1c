// Of repeated measurements: the median, because a time has a floor and a long tail.
#pragma once

#include <vector>

#include "sim/model/record.h"

namespace flashscope::gpu {

// Of at least one sample. The median of an even number is the mean of the middle two.
Spread spread_of(std::vector<double> samples);

}  // namespace flashscope::gpu
