// Copies into shared memory whose rows may end early, and what a thread works out once when the
// same few threads copy slice after slice of the kv tiles.
#pragma once

#include <cstdint>

#include "gpu/kernels/shared_tile.cuh"

namespace flashscope::gpu {

// 16 bytes from global to shared memory, past L1 and past the registers; zeros when !valid, without
// reading. In order with the thread's other copies, so one wait is for both.
__device__ __forceinline__ void copy_or_zero(std::uint32_t to, const void* from, bool valid) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(valid ? 16 : 0)
               : "memory");
}

// kThreads threads copy panel by panel: in a pass they cover kRowsPerPass rows of every panel. A
// thread keeps its place in the rows, so that from pass to pass only a row step is added.
template <typename Tile, int kThreads>
struct SliceCopy {
  static constexpr int kPanelChunks = Tile::kPanelColumns / 8;
  static constexpr int kPanels = Tile::kColumnCount / Tile::kPanelColumns;
  static constexpr int kRowsPerPass = kThreads / kPanelChunks;
  static constexpr int kPasses = Tile::kRowCount / kRowsPerPass;
  static_assert((kRowsPerPass & (kRowsPerPass - 1)) == 0, "start() needs a power of two");
  static_assert(kPasses * kRowsPerPass == Tile::kRowCount, "every thread copies equally much");

  int row, chunk;  // of the first pass

  // thread: 0 .. kThreads - 1
  __device__ __forceinline__ explicit SliceCopy(int thread)
      : row(thread / kPanelChunks), chunk(thread % kPanelChunks) {}

  // Starts the copy of rows [0, valid_rows); the rows after them become zeros, without reading.
  // row0: the slice's first row, row_stride in elements.
  template <typename T>
  __device__ __forceinline__ void start(Tile tile, const T* row0, std::int64_t row_stride,
                                        int valid_rows) const {
    const std::uint32_t first = tile.address(row, chunk);
    const T* from = row0 + row * row_stride + chunk * 8;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      // `row` has no bit in common with the row that the pass starts at: their swizzles XOR.
      const int pass_row = pass * kRowsPerPass;
      const std::uint32_t to = (first ^ static_cast<std::uint32_t>(Tile::swizzle(pass_row) * 16)) +
                               static_cast<std::uint32_t>(pass_row * Tile::kRowBytes);
      const bool valid = row + pass_row < valid_rows;
#pragma unroll
      for (int panel = 0; panel < kPanels; ++panel) {
        copy_or_zero(to + static_cast<std::uint32_t>(panel * Tile::kPanelBytes),
                     from + panel * Tile::kPanelColumns, valid);
      }
      from += kRowsPerPass * row_stride;
    }
  }
};

}  // namespace flashscope::gpu
