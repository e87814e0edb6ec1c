// The tensor cores of sm_80 and how their operands lie in registers (PTX ISA, "Matrix fragments for
// mma.m16n8k16"). A warp multiplies a 16x16 A by a 16x8 B into a 16x8 fp32 D. With g = lane / 4 and
// t = lane % 4, a lane holds
//
//   D: d[0], d[1] row g,     columns 2t, 2t+1        A: a[0] row g,   columns 2t, 2t+1
//      d[2], d[3] row g + 8, columns 2t, 2t+1           a[1] row g+8, columns 2t, 2t+1
//                                                       a[2] row g,   columns 2t+8, 2t+9
//   B: b0 rows 2t, 2t+1, b1 rows 2t+8, 2t+9; column g    a[3] row g+8, columns 2t+8, 2t+9
//
// So D rounded to 16 bits is an A operand as it stands: two D blocks side by side make one A. That
// is why P never leaves the registers. The four lanes of a quad share a row of D.
#pragma once

#include <cstdint>
#include <type_traits>

#include "gpu/kernels/element.cuh"

namespace flashscope::gpu {

constexpr int kWarpSize = 32;

// d += a b
template <typename T>
__device__ __forceinline__ void mma(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
  if constexpr (std::is_same_v<T, __half>) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

// Four 8x8 matrices of 16-bit elements from shared memory: lane i gives the address of row i % 8 of
// matrix i / 8 (16 bytes each), and receives in x[n] elements 2t and 2t+1 of row g of matrix n.
__device__ __forceinline__ void ldmatrix(std::uint32_t (&x)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(address)
               : "memory");
}
// The same with each matrix transposed on the way.
__device__ __forceinline__ void ldmatrix_transposed(std::uint32_t (&x)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
               : "r"(address)
               : "memory");
}

// Over the four lanes that share a row.
__device__ __forceinline__ float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float quad_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

}  // namespace flashscope::gpu
