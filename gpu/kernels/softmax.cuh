// The online softmax on the accumulators of a warp (Milakov and Gimelshein 2018; FlashAttention-2,
// section 3.1). A warp holds kBlocks blocks of 16 query rows; in each block a lane holds parts of
// two rows, g and g + 8 (mma.cuh), and keeps m and l of both.
//
// m is the maximum of Q K' itself, before the scale, and every exponential is
//
//   exp(scale * s - scale * m) = 2^(c * s - c * m),   c = |scale| * log2 e,
//
// one multiply-add and one ex2 each. A negative scale turns the sign of Q instead (exactly), so
// that the maximum is always the right one. l is a lane's own part of the row sum until the end.
#pragma once

#include <cstdint>

#include "gpu/kernels/mma.cuh"
#include "sim/attention/tile_plan.h"

namespace flashscope::gpu {

constexpr float kLog2e = 1.4426950408889634f, kLn2 = 0.6931471805599453f;
// c * m is rounded once per row, which a whole row has in common and which cancels in O / l: but
// only while the rounding is far below 1. Beyond this, m is subtracted before the multiplication.
constexpr float kLargestFoldedScore = 1024.0f;

__device__ __forceinline__ float minus_infinity() { return __int_as_float(0xff800000); }

__device__ __forceinline__ float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// S of a warp: (kBlocks * 16 rows, kColumns), in the layout of mma.cuh.
template <int kBlocks, int kColumns>
struct Scores {
  float x[kBlocks][kColumns / 8][4];
};

// The factors that a scale of any sign turns into.
struct Scale {
  float log2;     // c; 1 when the scale is 0, where Q is set to 0 instead
  float natural;  // |scale|
  __device__ __forceinline__ explicit Scale(float scale)
      : log2(scale == 0 ? 1.0f : fabsf(scale) * kLog2e), natural(fabsf(scale)) {}
};

template <int kBlocks>
struct SoftmaxState {
  float m[kBlocks][2], l[kBlocks][2];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
      m[b][0] = m[b][1] = minus_infinity();
      l[b][0] = l[b][1] = 0;
    }
  }
};

// What a step needs of its new maxima.
template <int kBlocks>
struct SoftmaxStep {
  float alpha[kBlocks][2];
  float reference[kBlocks][2];  // c * m_new, which p's exponent is taken against
};

// Scores that a row does not see become -inf. first_row: the query row of the warp's row 0;
// first_key: the key of column 0.
template <int kBlocks, int kColumns>
__device__ __forceinline__ void mask_scores(Scores<kBlocks, kColumns>& s, const Band& band,
                                            int first_row, int first_key, int lane) {
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const IndexRange keys = visible_keys(band, first_row + b * 16 + half * 8 + lane / 4);
      const int first_column = first_key + (lane % 4) * 2;
      const int begin = static_cast<int>(keys.begin) - first_column;
      const int end = static_cast<int>(keys.end) - first_column;
#pragma unroll
      for (int n = 0; n < kColumns / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int column = n * 8 + i;
          if (column < begin || column >= end) s.x[b][n][half * 2 + i] = minus_infinity();
        }
      }
    }
  }
}

// m_new = max(m, rowmax S) into state.m; returns alpha and the references of the exponentials.
// Rows that have seen nothing yet have m = -inf: their reference is 0, so that no -inf is
// subtracted from another.
template <int kBlocks, int kColumns>
__device__ __forceinline__ SoftmaxStep<kBlocks> update_max(Scores<kBlocks, kColumns>& s,
                                                           SoftmaxState<kBlocks>& state,
                                                           const Scale& scale) {
  SoftmaxStep<kBlocks> step;
  bool large = false;
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float m_new = state.m[b][half];
#pragma unroll
      for (int n = 0; n < kColumns / 8; ++n) {
        m_new = fmaxf(m_new, fmaxf(s.x[b][n][half * 2], s.x[b][n][half * 2 + 1]));
      }
      m_new = quad_max(m_new);
      const float finite = m_new == minus_infinity() ? 0.0f : m_new;
      step.alpha[b][half] = exp2_fast((state.m[b][half] - finite) * scale.log2);
      step.reference[b][half] = finite * scale.log2;
      large |= fabsf(step.reference[b][half]) > kLargestFoldedScore;
      state.m[b][half] = m_new;
    }
  }
  if (__any_sync(~0u, large)) {
#pragma unroll
    for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if (!(fabsf(step.reference[b][half]) > kLargestFoldedScore)) continue;
        step.reference[b][half] = 0;
#pragma unroll
        for (int n = 0; n < kColumns / 8; ++n) {
          s.x[b][n][half * 2] -= state.m[b][half];
          s.x[b][n][half * 2 + 1] -= state.m[b][half];
        }
      }
    }
  }
  return step;
}

// P = exp(S - m_new) of columns [16 k, 16 k + 16), as an A operand in T; adds to l what it sums to.
template <typename T, int kBlocks, int kColumns>
__device__ __forceinline__ void exponentials(std::uint32_t (&p)[4],
                                             const Scores<kBlocks, kColumns>& s, int block, int k,
                                             const SoftmaxStep<kBlocks>& step, const Scale& scale,
                                             SoftmaxState<kBlocks>& state) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {  // a[i]: row half i % 2, column half i / 2
    const int half = i % 2;
    const float(&x)[4] = s.x[block][2 * k + i / 2];
    const float reference = step.reference[block][half];
    const float p0 = exp2_fast(x[half * 2] * scale.log2 - reference);
    const float p1 = exp2_fast(x[half * 2 + 1] * scale.log2 - reference);
    state.l[block][half] += p0 + p1;
    p[i] = pack<T>(p0, p1);
  }
}

}  // namespace flashscope::gpu
