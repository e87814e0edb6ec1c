// Products of two tiles in shared memory, by one warp, onto its accumulators (layout: mma.cuh).
#pragma once

#include <cstdint>

#include "gpu/kernels/shared_tile.cuh"

namespace flashscope::gpu {

// What a warp accumulates: (16 kBlocks rows, 8 kGroups columns) in fp32.
template <int kBlocks, int kGroups>
__device__ __forceinline__ void clear(float (&d)[kBlocks][kGroups][4]) {
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int n = 0; n < kGroups; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) d[b][n][i] = 0;
    }
  }
}

enum class Right { as_it_lies, transposed };

// D += A B or A B'. A: rows [first_row, first_row + 16 kBlocks) of a tile. B: a tile with as many
// rows as A has columns, of which D takes the first 8 kGroups columns; transposed, rows and columns
// change places.
template <typename T, Right kRight, int kBlocks, int kGroups, typename ATile, typename BTile>
__device__ __forceinline__ void add_product(float (&d)[kBlocks][kGroups][4], ATile a_tile,
                                            int first_row, BTile b_tile, int lane) {
  constexpr bool kTransposed = kRight == Right::transposed;
  const auto a_address = a_operand(a_tile, first_row, lane);
  const auto b_address = kTransposed ? b_operand(b_tile, lane) : b_operand_transposed(b_tile, lane);
#pragma unroll
  for (int k = 0; k < ATile::kColumnCount / 16; ++k) {
    std::uint32_t a[kBlocks][4];
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) ldmatrix(a[b], a_address.block(b, k));
#pragma unroll
    for (int n = 0; n < kGroups / 2; ++n) {
      std::uint32_t x[4];
      if constexpr (kTransposed) {
        ldmatrix(x, b_address.block(n, k));
      } else {
        ldmatrix_transposed(x, b_address.block(k, n));
      }
#pragma unroll
      for (int b = 0; b < kBlocks; ++b) {
        mma<T>(d[b][2 * n], a[b], x[0], x[1]);
        mma<T>(d[b][2 * n + 1], a[b], x[2], x[3]);
      }
    }
  }
}

}  // namespace flashscope::gpu
