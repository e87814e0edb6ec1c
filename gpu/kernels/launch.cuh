// Launching a kernel with more shared memory than the 48 KiB that need no asking, and launching one
// that starts while the kernel before it ends (programmatic dependent launch, sm_90).
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

// In a kernel: the one launched with launch_overlapping() after it may start, as soon as all blocks
// have come here or are done.
__device__ __forceinline__ void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// In a kernel launched with launch_overlapping(): until the kernel before it is done and its stores
// can be read.
__device__ __forceinline__ void wait_for_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// As launch(), but the kernel, which must call wait_for_previous_kernel() before it reads what the
// one before it wrote, may begin while that one still runs. Code for older devices just follows.
template <typename Arguments>
cudaError_t launch_overlapping(void (*kernel)(Arguments), std::int64_t blocks, int threads,
                               int shared_bytes, const Arguments& arguments, cudaStream_t stream) {
  cudaFuncAttributes compiled;
  const cudaError_t error = cudaFuncGetAttributes(&compiled, kernel);
  if (error != cudaSuccess) return error;
  // The code that will run may come from older PTX than the device: it has no wait then.
  if (compiled.ptxVersion < 90) {
    return launch(kernel, blocks, threads, shared_bytes, arguments, stream);
  }
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments);
}

}  // namespace flashscope::gpu
