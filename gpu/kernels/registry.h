// The compiled kernels, by configuration. Each kernel's instances are compiled in one file per
// head_dim (CMake writes those files from entries.cu.in), so that they build side by side.
#pragma once

#include <cuda_runtime_api.h>
#include <span>

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/configs.h"
#include "sim/attention/format.h"

namespace flashscope::gpu {

// Queues all phases of one algorithm on the stream. `arguments` is valid and has work to do: batch,
// heads and q_len are at least 1; kv_len may be 0.
using Launch = cudaError_t (*)(const KernelArguments& arguments, cudaStream_t stream);

struct KernelEntry {
  KernelConfig config;
  Format dtype;
  bool traced;
  Launch launch;
};

// All entries of one algorithm and head_dim: every config of kKernelConfigs × fp16 and bf16, and
// the same traced for kTracedHeadDim; none where there is no config.
template <Algorithm kAlgorithm, int kHeadDim>
std::span<const KernelEntry> kernel_entries();

// Null when it was not compiled: a traced one of another head_dim than kTracedHeadDim.
const KernelEntry* find_kernel(const KernelConfig& config, Format dtype, bool traced);

}  // namespace flashscope::gpu
