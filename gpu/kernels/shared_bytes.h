// How much shared memory a kernel needs, for the launcher, which has to know it without seeing a
// kernel. The kernels' own figures are held against these as they are compiled (entries.cuh).
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/kernels/configs.h"

namespace flashscope::gpu {

// Bytes of one block, in the phase that needs most.
constexpr std::int64_t shared_bytes(const KernelConfig& c) {
  constexpr std::int64_t kElement = 2;
  const std::int64_t q = kElement * c.q_tile_rows * c.head_dim;
  const std::int64_t kv = kElement * c.kv_tile_rows * c.head_dim;  // K or V
  switch (c.algorithm) {
    case Algorithm::standard: {
      constexpr std::int64_t kSlice = 64;  // keys at a time in P V
      const std::int64_t s = kElement * c.q_tile_rows * c.kv_tile_rows;
      const std::int64_t slices = kElement * c.stages * kSlice * (c.q_tile_rows + c.head_dim);
      return std::max({q + kv, s, slices});
    }
    case Algorithm::fa1:
      return 2 * kv + 2 * q;  // Q of this step and of the next
    case Algorithm::fa2:
    case Algorithm::split_kv:
      return q + kv * 2 * c.stages;
    case Algorithm::automatic:
      break;
  }
  return 0;
}

}  // namespace flashscope::gpu
