// Filling device memory with a pattern.
#pragma once

#include <cstddef>

#include "gpu/device/device_array.h"

namespace flashscope::gpu {

// The array's first `period_bytes` (at least 1, unless the array is empty) are repeated up to its
// end. Waits until that is done.
void repeat(DeviceArray& array, std::size_t period_bytes);

}  // namespace flashscope::gpu
