// The C++ interface of the CUDA kernels, without a CUDA type in it: what to compute (shapes,
// strides, mask), how (algorithm, tiles, splits), and where the tensors lie on the device. Every
// call goes to the caller's stream and returns at once; nothing is allocated unless a workspace is
// needed and not given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/kernels/trace_log.h"
#include "gpu/launch/algorithm.h"
#include "sim/attention/format.h"

namespace flashscope::gpu {

// Elements between neighbours in (batch, head, row); head_dim is contiguous.
struct Strides {
  std::int64_t batch = 0, head = 0, row = 0;
};

// q, o: (batch, q_heads, q_len, head_dim); k, v: (batch, kv_heads, kv_len, head_dim), all in
// `dtype`; lse: (batch, q_heads, q_len), fp32, contiguous, natural log, may be null. Semantics of
// masks, empty rows and head groups are the simulator's (sim/attention/problem.h).
struct AttentionCall {
  Format dtype = Format::fp16;  // fp16 or bf16
  const void* q = nullptr;
  const void* k = nullptr;
  const void* v = nullptr;
  void* o = nullptr;
  float* lse = nullptr;
  std::int64_t batch = 1, q_heads = 1, kv_heads = 1, q_len = 0, kv_len = 0, head_dim = 0;
  Strides q_stride, k_stride, v_stride, o_stride;
  float scale = 1;
  bool causal = false;
  std::int64_t window_left = -1, window_right = -1;  // -1: unbounded

  Algorithm algorithm = Algorithm::automatic;
  int q_tile = 0, kv_tile = 0, splits = 0;  // 0: choose

  void* stream = nullptr;  // a cudaStream_t
  // null: allocated and freed in stream order when one is needed; else aligned to 16 bytes
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

// One log per phase of the algorithm's table, in its order; all null in an untraced call.
using TraceLogs = std::array<TraceLog, 3>;

// Checks the call, queues its kernels and returns. Throws Error (sim/error.h) with one line that
// says what is wrong and what to do: a shape, stride, alignment or dtype that no kernel takes, a
// workspace that is too small; and DeviceError (device.h) when there is no device, or with what
// CUDA reports. A call without query rows is checked and queues nothing. The traced build of a
// kernel exists for head_dim kTracedHeadDim.
void attention_forward(const AttentionCall& call, const TraceLogs* trace = nullptr);

}  // namespace flashscope::gpu
