// Emptying L2 of what a call will read: a kernel of ours reads through another buffer. It reads
// rather than writes, for lines that wait to be written back would be paid for by the call that
// displaces them. In a profiler's list its name (kFlushKernel of counters.h) marks where a call
// begins. For files that call CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace flashscope::gpu {

// Queues the kernel: 16-byte loads over [buffer, buffer + bytes), which must hold zeros.
cudaError_t flush_l2(void* buffer, std::size_t bytes, cudaStream_t stream);

}  // namespace flashscope::gpu
