// See repeat.h.
#include "gpu/measure/repeat.h"

#include <algorithm>
#include <cuda_runtime_api.h>

#include "gpu/launch/cuda_check.h"

namespace flashscope::gpu {

void repeat(DeviceArray& array, std::size_t period_bytes) {
  auto* const begin = static_cast<std::byte*>(array.data());
  // What is there is doubled: whole periods behind whole periods.
  for (std::size_t done = period_bytes; done < array.bytes();) {
    const std::size_t count = std::min(done, array.bytes() - done);
    require_success(cudaMemcpy(begin + done, begin, count, cudaMemcpyDeviceToDevice),
                    "filling a tensor");
    done += count;
  }
  wait_for_device();
}

}  // namespace flashscope::gpu
