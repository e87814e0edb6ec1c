// The softmax of whole rows of S that are already scaled, rounded and masked: what a thread does
// with its eight-score pieces of a row, and how threads of a row put their numbers together. Not
// the online softmax of softmax.cuh: here a row's maximum is known before its exponentials.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/kernels/element.cuh"
#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/trace_log.h"

namespace flashscope::gpu {

constexpr int kPiece = 8;  // scores in 16 bytes; packed in pairs, as they lie in memory

// Scores from the row's end on become -inf. left: columns from the piece's first to the row's end,
// 0 or less for a piece beyond it.
template <typename T>
__device__ __forceinline__ void hide_padding(std::uint32_t (&x)[4], int left) {
  if (left >= kPiece) return;
  const std::uint32_t hidden = pack<T>(minus_infinity(), minus_infinity());
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (left <= 2 * i) {
      x[i] = hidden;
    } else if (left == 2 * i + 1) {
      x[i] = (x[i] & 0xffffu) | (hidden & 0xffff0000u);
    }
  }
}

// The larger of each of two pairs, a NaN being smaller than any number.
template <typename T>
__device__ __forceinline__ std::uint32_t pair_max(std::uint32_t a, std::uint32_t b) {
  using Pair = std::conditional_t<std::is_same_v<T, __half>, __half2, __nv_bfloat162>;
  const Pair m = __hmax2(reinterpret_cast<const Pair&>(a), reinterpret_cast<const Pair&>(b));
  return reinterpret_cast<const std::uint32_t&>(m);
}

template <typename T>
__device__ __forceinline__ float piece_max(const std::uint32_t (&x)[4]) {
  const float2 m = unpack<T>(pair_max<T>(pair_max<T>(x[0], x[1]), pair_max<T>(x[2], x[3])));
  return fmaxf(m.x, m.y);
}

// What a row's scores are taken against: its maximum, or 0 where nothing is visible, so that no
// -inf is subtracted from another.
__device__ __forceinline__ float reference_of(float m) { return m == minus_infinity() ? 0.0f : m; }

__device__ __forceinline__ float exponential(float x) { return exp2_fast(x * kLog2e); }

template <typename T>
__device__ __forceinline__ float piece_sum(const std::uint32_t (&x)[4], float reference) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 s = unpack<T>(x[i]);
    sum += exponential(s.x - reference) + exponential(s.y - reference);
  }
  return sum;
}

// Scores become probabilities: exp(S - m) / l = 2^((S - m) log2 e - log2 l).
template <typename T>
__device__ __forceinline__ void normalise_piece(std::uint32_t (&x)[4], float reference,
                                                float log2_l) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float2 s = unpack<T>(x[i]);
    x[i] = pack<T>(exp2_fast((s.x - reference) * kLog2e - log2_l),
                   exp2_fast((s.y - reference) * kLog2e - log2_l));
  }
}

// log2 l; 0 for a row that sees nothing, all of whose exponentials are 0.
__device__ __forceinline__ float log2_of_sum(float l) { return l == 0 ? 0.0f : __log2f(l); }

// m + ln l.
__device__ __forceinline__ float lse_of(float m, float l) {
  return l == 0 ? minus_infinity() : m + __logf(l);
}

// Of a number that each thread of a row has, over all of them: a warp, or a block of kWarps, for
// which `shared` is kWarps floats that nobody else uses. Every thread of the row calls it and gets
// the same bits.
template <int kWarps, typename Combine>
__device__ __forceinline__ float over_row(float x, float* shared, Combine combine) {
#pragma unroll
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
    x = combine(x, __shfl_xor_sync(~0u, x, distance));
  }
  if constexpr (kWarps > 1) {
    const int thread = threadIdx.x;
    if (thread % kWarpSize == 0) shared[thread / kWarpSize] = x;
    __syncthreads();
    x = shared[0];
#pragma unroll
    for (int warp = 1; warp < kWarps; ++warp) x = combine(x, shared[warp]);
  }
  return x;
}
template <int kWarps>
__device__ __forceinline__ float row_max(float x, float* shared = nullptr) {
  return over_row<kWarps>(x, shared, [](float a, float b) { return fmaxf(a, b); });
}
template <int kWarps>
__device__ __forceinline__ float row_sum(float x, float* shared = nullptr) {
  return over_row<kWarps>(x, shared, [](float a, float b) { return a + b; });
}

// The traced builds' log of a row, written by its first thread (`leads`): one step, one m, one l.
template <bool kTraced>
class RowTrace {
 public:
  __device__ __forceinline__ RowTrace(const TraceLog&, std::int64_t, bool) {}
  __device__ __forceinline__ void step(int, float, float) {}
};

template <>
class RowTrace<true> {
 public:
  __device__ __forceinline__ RowTrace(const TraceLog& log, std::int64_t work_item, bool leads)
      : log_(log), work_item_(work_item), leads_(leads) {
    if (leads_) log_.start_order[work_item_] = atomicAdd(log_.arrivals, 1);
  }

  __device__ __forceinline__ void step(int row, float m, float l) {
    if (!leads_) return;
    log_.steps[work_item_] = 1;
    if (log_.max_steps < 1) return;
    const std::int64_t slot = work_item_ * log_.max_steps;
    log_.visited[slot] = {row, -1};
    log_.m[slot * log_.rows] = m;
    log_.l[slot * log_.rows] = l;
  }

 private:
  const TraceLog& log_;
  std::int64_t work_item_;
  bool leads_;
};

}  // namespace flashscope::gpu
