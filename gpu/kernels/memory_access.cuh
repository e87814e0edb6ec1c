// Loads, stores and copies that take an instruction of their own. Those of device memory go past
// L1, which would not notice what other SMs have written since; to the compiler they stay in order
// with one another.
#pragma once

#include <cstdint>

#include "gpu/kernels/shared_tile.cuh"

namespace flashscope::gpu {

// 16 bytes, aligned to 16.
__device__ __forceinline__ void load_16_bytes(std::uint32_t (&x)[4], const void* from) {
  asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "l"(from)
               : "memory");
}
__device__ __forceinline__ void store_16_bytes(void* to, const std::uint32_t (&x)[4]) {
  asm volatile("st.global.cg.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(x[0]), "r"(x[1]),
               "r"(x[2]), "r"(x[3])
               : "memory");
}
__device__ __forceinline__ float4 load_float4(const float* from) {
  float4 x;
  asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
               : "l"(from)
               : "memory");
  return x;
}
__device__ __forceinline__ void store_float4(float* to, const float4& x) {
  asm volatile("st.global.cg.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(to), "f"(x.x), "f"(x.y), "f"(x.z),
               "f"(x.w)
               : "memory");
}
__device__ __forceinline__ float load_float(const float* from) {
  float x;
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(x) : "l"(from) : "memory");
  return x;
}
__device__ __forceinline__ void store_float(float* to, float x) {
  asm volatile("st.global.cg.f32 [%0], %1;" ::"l"(to), "f"(x) : "memory");
}

// Shared memory, by its address.
__device__ __forceinline__ void get_16_bytes(std::uint32_t (&x)[4], std::uint32_t from) {
  asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ void put_16_bytes(std::uint32_t to, const std::uint32_t (&x)[4]) {
  asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(x[0]), "r"(x[1]), "r"(x[2]),
               "r"(x[3])
               : "memory");
}
__device__ __forceinline__ void put_4_bytes(std::uint32_t to, std::uint32_t x) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(x) : "memory");
}

// 16 bytes from global to shared memory, past L1 and past the registers. Only the first `bytes`
// (0..16) are read; the others become zeros.
__device__ __forceinline__ void copy_async_part(std::uint32_t to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(bytes)
               : "memory");
}

// Starts the copy of a tile by kThreads threads. `from` is its first element; rows and columns from
// valid_rows and valid_columns on become zeros without being read. row_stride in elements.
template <int kThreads, int kRows, int kColumns, typename T>
__device__ __forceinline__ void load_part(SharedTile<kRows, kColumns> tile, const T* from,
                                          std::int64_t row_stride, int valid_rows,
                                          int valid_columns, int thread) {
  constexpr int kChunks = kColumns / 8;  // of a row
  constexpr int kPasses = kRows * kChunks / kThreads;
  static_assert(kRows * kChunks % kThreads == 0, "every thread copies equally many chunks");
  constexpr bool kWholeRows = kThreads % kChunks == 0;  // in a pass: a thread keeps its chunk
  if (kWholeRows && valid_rows >= kRows && valid_columns >= kColumns) {  // nearly always
    constexpr int kPassRows = kThreads / kChunks;
    const int row = thread / kChunks, chunk = thread % kChunks;
    const T* next = from + row * row_stride + chunk * 8;
#pragma unroll
    for (int i = 0; i < kPasses; ++i, next += kPassRows * row_stride) {
      copy_async_part(tile.address(row + i * kPassRows, chunk), next, 16);
    }
    return;
  }
#pragma unroll 1
  for (int i = 0; i < kPasses; ++i) {
    const int row = (i * kThreads + thread) / kChunks, chunk = (i * kThreads + thread) % kChunks;
    const int valid = row < valid_rows ? min(max(valid_columns - chunk * 8, 0), 8) : 0;
    copy_async_part(tile.address(row, chunk), from + (valid > 0 ? row * row_stride + chunk * 8 : 0),
                    valid * static_cast<int>(sizeof(T)));
  }
}

}  // namespace flashscope::gpu
