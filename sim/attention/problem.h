// The attention problem: shapes, scale, mask and storage format, and nothing about how it is
// solved. Semantics (causal alignment, windows, empty rows) are those of visible_keys() in
// tile_plan.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/attention/format.h"
#include "sim/expression/mask_expression.h"

namespace flashscope {

constexpr std::int64_t kUnbounded = -1;  // a window side without limit

// Which keys a query row sees; the three parts intersect.
struct Mask {
  bool causal = false;  // bottom-right aligned: row r sees keys <= r + kv_len - q_len
  std::int64_t window_left = kUnbounded;   // keys to the left of the diagonal, inclusive
  std::int64_t window_right = kUnbounded;  // keys to the right of the diagonal, inclusive
  std::optional<expression::MaskExpression> expression;
};

// q: (batch, q_heads, q_len, head_dim); k, v: (batch, kv_heads, kv_len, head_dim);
// o: as q; lse: (batch, q_heads, q_len), natural log, fp32.
// Query head h reads kv head h / (q_heads / kv_heads).
struct Problem {
  std::int64_t batch = 1;
  std::int64_t q_heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t q_len = 0;
  std::int64_t kv_len = 0;
  std::int64_t head_dim = 1;
  double scale = 1.0;  // multiplies Q K'; any sign, or zero
  Mask mask;
  Format dtype = Format::fp16;  // of Q, K, V and O in HBM
};

// head_dim^-1/2.
double default_scale(std::int64_t head_dim);

// Throws Error, naming the option to change, when a size is negative, the q heads are not a
// multiple of the kv heads, head_dim is outside 1..512, a window bound is below -1, the scale is
// not finite, or the problem is so large that its operations could not be counted in 64 bits.
void validate(const Problem& problem);

// One line for people: "B2 H8/2 Lq 1500 Lk 1500 D64 fp16 causal window 127,0 mask `k<4`".
std::string describe(const Problem& problem);

}  // namespace flashscope
