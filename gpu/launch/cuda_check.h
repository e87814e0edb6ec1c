// What CUDA answers, as an exception.
#pragma once

#include <cuda_runtime_api.h>
#include <string>

#include "gpu/launch/device.h"

namespace flashscope::gpu {

// Throws DeviceError "what: CUDA's text" unless `answer` is cudaSuccess. Takes the error back from
// the runtime, so that the next call does not find it.
inline void require_success(cudaError_t answer, const char* what) {
  if (answer == cudaSuccess) return;
  cudaGetLastError();
  throw DeviceError(std::string(what) + ": " + cudaGetErrorString(answer) + " (" +
                    cudaGetErrorName(answer) + ")");
}

}  // namespace flashscope::gpu
