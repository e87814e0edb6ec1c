// What one warp does with its rows of a q tile: S = Q K', O = alpha O + P V, O / l and the way out.
#pragma once

#include <cstdint>

#include "gpu/kernels/shared_tile.cuh"
#include "gpu/kernels/softmax.cuh"

namespace flashscope::gpu {

// The rows of Q that a warp multiplies: (16 kBlocks, kHeadDim) from `first_row` of a q tile. Kept
// in registers where 32 of them are enough, else read from shared memory for each kv tile.
template <typename T, int kBlocks, typename Tile>
struct QOperand {
  static constexpr int kHeadDim = Tile::kColumnCount;
  static constexpr int kSteps = kHeadDim / 16;
  static constexpr bool kKept = kBlocks * kSteps * 4 <= 32;

  Tile tile;
  int first_row, lane;
  LaneAddress<Tile> address;
  std::uint32_t kept[kKept ? kSteps : 1][kKept ? kBlocks : 1][4];

  __device__ __forceinline__ QOperand(Tile q_tile, int row, int lane_)
      : tile(q_tile), first_row(row), lane(lane_), address(a_operand(q_tile, row, lane_)) {}

  // To be called once, when Q has landed and all threads know it.
  __device__ __forceinline__ void arrived(float scale) {
    if (!(scale > 0)) turn_sign(scale == 0 ? 0u : 0x80008000u);
    if constexpr (kKept) {
#pragma unroll
      for (int k = 0; k < kSteps; ++k) {
#pragma unroll
        for (int b = 0; b < kBlocks; ++b) ldmatrix(kept[k][b], address.block(b, k));
      }
    }
  }

  // Columns [16 k, 16 k + 16) of block b.
  __device__ __forceinline__ void load(std::uint32_t (&a)[4], int b, int k) const {
    if constexpr (kKept) {
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = kept[k][b][i];
    } else {
      ldmatrix(a, address.block(b, k));
    }
  }

 private:
  // Flips the signs of the warp's rows in shared memory, or sets them to 0 when there is none.
  __device__ __forceinline__ void turn_sign(std::uint32_t sign) {
    for (int i = lane; i < kBlocks * 16 * (kHeadDim / 8); i += kWarpSize) {
      const std::uint32_t at = tile.address(first_row + i / (kHeadDim / 8), i % (kHeadDim / 8));
      std::uint32_t x[4];
      asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                   : "r"(at));
      for (std::uint32_t& pair : x) pair = sign == 0 ? 0 : pair ^ sign;
      asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(x[0]), "r"(x[1]),
                   "r"(x[2]), "r"(x[3])
                   : "memory");
    }
    __syncwarp();
  }
};

// S = Q K', unscaled. k_tile: (kColumns, head_dim).
template <typename T, int kBlocks, int kColumns, typename QTile, typename KTile>
__device__ __forceinline__ void multiply_scores(Scores<kBlocks, kColumns>& s,
                                                const QOperand<T, kBlocks, QTile>& q, KTile k_tile,
                                                int lane) {
  const auto address = b_operand(k_tile, lane);
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int n = 0; n < kColumns / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) s.x[b][n][i] = 0;
    }
  }
  constexpr int kSteps = QOperand<T, kBlocks, QTile>::kSteps, kPairs = kColumns / 16;
  // The next operands are on their way while the tensor cores work on these.
  std::uint32_t a[2][kBlocks][4], x[2][4];
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) q.load(a[0][b], b, 0);
  ldmatrix(x[0], address.block(0, 0));
#pragma unroll
  for (int k = 0; k < kSteps; ++k) {
#pragma unroll
    for (int n = 0; n < kPairs; ++n) {
      const int now = (k * kPairs + n) % 2;
      if (n + 1 < kPairs) {
        ldmatrix(x[1 - now], address.block(n + 1, k));
      } else if (k + 1 < kSteps) {
        ldmatrix(x[1 - now], address.block(0, k + 1));
      }
      if (n == 0 && k + 1 < kSteps) {
#pragma unroll
        for (int b = 0; b < kBlocks; ++b) q.load(a[(k + 1) % 2][b], b, k + 1);
      }
#pragma unroll
      for (int b = 0; b < kBlocks; ++b) {
        mma<T>(s.x[b][2 * n], a[k % 2][b], x[now][0], x[now][1]);
        mma<T>(s.x[b][2 * n + 1], a[k % 2][b], x[now][2], x[now][3]);
      }
    }
  }
}

// O of a warp: (16 kBlocks, kHeadDim) in fp32, not yet divided by l.
template <int kBlocks, int kHeadDim>
struct Output {
  float x[kBlocks][kHeadDim / 8][4];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
      for (int n = 0; n < kHeadDim / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) x[b][n][i] = 0;
      }
    }
  }

  // Rows g of block b by factors[b][0], rows g + 8 by factors[b][1].
  __device__ __forceinline__ void multiply(const float (&factors)[kBlocks][2]) {
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
      for (int n = 0; n < kHeadDim / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 4; ++i) x[b][n][i] *= factors[b][i / 2];
      }
    }
  }
};

