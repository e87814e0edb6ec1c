// See kernel_list.h.
#include "gpu/verify/kernel_list.h"

#include <algorithm>

#include "gpu/kernels/shared_bytes.h"

namespace flashscope::gpu {

std::vector<KernelConfig> compiled_kernels(const DeviceLimits& limits,
                                           std::optional<Algorithm> algorithm,
                                           std::optional<std::int64_t> head_dim) {
  std::vector<KernelConfig> found;
  for (const KernelConfig& config : kKernelConfigs) {
    if (algorithm && config.algorithm != *algorithm) continue;
    if (head_dim && config.head_dim != *head_dim) continue;
    if (shared_bytes(config) > limits.shared_bytes_per_block) continue;
    const bool again = std::any_of(found.begin(), found.end(), [&](const KernelConfig& other) {
      return other.algorithm == config.algorithm && other.head_dim == config.head_dim &&
             other.q_tile_rows == config.q_tile_rows && other.kv_tile_rows == config.kv_tile_rows;
    });
    if (!again) found.push_back(config);
  }
  return found;
}

bool is_default(const KernelConfig& kernel, const std::vector<KernelConfig>& kernels) {
  const auto first = std::find_if(kernels.begin(), kernels.end(), [&](const KernelConfig& other) {
    return other.algorithm == kernel.algorithm && other.head_dim == kernel.head_dim;
  });
  return first->q_tile_rows == kernel.q_tile_rows && first->kv_tile_rows == kernel.kv_tile_rows;
}

}  // namespace flashscope::gpu
