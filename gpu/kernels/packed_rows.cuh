// split_kv's rows. Where a GQA group is packed, the q heads of one kv head share q tiles, so that K
// and V are read once for all of them: packed row p is query p / group of the group's head
// p % group (query_rows_of_packed() of tile_plan.h). Unpacked rows are the case of a group of one.
#pragma once

#include <cstdint>

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/block_order.cuh"
#include "gpu/kernels/shared_tile.cuh"
#include "gpu/kernels/slice_copy.cuh"
#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/workspace.h"

namespace flashscope::gpu {

// The rows that q tiles cut up, for one sequence: a kv head's when packed, else a q head's.
struct PackedRows {
  int group;  // q heads that share a sequence
  int total;  // rows of a sequence

  __device__ __forceinline__ explicit PackedRows(const KernelArguments& a)
      : group(a.pack_gqa != 0 ? a.group : 1), total(a.q_len * group) {}
};

// One block of split_kv's partial phase.
struct SplitItem {
  std::int64_t index;  // as the Program counts: sequence by sequence, q tile by q tile, splits last
  int batch, first_head;  // the sequence's first q head
  int q_tile, split;
};

// Blocks that read the same keys start one after the other: q tiles of a split, then the splits.
__device__ __forceinline__ SplitItem split_of_block(const KernelArguments& a,
                                                    const PackedRows& rows, int q_tile_rows) {
  const unsigned q_tiles = static_cast<unsigned>((rows.total + q_tile_rows - 1) / q_tile_rows);
  const unsigned splits = static_cast<unsigned>(a.splits);
  const unsigned sequences = static_cast<unsigned>(a.q_heads / rows.group);  // of a batch
  const unsigned q_tile = blockIdx.x % q_tiles, split = blockIdx.x / q_tiles % splits;
  const unsigned sequence = blockIdx.x / q_tiles / splits;
  return {(static_cast<std::int64_t>(sequence) * q_tiles + q_tile) * splits + split,
          static_cast<int>(sequence / sequences),
          static_cast<int>(sequence % sequences) * rows.group, static_cast<int>(q_tile),
          static_cast<int>(split)};
}

// O_part (heads, splits, q_len, kHeadDim) and LSE_part (heads, splits, q_len).
struct SplitResults {
  float* o;
  float* lse;
  int splits, q_len;

  __device__ __forceinline__ SplitResults(const KernelArguments& a, int head_dim)
      : o(static_cast<float*>(a.workspace)), lse(o), splits(a.splits), q_len(a.q_len) {
    const std::int64_t heads = static_cast<std::int64_t>(a.batch) * a.q_heads;
    const Workspace at =
        workspace(Algorithm::split_kv, {heads, a.q_len, a.kv_len, head_dim, a.splits});
    lse += at.second / static_cast<std::int64_t>(sizeof(float));
  }

  // Which element of LSE_part, which row of O_part. head: counted over all batches.
  __device__ __forceinline__ std::int64_t row(int head, int split, int query) const {
    return (static_cast<std::int64_t>(head) * splits + split) * q_len + query;
  }
};

// Starts the copy of packed rows [first_row, first_row + kRows) of Q, zeros past the last one.
// q: the first row of the sequence's first head.
template <int kThreads, int kRows, int kColumns, typename T>
__device__ __forceinline__ void load_packed_q(SharedTile<kRows, kColumns> tile, const T* q,
                                              const TensorArgument& layout, const PackedRows& rows,
                                              int first_row, int thread) {
  constexpr int kChunks = kColumns / 8;
  for (int i = thread; i < kRows * kChunks; i += kThreads) {
    const int row = first_row + i / kChunks;
    const bool valid = row < rows.total;
    const T* from = q;
    if (valid) {
      from += row % rows.group * layout.head_stride + row / rows.group * layout.row_stride +
              i % kChunks * 8;
    }
    copy_or_zero(tile.address(i / kChunks, i % kChunks), from, valid);
  }
}

// Gives Q the sign of the scale (softmax.cuh), 0 where that is 0. Each thread turns what it copied
// itself, so it needs no barrier before.
template <int kThreads, int kRows, int kColumns>
__device__ __forceinline__ void turn_sign_of_q(SharedTile<kRows, kColumns> tile, float scale,
                                               int thread) {
  if (scale > 0) return;
  constexpr int kChunks = kColumns / 8;
  const std::uint32_t kept = scale == 0 ? 0u : ~0u, turned = scale == 0 ? 0u : 0x80008000u;
  for (int i = thread; i < kRows * kChunks; i += kThreads) {
    const std::uint32_t at = tile.address(i / kChunks, i % kChunks);
    std::uint32_t x[4];
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(at)
                 : "memory");
    for (std::uint32_t& pair : x) pair = (pair & kept) ^ turned;
    asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(x[0]), "r"(x[1]), "r"(x[2]),
                 "r"(x[3])
                 : "memory");
  }
}

// mask_scores() for packed rows: `first_row` is the packed row of the warp's row 0.
template <int kColumns>
__device__ __forceinline__ void mask_packed_scores(Scores<1, kColumns>& s, const Band& band,
                                                   const PackedRows& rows, int first_row,
                                                   int first_key, int lane) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const IndexRange keys = visible_keys(band, (first_row + half * 8 + lane / 4) / rows.group);
    const int first_column = first_key + lane % 4 * 2;
    const int begin = static_cast<int>(keys.begin) - first_column;
    const int end = static_cast<int>(keys.end) - first_column;
#pragma unroll
    for (int n = 0; n < kColumns / 8; ++n) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int column = n * 8 + i;
        if (column < begin || column >= end) s.x[0][n][half * 2 + i] = minus_infinity();
      }
    }
  }
}

}  // namespace flashscope::gpu
