// Emptying L2 before a call: a kernel of ours reads a buffer larger than L2, so that nothing of the
// call's is left there, nor anything that would still have to be written back while the call runs
// (as overwriting the buffer would leave). In a profiler's list the kernel's name, kFlushKernel of
// counters.h, marks where a call begins. For files that call CUDA.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

namespace flashscope::gpu {

// Queues the kernel, which reads [buffer, buffer + bytes). The buffer holds zeros.
cudaError_t flush_l2(void* buffer, std::size_t bytes, cudaStream_t stream);

}  // namespace flashscope::gpu
