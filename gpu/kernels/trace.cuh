// The traced builds' log (trace_log.h). In an ordinary build everything here is empty and costs
// nothing.
#pragma once

#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/trace_log.h"

namespace flashscope::gpu {

template <bool kTraced>
class StepTrace {
 public:
  __device__ __forceinline__ StepTrace(const TraceLog&, std::int64_t) {}
  template <int kBlocks>
  __device__ __forceinline__ void step(int, int, const SoftmaxState<kBlocks>&, const Scale&, int,
                                       int) {}
  __device__ __forceinline__ void step(int, int) {}
};

template <>
class StepTrace<true> {
 public:
  __device__ __forceinline__ StepTrace(const TraceLog& log, std::int64_t work_item)
      : log_(log), work_item_(work_item) {
    if (threadIdx.x == 0) log_.start_order[work_item_] = atomicAdd(log_.arrivals, 1);
  }

  // The end of a step: which tiles it was about, and m and l of the warp's rows, `first_row` being
  // its first in the tile. Called by all warps of the block.
  template <int kBlocks>
  __device__ __forceinline__ void step(int q_tile, int kv_tile, const SoftmaxState<kBlocks>& state,
                                       const Scale& scale, int first_row, int lane) {
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float l = quad_sum(state.l[b][half]);
        if (lane % 4 != 0 || steps_ >= log_.max_steps) continue;
        const std::int64_t at = slot() * log_.rows + first_row + b * 16 + half * 8 + lane / 4;
        const float m = state.m[b][half];  // -inf stays -inf, for a scale of 0 too
        log_.m[at] = m == minus_infinity() ? m : m * scale.natural;
        log_.l[at] = l;
      }
    }
    step(q_tile, kv_tile);
  }

  // The end of a step that has no m and l.
  __device__ __forceinline__ void step(int q_tile, int kv_tile) {
    if (threadIdx.x == 0) {
      if (steps_ < log_.max_steps) log_.visited[slot()] = {q_tile, kv_tile};
      log_.steps[work_item_] = steps_ + 1;
    }
    ++steps_;
  }

 private:
  __device__ __forceinline__ std::int64_t slot() const {
    return work_item_ * log_.max_steps + steps_;
  }
  const TraceLog& log_;
  std::int64_t work_item_;
  int steps_ = 0;
};

}  // namespace flashscope::gpu
