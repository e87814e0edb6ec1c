// Launching a kernel with more shared memory than the 48 KiB that need no asking.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

namespace flashscope::gpu {

// blocks: 1..2^31 - 1, in a one-dimensional grid, which has no 65535 limit.
template <typename Arguments>
cudaError_t launch(void (*kernel)(Arguments), std::int64_t blocks, int threads, int shared_bytes,
                   const Arguments& arguments, cudaStream_t stream) {
  if (shared_bytes > 48 * 1024) {
    const cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);
    if (error != cudaSuccess) return error;
  }
  kernel<<<static_cast<unsigned>(blocks), threads, shared_bytes, stream>>>(arguments);
  return cudaPeekAtLastError();
}

}  // namespace flashscope::gpu
