// A tile of 16-bit rows in shared memory, and its way there and back.
//
// ldmatrix reads 8 rows x 16 bytes at a time. In a plain layout the rows' 16-byte chunks of one
// column lie 2 * head_dim bytes apart, all in the same banks, and the eight reads queue up. Here a
// tile is cut into panels of 64 columns (32 where 64 does not divide head_dim), so that a row of a
// panel is 128 (64) bytes, and chunk c of row r is stored at place c ^ (r % 8) (c ^ (r / 2 % 4)):
// any 8 neighbouring rows of a column of chunks then cover all 32 banks once. The picture, 64
// columns wide, a digit being the logical chunk at each place:
//
//   row 0   0 1 2 3 4 5 6 7
//   row 1   1 0 3 2 5 4 7 6
//   row 2   2 3 0 1 6 7 4 5
//   row 3   3 2 1 0 7 6 5 4   ...
#pragma once

#include <cstdint>

#include "gpu/kernels/mma.cuh"

namespace flashscope::gpu {

template <int kRows, int kColumns>
struct SharedTile {
  static constexpr int kRowCount = kRows, kColumnCount = kColumns;
  static constexpr int kPanelColumns = kColumns % 64 == 0 ? 64 : 32;
  static constexpr int kRowBytes = kPanelColumns * 2;  // of one panel
  static constexpr int kPanelBytes = kRows * kRowBytes;
  static constexpr int kBytes = kRows * kColumns * 2;
  static_assert(kColumns % 32 == 0 && kRows % 8 == 0);

  std::uint32_t base;  // shared-memory address, aligned to 128 bytes

  // What chunk numbers are XORed with in this row.
  static __device__ __forceinline__ int swizzle(int row) {
    return kPanelColumns == 64 ? row & 7 : (row >> 1) & 3;
  }

  // Address of elements [8 * chunk, 8 * chunk + 8) of a row.
  __device__ __forceinline__ std::uint32_t address(int row, int chunk) const {
    constexpr int kChunks = kPanelColumns / 8;
    return base + static_cast<std::uint32_t>((chunk / kChunks) * kPanelBytes + row * kRowBytes +
                                             ((chunk % kChunks) ^ swizzle(row)) * 16);
  }
};

// ldmatrix addresses of one lane in a tile. The swizzle of a lane's row is the same in every 8-row
// block, and a row of a panel starts at a multiple of its own size: so the address in any 16x16
// block is the lane's address in block (0, 0), one XOR and a constant away.
template <typename Tile>
struct LaneAddress {
  std::uint32_t start;

  // row_in_block: 0..15, chunk_bit: 0 or 1, of the lane's row among the 16x16 elements of a load.
  __device__ __forceinline__ LaneAddress(Tile tile, int row_in_block, int chunk_bit)
      : start(tile.address(row_in_block, chunk_bit)) {}

