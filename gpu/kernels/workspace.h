// Where each algorithm's workspace lies in device memory; sizes in bytes, every part aligned to
// 256. One place, read by the launcher (how much) and by the kernels (where).
//   fa1       O_work (heads, q_len, head_dim) fp32, m_work (heads, q_len), l_work (heads, q_len)
//   split_kv  O_part (heads, splits, q_len, head_dim) fp32, LSE_part (heads, splits, q_len)
//   standard  S (heads, q_len, kv_pitch) in the dtype, P likewise; kv_pitch is kv_len rounded up so
//             that rows begin at whole 128-byte lines, and the padding is never read as data
// heads = batch * q_heads, batch outermost.
#pragma once

#include <cstdint>

#include "gpu/launch/algorithm.h"
#include "sim/attention/tile_plan.h"

namespace flashscope::gpu {

struct WorkspaceShape {
  std::int64_t heads = 0, q_len = 0, kv_len = 0, head_dim = 0, splits = 1;
};

struct Workspace {
  std::int64_t first = 0;   // byte offset of O_work, O_part or S: always 0
  std::int64_t second = 0;  // of m_work, LSE_part or P
  std::int64_t third = 0;   // of l_work
  std::int64_t bytes = 0;
};

// Elements from one row of S or P to the next: whole lines of 128 bytes, of 2-byte elements. The
// smallest unit that L2 hands out is 32 bytes; rows that begin inside one cost an eighth more.
FLASHSCOPE_HOST_DEVICE constexpr std::int64_t score_pitch(std::int64_t kv_len) {
  return ceil_div(kv_len, 64) * 64;
}

FLASHSCOPE_HOST_DEVICE constexpr Workspace workspace(Algorithm algorithm, const WorkspaceShape& s) {
  constexpr std::int64_t kAlign = 256, kFloat = 4, kScore = 2;
  const std::int64_t rows = s.heads * s.q_len;
  std::int64_t first = 0, second = 0, third = 0;  // sizes
  if (algorithm == Algorithm::fa1) {
    first = rows * s.head_dim * kFloat;
    second = third = rows * kFloat;
  } else if (algorithm == Algorithm::split_kv) {
    first = rows * s.splits * s.head_dim * kFloat;
    second = rows * s.splits * kFloat;
  } else if (algorithm == Algorithm::standard) {
    first = second = rows * score_pitch(s.kv_len) * kScore;
  }
  Workspace result;
  result.second = ceil_div(first, kAlign) * kAlign;
  result.third = result.second + ceil_div(second, kAlign) * kAlign;
  result.bytes = result.third + ceil_div(third, kAlign) * kAlign;
  return result;
}

}  // namespace flashscope::gpu
