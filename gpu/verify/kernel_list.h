// Which of the compiled kernels (gpu/kernels/configs.h) there are to try on a device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/kernels/configs.h"
#include "gpu/launch/plan.h"

namespace flashscope::gpu {

// Those that fit the device, in the order of kKernelConfigs; of one algorithm and head_dim where
// asked. Of several that differ only in what a call cannot ask for (warps, stages) the first, which
// is the one that plan() takes.
std::vector<KernelConfig> compiled_kernels(const DeviceLimits& limits,
                                           std::optional<Algorithm> algorithm,
                                           std::optional<std::int64_t> head_dim);

// Whether the kernel has the default tiles of its algorithm and head_dim: those of the first.
bool is_default(const KernelConfig& kernel, const std::vector<KernelConfig>& kernels);

}  // namespace flashscope::gpu
