// See statistics.h.
#include "gpu/measure/statistics.h"

#include <algorithm>
#include <cassert>

namespace flashscope::gpu {

Spread spread_of(std::vector<double> samples) {
  assert(!samples.empty());
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  const double median =
      samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  return {median, samples.front(), samples.back(), static_cast<std::int64_t>(samples.size())};
}

}  // namespace flashscope::gpu
