// Tiles of S and P as standard attention keeps them: rounded to the dtype, in device memory, where
// rows begin at whole 128-byte lines (workspace.h). The padding of a row's last 16-byte piece is
// written along with it and never read as data.
#pragma once

#include <cstdint>

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/memory_access.cuh"
#include "gpu/kernels/shared_tile.cuh"
#include "gpu/kernels/workspace.h"

namespace flashscope::gpu {

// Both are (batch * q_heads * q_len rows, pitch); a head's rows follow on those of the head before.
template <typename T>
struct ScoreMemory {
  T* s;
  T* p;
  std::int64_t pitch;  // elements

  __device__ __forceinline__ explicit ScoreMemory(const KernelArguments& a)
      : s(static_cast<T*>(a.workspace)), pitch(score_pitch(a.kv_len)) {
    const std::int64_t heads = static_cast<std::int64_t>(a.batch) * a.q_heads;
    const Workspace parts = workspace(Algorithm::standard, {heads, a.q_len, a.kv_len, 0});
    p = reinterpret_cast<T*>(static_cast<char*>(a.workspace) + parts.second);
  }
};

// S is rounded to T as it leaves the product and scaled in fp32; put_scores() rounds it again.
template <typename T, int kBlocks, int kGroups>
__device__ __forceinline__ void round_and_scale(float (&s)[kBlocks][kGroups][4], float scale) {
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int n = 0; n < kGroups; ++n) {
#pragma unroll
      for (int i = 0; i < 4; i += 2) {
        const float2 rounded = unpack<T>(pack<T>(s[b][n][i], s[b][n][i + 1]));
        s[b][n][i] = rounded.x * scale;
        s[b][n][i + 1] = rounded.y * scale;
      }
    }
  }
}

// Accumulators, rounded to T, into a tile of S in shared memory. The warp's part begins at
// (first_row, first_column), multiples of 16 and 8.
template <typename T, int kBlocks, int kGroups, typename Tile>
__device__ __forceinline__ void put_scores(const float (&s)[kBlocks][kGroups][4], Tile tile,
                                           int first_row, int first_column, int lane) {
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int n = 0; n < kGroups; ++n) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = first_row + b * 16 + half * 8 + lane / 4;
        put_4_bytes(tile.address(row, first_column / 8 + n) + (lane % 4) * 4,
                    pack<T>(s[b][n][half * 2], s[b][n][half * 2 + 1]));
      }
    }
  }
}

// A whole tile of S from shared memory to `to`, its first element, in 16-byte pieces.
template <int kThreads, int kRows, int kColumns, typename T>
__device__ __forceinline__ void store_score_tile(SharedTile<kRows, kColumns> tile, T* to,
                                                 std::int64_t pitch, int valid_rows,
                                                 int valid_columns, int thread) {
  constexpr int kChunks = kColumns / 8;  // of a row
  constexpr int kPassRows = kThreads / kChunks;
  static_assert(kThreads % kChunks == 0 && kRows % kPassRows == 0, "a pass stores whole rows");
  const int first_row = thread / kChunks, chunk = thread % kChunks;
  if (chunk * 8 >= valid_columns) return;
  T* next = to + first_row * pitch + chunk * 8;
#pragma unroll
  for (int i = 0; i < kRows / kPassRows; ++i, next += kPassRows * pitch) {
    const int row = first_row + i * kPassRows;
    if (row >= valid_rows) return;
    std::uint32_t x[4];
    get_16_bytes(x, tile.address(row, chunk));
    store_16_bytes(next, x);
  }
}

}  // namespace flashscope::gpu