// l = alpha * l and O = alpha * O. When no max of the warp moved, every alpha is 1.
template <int kBlocks, int kHeadDim>
__device__ __forceinline__ void rescale(Output<kBlocks, kHeadDim>& o, SoftmaxState<kBlocks>& state,
                                        const SoftmaxStep<kBlocks>& step) {
  bool changes = false;
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      state.l[b][half] *= step.alpha[b][half];
      changes |= step.alpha[b][half] != 1.0f;
    }
  }
  if (__any_sync(~0u, changes)) o.multiply(step.alpha);
}

// P = exp(S - m_new), l += rowsum P, O += P V, 16 keys at a time: the exponentials of the next 16
// can run while the tensor cores work. v_tile: (kColumns, head_dim).
template <typename T, int kBlocks, int kColumns, int kHeadDim, typename VTile>
__device__ __forceinline__ void accumulate_output(Output<kBlocks, kHeadDim>& o,
                                                  const Scores<kBlocks, kColumns>& s,
                                                  const SoftmaxStep<kBlocks>& step,
                                                  const Scale& scale, SoftmaxState<kBlocks>& state,
                                                  VTile v_tile, int lane) {
  const auto address = b_operand_transposed(v_tile, lane);
  constexpr int kSteps = kColumns / 16, kPairs = kHeadDim / 16;
  std::uint32_t p[kBlocks][4], x[2][4];
  ldmatrix_transposed(x[0], address.block(0, 0));
#pragma unroll
  for (int k = 0; k < kSteps; ++k) {
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) exponentials<T>(p[b], s, b, k, step, scale, state);
#pragma unroll
    for (int n = 0; n < kPairs; ++n) {
      const int now = (k * kPairs + n) % 2;
      if (n + 1 < kPairs) {
        ldmatrix_transposed(x[1 - now], address.block(k, n + 1));
      } else if (k + 1 < kSteps) {
        ldmatrix_transposed(x[1 - now], address.block(k + 1, 0));
      }
#pragma unroll
      for (int b = 0; b < kBlocks; ++b) {
        mma<T>(o.x[b][2 * n], p[b], x[now][0], x[now][1]);
        mma<T>(o.x[b][2 * n + 1], p[b], x[now][2], x[now][3]);
      }
    }
  }
}

template <int kBlocks>
struct RowResults {
  float lse[kBlocks][2];  // natural log; -inf for a row that has seen nothing
};

// O = O / l, 0 where l is 0; LSE = m + ln l.
template <int kBlocks, int kHeadDim>
__device__ __forceinline__ RowResults<kBlocks> finish(Output<kBlocks, kHeadDim>& o,
                                                      SoftmaxState<kBlocks>& state,
                                                      const Scale& scale) {
  RowResults<kBlocks> results;
  float factors[kBlocks][2];
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float l = state.l[b][half] = quad_sum(state.l[b][half]);
      factors[b][half] = l == 0 ? 0.0f : 1.0f / l;
      results.lse[b][half] =
          l == 0 ? minus_infinity() : state.m[b][half] * scale.natural + __logf(l);
    }
  }
  o.multiply(factors);
  return results;
}

// O, rounded to T, by way of the warp's own rows of `tile` (whose content is no longer needed), so
// that it leaves in whole 16-byte pieces. to: row 0 of the tile; rows from valid_rows on are not
// written.
template <typename T, typename Tile, int kBlocks, int kHeadDim>
__device__ __forceinline__ void store_output(const Output<kBlocks, kHeadDim>& o, Tile tile,
                                             int first_row, T* to, std::int64_t row_stride,
                                             int valid_rows, int lane) {
  __syncwarp();  // the last ldmatrix of every lane has read what the warp now overwrites
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int n = 0; n < kHeadDim / 8; ++n) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = first_row + b * 16 + half * 8 + lane / 4;
        const std::uint32_t pair = pack<T>(o.x[b][n][half * 2], o.x[b][n][half * 2 + 1]);
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(tile.address(row, n) + (lane % 4) * 4),
                     "r"(pair)
                     : "memory");
      }
    }
  }
  __syncwarp();
  constexpr int kChunks = kHeadDim / 8;
#pragma unroll
  for (int i = 0; i < kBlocks * 16 * kChunks / kWarpSize; ++i) {
    const int index = i * kWarpSize + lane;
    const int row = first_row + index / kChunks, chunk = index % kChunks;
    if (row >= valid_rows) continue;
    uint4 x;
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"(tile.address(row, chunk))
                 : "memory");
    *reinterpret_cast<uint4*>(to + row * row_stride + chunk * 8) = x;
  }
}

// One number per row, by the first lane of each quad. to: row 0 of the tile.
template <int kBlocks>
__device__ __forceinline__ void store_lse(const RowResults<kBlocks>& results, float* to,
                                          int first_row, int valid_rows, int lane) {
  if (lane % 4 != 0) return;
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + b * 16 + half * 8 + lane / 4;
      if (row < valid_rows) to[row] = results.lse[b][half];
    }
  }
}

}  // namespace flashscope::gpu
