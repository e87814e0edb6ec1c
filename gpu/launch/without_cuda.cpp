// Takes the place of the files that call CUDA in a build without it: wrong calls are told so, and
// right ones that there are no kernels.
#include "gpu/launch/attention.h"
#include "gpu/launch/check.h"
#include "gpu/launch/device.h"

namespace flashscope::gpu {

DeviceLimits current_device() {
  throw DeviceError("FlashScope was built without CUDA: " FLASHSCOPE_NO_CUDA_REASON);
}

void attention_forward(const AttentionCall& call, const TraceLogs*) {
  check_call(call);
  if (!is_empty(call)) current_device();
}

}  // namespace flashscope::gpu
