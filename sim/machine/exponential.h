// e^x in fp32, without a branch, so that a loop over it becomes vector instructions, and with the
// same bits on every machine: no library whose version matters, and no fused multiply-add as long
// as the build says -ffp-contract=off. Within 1.1 ulp of the true value. At the edges:
//   e^0 = 1 exactly, e^-inf = 0 exactly, NaN stays NaN, overflow is +inf,
//   a result below the smallest normal fp32 (x < -87.3365) is 0, as with the GPU's ex2.approx.ftz.
// Left out: subnormal results, and the larger error of the GPU's own approximation.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace flashscope {

inline float exponential(float x) {
  constexpr float kLargest = 88.7228317F;    // e^x is the last below FLT_MAX
  constexpr float kSmallest = -87.3365402F;  // e^x is the last above FLT_MIN
  constexpr float kLog2E = 1.44269504F;
  // ln 2 in two parts; the first has so few bits that n times it is exact for every n here.
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it leaves no room for a fraction

  const float low = x < kSmallest ? kSmallest : x;
  const float clamped = low > kLargest ? kLargest : low;

  // e^x = 2^n e^r with n an integer and |r| <= ln(2) / 2.
  const float shifted = clamped * kLog2E + kRounder;
  const float n = shifted - kRounder;
  const float r = (clamped - n * kLn2High) - n * kLn2Low;

  // The Taylor series; its ninth term is below a tenth of an ulp.
  float tail = 1.0F / 5040;
  tail = tail * r + 1.0F / 720;
  tail = tail * r + 1.0F / 120;
  tail = tail * r + 1.0F / 24;
  tail = tail * r + 1.0F / 6;
  tail = tail * r + 1.0F / 2;
  const float series = (tail * (r * r) + r) + 1.0F;

  // n sits in the low bits of `shifted`; moved to the exponent field it multiplies by 2^n.
  const std::uint32_t scaled_bits =
      std::bit_cast<std::uint32_t>(series) + (std::bit_cast<std::uint32_t>(shifted) << 23);
  const float scaled = std::bit_cast<float>(scaled_bits);

  const float not_small = x < kSmallest ? 0.0F : scaled;
  const float in_range = x > kLargest ? std::numeric_limits<float>::infinity() : not_small;
  return x == x ? in_range : x;
}

// out[i] = e^in[i] for i < count; in and out may be the same array, but not overlap otherwise.
inline void exponential(const float* in, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = exponential(in[i]);
}

inline void exponential_in_place(std::span<float> values) {
  for (float& value : values) value = exponential(value);
}

}  // namespace flashscope