  // Of the 16x16 block at rows 16 * row_block and columns 16 * column_block.
  __device__ __forceinline__ std::uint32_t block(int row_block, int column_block) const {
    constexpr int kBlocks = Tile::kPanelColumns / 16;
    const auto constant = static_cast<std::uint32_t>((column_block / kBlocks) * Tile::kPanelBytes +
                                                     row_block * 16 * Tile::kRowBytes);
    return (start ^ static_cast<std::uint32_t>((column_block % kBlocks) * 32)) + constant;
  }
};

// Lane addresses for the three operands that kernels load. `lane` is 0..31.
template <typename Tile>
__device__ __forceinline__ LaneAddress<Tile> a_operand(Tile tile, int first_row, int lane) {
  // Matrices: rows 0-7 | rows 8-15 | rows 0-7, columns 8-15 | rows 8-15, columns 8-15.
  LaneAddress<Tile> address(tile, lane % 16, lane / 16);
  address.start += static_cast<std::uint32_t>(first_row * Tile::kRowBytes);
  return address;
}
// B = tile', as K in Q K': x[0], x[1] are b0, b1 of the block's first 8 rows, x[2], x[3] of the
// others.
template <typename Tile>
__device__ __forceinline__ LaneAddress<Tile> b_operand(Tile tile, int lane) {
  return {tile, (lane / 16) * 8 + lane % 8, (lane / 8) % 2};
}
// B = tile, as V in P V, with ldmatrix_transposed: x[0], x[1] are b0, b1 of the block's first 8
// columns, x[2], x[3] of the others.
template <typename Tile>
__device__ __forceinline__ LaneAddress<Tile> b_operand_transposed(Tile tile, int lane) {
  return {tile, lane % 16, lane / 16};
}

// 16 bytes from global to shared memory, past L1 and past the registers.
__device__ __forceinline__ void copy_async(std::uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from)
               : "memory");
}
__device__ __forceinline__ void zero_shared(std::uint32_t to) {
  asm volatile("st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(to), "r"(0) : "memory");
}
// Closes the group of copies that this thread has started since the last one.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until at most kPending of this thread's groups are under way.
template <int kPending>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// Copies of one tensor's rows, tile after tile, into shared memory by all threads of a block. Each
// thread copies the same 16-byte pieces of every tile and keeps the address of its first.
template <int kThreads, typename T, int kRows, int kColumns>
class TileStream {
 public:
  using Tile = SharedTile<kRows, kColumns>;

  // row0: first row of the first tile; row_stride in elements.
  __device__ __forceinline__ TileStream(const T* row0, std::int64_t row_stride, int thread)
      : next_(row0 + row_of(0, thread) * row_stride + chunk_of(0, thread) * 8),
        row_stride_(row_stride),
        thread_(thread) {}

  // Starts the copy of the next tile's rows [0, valid_rows); the rows after them become zeros.
  __device__ __forceinline__ void load(Tile tile, int valid_rows) {
    if (valid_rows >= kRows) {  // nearly every tile
      copy<false>(tile, valid_rows);
    } else {
      copy<true>(tile, valid_rows);
    }
    next_ += kRows * row_stride_;
  }

 private:
  static constexpr int kChunks = kColumns / 8;  // of a row
  static constexpr int kPasses = kRows * kChunks / kThreads;
  static_assert(kRows * kChunks % kThreads == 0, "every thread copies equally many chunks");
  // Passes cover whole rows, in multiples of 8: a thread keeps its chunk and its swizzle.
  static constexpr bool kWholeRows = kThreads % (kChunks * 8) == 0;

  static __device__ __forceinline__ int row_of(int pass, int thread) {
    return kWholeRows ? pass * (kThreads / kChunks) + thread / kChunks
                      : (pass * kThreads + thread) / kChunks;
  }
  static __device__ __forceinline__ int chunk_of(int pass, int thread) {
    return kWholeRows ? thread % kChunks : (pass * kThreads + thread) % kChunks;
  }

  template <bool kPartial>
  __device__ __forceinline__ void copy(Tile tile, int valid_rows) {
    const std::uint32_t first = tile.address(row_of(0, thread_), chunk_of(0, thread_));
    const int row0 = row_of(0, thread_), chunk0 = chunk_of(0, thread_);
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const int row = row_of(pass, thread_), chunk = chunk_of(pass, thread_);
      const T* from = kWholeRows ? next_ + pass * (kThreads / kChunks) * row_stride_
                                 : next_ + ((row - row0) * row_stride_ + (chunk - chunk0) * 8);
      const std::uint32_t to =
          kWholeRows
              ? first + static_cast<std::uint32_t>(pass * (kThreads / kChunks) * Tile::kRowBytes)
              : tile.address(row, chunk);
      if (kPartial && row >= valid_rows) {
        zero_shared(to);
      } else {
        copy_async(to, from);
      }
    }
  }

  const T* next_;
  std::int64_t row_stride_;
  int thread_;
};

}  // namespace flashscope::gpu
