// The two 16-bit formats: packing two fp32 numbers into one register, and back.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace flashscope::gpu {

// Rounds to nearest even; `low` goes to the lower half, which is the smaller column.
template <typename T>
__device__ __forceinline__ std::uint32_t pack(float low, float high);
template <>
__device__ __forceinline__ std::uint32_t pack<__half>(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return reinterpret_cast<const std::uint32_t&>(pair);
}
template <>
__device__ __forceinline__ std::uint32_t pack<__nv_bfloat16>(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const std::uint32_t&>(pair);
}

template <typename T>
__device__ __forceinline__ float2 unpack(std::uint32_t pair);
template <>
__device__ __forceinline__ float2 unpack<__half>(std::uint32_t pair) {
  return __half22float2(reinterpret_cast<const __half2&>(pair));
}
template <>
__device__ __forceinline__ float2 unpack<__nv_bfloat16>(std::uint32_t pair) {
  return __bfloat1622float2(reinterpret_cast<const __nv_bfloat162&>(pair));
}

}  // namespace flashscope::gpu
