// Attention calls to change one field of. Their pointers lead nowhere: for checks and plans only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gpu/kernels/configs.h"
#include "gpu/launch/attention.h"
#include "gpu/launch/device.h"

namespace flashscope::gpu {

struct Sizes {
  std::int64_t batch = 2, q_heads = 8, kv_heads = 2, q_len = 300, kv_len = 500, head_dim = 64;
};

// (batch, head, row, head_dim), contiguous.
inline Strides contiguous(std::int64_t heads, std::int64_t rows, std::int64_t head_dim) {
  return {heads * rows * head_dim, rows * head_dim, head_dim};
}

inline void* address(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

inline AttentionCall sample_call(const Sizes& s = {}) {
  AttentionCall call;
  call.batch = s.batch;
  call.q_heads = s.q_heads;
  call.kv_heads = s.kv_heads;
  call.q_len = s.q_len;
  call.kv_len = s.kv_len;
  call.head_dim = s.head_dim;
  call.q = address(0x10000);
  call.k = address(0x20000);
  call.v = address(0x30000);
  call.o = address(0x40000);
  call.q_stride = call.o_stride = contiguous(s.q_heads, s.q_len, s.head_dim);
  call.k_stride = call.v_stride = contiguous(s.kv_heads, s.kv_len, s.head_dim);
  call.scale = 0.125F;
  return call;
}

inline bool has_kernels(Algorithm algorithm) {
  return std::ranges::any_of(
      kKernelConfigs, [&](const KernelConfig& config) { return config.algorithm == algorithm; });
}

inline bool has_device() {
  try {
    current_device();
    return true;
  } catch (const DeviceError&) {
    return false;
  }
}

}  // namespace flashscope::gpu
