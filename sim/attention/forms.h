// The closed list of statements that an .alg table may hold. Each form is one kind of operation;
// the interpreter, the costs and the walk's formulas switch over the same kinds. In the patterns,
// A B C stand for tiles, u v w x for vectors (one entry per row), n for a number, H for a tensor in
// HBM, F for a number format; everything else is literal. B' is B transposed.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace flashscope {

enum class LineKind : std::uint8_t {
  load,              // HBM -> chip
  store,             // chip -> HBM
  fill,              // every element = n
  product,           // S = scale * Q K'
  scale,             // S = scale * S
  mask,              // invisible elements = -inf
  row_max,           // m = rowmax S
  running_max,       // m_new = max(m, rowmax S)
  keep_max,          // m_new = m where it grew by no more than the threshold
  exp_tile,          // P = exp(S - m)
  exp_vector,        // alpha = exp(m - m_new)
  row_sum,           // l = rowsum P
  running_sum,       // l = alpha * l + rowsum P
  add_row_sum,       // l = l + rowsum P
  multiply,          // l = alpha * l
  rescale,           // O = alpha * O
  accumulate,        // O = O + P V
  accumulate_split,  // O = O + W[split] * O_part
  divide,            // O = O / l, 0 where l = 0
  copy,              // m = m_new
  log_sum_exp,       // LSE = m + ln l
  cast,              // round to a stage's format
};

std::string_view name_of(LineKind kind);

struct Form {
  LineKind kind;
  std::string_view pattern;
  std::string_view meaning;
};

// In the order of the documentation. Several patterns may share a kind.
std::span<const Form> forms();

}  // namespace flashscope
