// Traffic of the four built-in tables as formulas, the way the papers state them: the numbers that
// counting must give, from arithmetic that shares nothing with the Program, the tile plan or
// count(). Left out: mask expressions, which have no formula, and tables of the user's own.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/attention/problem.h"
#include "sim/attention/tiling.h"

namespace flashscope {

// Bytes loaded and stored between HBM and SRAM by the built-in table `algorithm_name` (standard,
// fa1, fa2 or split_kv) over the whole problem, fa1's init phase apart. Nothing for a mask
// expression or another name. Problem and tiling must be valid. Takes time linear in the number of
// q tiles.
std::optional<std::int64_t> closed_form_bytes(const Problem& problem, const Tiling& tiling,
                                              const Precision& precision,
                                              std::string_view algorithm_name);

// The papers' own counts, in elements of one head with N queries and N keys and no mask.

// Standard attention, 4N^2 + 4Nd: S and P written and read once each, and Q, K, V, O passed once.
// It takes an SRAM that never reads a row of Q, K or V twice. Dao et al. 2022, Algorithm 0.
std::int64_t standard_paper_elements(std::int64_t n, std::int64_t head_dim);

// FlashAttention, N^2 d^2 / M rounded down, for an SRAM of M elements, d <= M <= Nd. An order of
// growth with the constant left out: Dao et al. 2022, Theorem 2.
std::int64_t flash_paper_elements(std::int64_t n, std::int64_t head_dim,
                                  std::int64_t sram_elements);

}  // namespace flashscope
