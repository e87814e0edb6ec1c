// What every kernel is given. Plain data, passed by value; pointers are device pointers.
#pragma once

#include <cstdint>

#include "gpu/kernels/trace_log.h"
#include "sim/attention/tile_plan.h"

namespace flashscope::gpu {

// A tensor's first element and the elements between neighbours in (batch, head, row).
struct TensorArgument {
  void* data;
  std::int64_t batch_stride, head_stride, row_stride;
};

struct KernelArguments {
  TensorArgument q, k, v, o;
  float* lse;                                    // (batch, q_heads, q_len), or null
  std::int32_t batch, q_heads, kv_heads, group;  // group = q_heads / kv_heads
  std::int32_t q_len, kv_len;
  Band band;
  float scale;
  std::int32_t heads_together;  // how blocks are ordered, see block_order.cuh
  std::int32_t splits;          // split_kv
  std::int32_t pack_gqa;        // split_kv: 1 when a q tile holds the rows of a whole group
  void* workspace;    // S and P, or O_part and LSE_part, or O, m, l: workspace.h lays it out
  TraceLog trace[3];  // by phase; read by traced builds only
};

}  // namespace flashscope::gpu
