// The arithmetic of split_kv's merges: parts of a row that know different keys, each with its m, l
// and unnormalised O, become one. The traced builds' merges are here too.
#pragma once

#include <cstdint>

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/packed_rows.cuh"
#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/trace.cuh"
#include "gpu/kernels/warp_tile.cuh"

namespace flashscope::gpu {

__device__ __forceinline__ float warp_max(float x) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    x = fmaxf(x, __shfl_xor_sync(~0u, x, distance));
  }
  return x;
}
__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(~0u, x, distance);
  return x;
}

__device__ __forceinline__ void add_weighted(float4& sum, float weight, const float4& x) {
  sum.x += weight * x.x;
  sum.y += weight * x.y;
  sum.z += weight * x.z;
  sum.w += weight * x.w;
}

template <int kParts>
struct MergedRow {
  float m, l;             // m unscaled, as in softmax.cuh
  float factors[kParts];  // exp(m_w - m)
};

// m_l: m and l of the first part, those of the next ones `stride` floats further on.
template <int kParts>
__device__ __forceinline__ MergedRow<kParts> merge_row(const float* m_l, int stride,
                                                       const Scale& scale) {
  MergedRow<kParts> row;
  row.m = minus_infinity();
#pragma unroll
  for (int w = 0; w < kParts; ++w) row.m = fmaxf(row.m, m_l[w * stride]);
  const float finite = row.m == minus_infinity() ? 0.0f : row.m;
  row.l = 0;
#pragma unroll
  for (int w = 0; w < kParts; ++w) {
    row.factors[w] = exp2_fast((m_l[w * stride] - finite) * scale.log2);
    row.l += row.factors[w] * m_l[w * stride + 1];
  }
  return row;
}

// The parts in shared memory: row r of part w is kHeadDim floats of O, then m and l. The pitch puts
// what a warp writes at once, 8 bytes of each of 8 rows x 4 columns, into different banks.
template <int kHeadDim, int kParts, int kPartBytes>
struct SplitParts {
  static constexpr int kPitch = kHeadDim + 8, kPartFloats = kPartBytes / 4;
  char* base;

  __device__ __forceinline__ float* row(int part, int index) const {
    return reinterpret_cast<float*>(base) + part * kPartFloats + index * kPitch;
  }

  // A warp's 16 rows, from first_row of the part on.
  __device__ __forceinline__ void put(const Output<1, kHeadDim>& o, const SoftmaxState<1>& state,
                                      int part, int first_row, int lane) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float* const to = row(part, first_row + half * 8 + lane / 4);
#pragma unroll
      for (int n = 0; n < kHeadDim / 8; ++n) {
        *reinterpret_cast<float2*>(to + n * 8 + lane % 4 * 2) = {o.x[0][n][half * 2],
                                                                 o.x[0][n][half * 2 + 1]};
      }
      const float l = quad_sum(state.l[0][half]);
      if (lane % 4 == 0) *reinterpret_cast<float2*>(to + kHeadDim) = {state.m[0][half], l};
    }
  }

  __device__ __forceinline__ MergedRow<kParts> merge(int index, const Scale& scale) const {
    return merge_row<kParts>(row(0, index) + kHeadDim, kPartFloats, scale);
  }

  // Four elements of the merged O, times `factor`.
  __device__ __forceinline__ float4 output(int index, int column, const MergedRow<kParts>& merged,
                                           float factor) const {
    float4 sum = {0, 0, 0, 0};
#pragma unroll
    for (int w = 0; w < kParts; ++w) {
      add_weighted(sum, merged.factors[w],
                   *reinterpret_cast<const float4*>(row(w, index) + column));
    }
    return {sum.x * factor, sum.y * factor, sum.z * factor, sum.w * factor};
  }
};

// The end of a step: logs m and l of the warps' rows, from first_row of the tile on, over the keys
// of all warps. Called by all warps of the block.
template <typename Shape>
__device__ __forceinline__ void log_step(StepTrace<Shape::kTraced>& trace, int q_tile, int kv_tile,
                                         const SoftmaxState<1>& state, const Scale& scale,
                                         int key_warp, int first_row, int lane) {
  if constexpr (Shape::kTraced) {
    __shared__ float m_l[Shape::kKeyWarps][Shape::kQTile][2];
    const int row = first_row + lane / 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float l = quad_sum(state.l[0][half]);
      if (lane % 4 != 0) continue;
      m_l[key_warp][row + half * 8][0] = state.m[0][half];
      m_l[key_warp][row + half * 8][1] = l;
    }
    __syncthreads();
    SoftmaxState<1> merged;  // l in the first lane of each quad, which StepTrace sums over
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto all =
          merge_row<Shape::kKeyWarps>(m_l[0][row + half * 8], Shape::kQTile * 2, scale);
      merged.m[0][half] = all.m;
      merged.l[0][half] = lane % 4 == 0 ? all.l : 0.0f;
    }
    __syncthreads();
    if (key_warp == 0) {
      trace.step(q_tile, kv_tile, merged, scale, first_row, lane);
    } else {
      trace.step(q_tile, kv_tile);
    }
  }
}

// The combine phase's work items are q tiles: the block of a tile's first row logs it.
template <typename Shape>
__device__ __forceinline__ void log_combined_tile(const KernelArguments& a, int head, int query) {
  if constexpr (Shape::kTraced) {
    const PackedRows rows(a);
    const int packed_row = query * rows.group + head % rows.group;
    if (packed_row % Shape::kQTile != 0) return;
    const int q_tiles = (rows.total + Shape::kQTile - 1) / Shape::kQTile;
    const int q_tile = packed_row / Shape::kQTile;
    StepTrace<true> trace(a.trace[1],
                          static_cast<std::int64_t>(head / rows.group) * q_tiles + q_tile);
    for (int split = 0; split < a.splits; ++split) trace.step(q_tile, -1);
  }
}

}  // namespace flashscope::gpu
