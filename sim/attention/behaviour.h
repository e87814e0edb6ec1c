// What the machine does beyond the lines of a table, as data: how the diagonal is aligned, which kv
// tiles a loop visits, which keys a load fetches, how the outputs are written. The defaults are
// right; every other value is a fault or a foreign convention of faults.h. Each field is consulted
// in one place, which the comment names. Left out: what a line of the table can say by itself.
#pragma once

#include <cstdint>

#include "sim/attention/problem.h"
#include "sim/attention/tile_plan.h"

namespace flashscope {

// Which kv tiles a causal loop visits. All but the first are mistakes in its bounds.
enum class CausalLoop : std::uint8_t {
  right,
  beyond_diagonal,           // the diagonal's tiles and those after it; masked
  beyond_diagonal_unmasked,  // the same, taken for tiles that need no mask
  diagonal_left_out,         // ends before the first tile that the diagonal crosses
  last_left_out,             // ends one tile early
  stages_overlap,            // unmasked and masked stage both take the tile where they meet
  stages_leave_hole,         // neither does
};

// How LSE is written.
enum class LseForm : std::uint8_t { natural, base_2, infinite_when_empty };

struct Behaviour {
  // Band of the mask (mask_band() below); causal problems only.
  std::int64_t causal_shift = 0;               // keys more (or fewer) that each row sees
  bool causal_is_top_left = false;             // row r sees keys <= r
  CausalLoop causal_loop = CausalLoop::right;  // TileMap
  bool masks_tail = true;                      // Interpreter, Memory: keys past the end are hidden
  // Interpreter: 2^x where e^x is meant, in exp(S - m) and in exp(m - m_new).
  bool tile_exponent_base_2 = false, factor_exponent_base_2 = false;
  // Memory, where rows of HBM are found.
  bool stale_k = false, stale_v = false;  // step j reads the tile of step j - 1
  bool kv_head_modulo = false;            // q head h reads kv head h % kv_heads
  bool kv_strides_swapped = false;        // K lies (b,h,s,d), V (b,s,h,d); read the other way round
  bool layout_swapped = false;            // everything lies (b,h,s,d) and is taken for (b,s,h,d)
  LseForm lse = LseForm::natural;
  bool accumulate_in_fp16 = false;  // Program: overrides the precision of the accumulator

  bool changes_addresses() const {
    return stale_k || stale_v || kv_head_modulo || kv_strides_swapped || layout_swapped;
  }
};

// The diagonal band of a problem's mask.
inline Band mask_band(const Problem& problem, const Behaviour& behaviour) {
  const Mask& mask = problem.mask;
  Band band =
      make_band(problem.q_len, problem.kv_len, mask.causal, mask.window_left, mask.window_right);
  if (!mask.causal) return band;
  band.right += behaviour.causal_shift;
  if (behaviour.causal_is_top_left) band.offset = 0;
  return band;
}

// A row of a head, as (batch, heads, rows, columns) tensors are addressed.
struct HeadRow {
  std::int64_t head = 0, row = 0;
  friend constexpr bool operator==(const HeadRow&, const HeadRow&) = default;
};

// What lies where (head, row) is looked for, when data in the order (heads, rows) is read as
// (rows, heads), and the reverse.
constexpr HeadRow read_as_rows_heads(HeadRow wanted, std::int64_t heads, std::int64_t rows) {
  const std::int64_t place = wanted.row * heads + wanted.head;
  return {place / rows, place % rows};
}
constexpr HeadRow read_as_heads_rows(HeadRow wanted, std::int64_t heads, std::int64_t rows) {
  const std::int64_t place = wanted.head * rows + wanted.row;
  return {place % heads, place / heads};
}

}  // namespace flashscope
