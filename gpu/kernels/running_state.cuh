// fa1's O, m and l in device memory between the steps of a q tile (workspace.h), and their way into
// a warp's registers and back.
//
// m is the maximum of Q K' before the scale, its sign turned for a negative scale, as softmax.cuh
// holds it. O is normalised. Its rows are whole and in order, but every 16 columns of a row are
// stored in the order in which the four lanes of the row hold them (mma.cuh), so that each lane
// moves 16 bytes at once:
//
//   column   0  1  8  9   2  3 10 11   4  5 12 13   6  7 14 15
//   lane     0  0  0  0   1  1  1  1   2  2  2  2   3  3  3  3
#pragma once

#include <cstdint>

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/memory_access.cuh"
#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/warp_tile.cuh"
#include "gpu/kernels/workspace.h"

namespace flashscope::gpu {

// Of one head: o is (q_len, kHeadDim), m and l are (q_len).
template <int kHeadDim>
struct RunningState {
  float* o;
  float* m;
  float* l;

  // head_index: batch * q_heads + head.
  __device__ __forceinline__ RunningState(const KernelArguments& a, std::int64_t head_index) {
    const std::int64_t heads = static_cast<std::int64_t>(a.batch) * a.q_heads;
    const Workspace parts = workspace(Algorithm::fa1, {heads, a.q_len, a.kv_len, kHeadDim});
    char* const base = static_cast<char*>(a.workspace);
    const std::int64_t first_row = head_index * a.q_len;
    o = reinterpret_cast<float*>(base + parts.first) + first_row * kHeadDim;
    m = reinterpret_cast<float*>(base + parts.second) + first_row;
    l = reinterpret_cast<float*>(base + parts.third) + first_row;
  }

  // Calls visit(row, block, half, is_inside) for the rows that a lane has a part of; the warp's
  // begin at first_row, those from end_row on are not inside.
  template <int kBlocks, typename Visit>
  static __device__ __forceinline__ void for_rows(int first_row, int end_row, int lane,
                                                  Visit visit) {
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = first_row + b * 16 + half * 8 + lane / 4;
        visit(static_cast<std::int64_t>(row), b, half, row < end_row);
      }
    }
  }

  template <int kBlocks>
  __device__ __forceinline__ void load_o(Output<kBlocks, kHeadDim>& to, int first_row, int end_row,
                                         int lane) const {
    for_rows<kBlocks>(first_row, end_row, lane,
                      [&](std::int64_t row, int b, int half, bool inside) {
                        const float* const from = o + row * kHeadDim + lane % 4 * 4;
#pragma unroll
                        for (int n = 0; n < kHeadDim / 8; n += 2) {
                          const float4 x = inside ? load_float4(from + n * 8) : float4{0, 0, 0, 0};
                          to.x[b][n][half * 2] = x.x;
                          to.x[b][n][half * 2 + 1] = x.y;
                          to.x[b][n + 1][half * 2] = x.z;
                          to.x[b][n + 1][half * 2 + 1] = x.w;
                        }
                      });
  }
  template <int kBlocks>
  __device__ __forceinline__ void store_o(const Output<kBlocks, kHeadDim>& from, int first_row,
                                          int end_row, int lane) const {
    for_rows<kBlocks>(
        first_row, end_row, lane, [&](std::int64_t row, int b, int half, bool inside) {
          if (!inside) return;
          float* const to = o + row * kHeadDim + lane % 4 * 4;
#pragma unroll
          for (int n = 0; n < kHeadDim / 8; n += 2) {
            store_float4(to + n * 8, {from.x[b][n][half * 2], from.x[b][n][half * 2 + 1],
                                      from.x[b][n + 1][half * 2], from.x[b][n + 1][half * 2 + 1]});
          }
        });
  }

  // l is the whole row's in all lanes of the row, both ways.
  template <int kBlocks>
  __device__ __forceinline__ void load_m_and_l(SoftmaxState<kBlocks>& to, int first_row,
                                               int end_row, int lane) const {
    for_rows<kBlocks>(first_row, end_row, lane,
                      [&](std::int64_t row, int b, int half, bool inside) {
                        to.m[b][half] = inside ? load_float(m + row) : minus_infinity();
                        to.l[b][half] = inside ? load_float(l + row) : 0.0f;
                      });
  }
  template <int kBlocks>
  __device__ __forceinline__ void store_m_and_l(const SoftmaxState<kBlocks>& from, int first_row,
                                                int end_row, int lane) const {
    for_rows<kBlocks>(first_row, end_row, lane,
                      [&](std::int64_t row, int b, int half, bool inside) {
                        if (!inside || lane % 4 != 0) return;
                        store_float(m + row, from.m[b][half]);
                        store_float(l + row, from.l[b][half]);
                      });
  }
};

}  // namespace flashscope::gpu
