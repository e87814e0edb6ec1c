// Attention in fp64, straight from its definition: softmax(scale * Q K' + mask) V, row by row. This
// is the oracle that everything else is held against, so it shares no arithmetic, no tiling and no
// mask code with the simulator: it includes the plain problem struct and the expression engine
// only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/attention/problem.h"
#include "sim/index_range.h"

namespace flashscope::reference {

// Writes head_dim values of one row: (batch, head, row, out). For K and V, head counts kv heads.
// Must be callable from several threads at once.
using RowReader = std::function<void(std::int64_t, std::int64_t, std::int64_t, double*)>;

struct Inputs {
  RowReader q, k, v;
};

struct Rows {
  std::vector<double> o;    // (rows, head_dim); a row that sees no key is 0
  std::vector<double> lse;  // (rows), natural log; -inf for a row that sees no key
};

// The given query rows of one batch and query head, over all keys that the mask shows them.
// Memory: O(rows * (head_dim + some hundred keys)), never O(rows * kv_len).
Rows attention(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t head,
               std::span<const std::int64_t> rows);

// The same over a part of the keys only: "what would the answer be, had the softmax ended here?"
// (the prefix truth). `keys` are disjoint ranges; the mask still applies inside them.
Rows attention_over(const Problem& problem, const Inputs& inputs, std::int64_t batch,
                    std::int64_t head, std::span<const std::int64_t> rows,
                    std::span<const IndexRange> keys);

// The scores of one query row with the keys of a range, scale * q.k, each into its element of
// `result` (keys.size()); -inf where the mask hides the key.
void scores(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t head,
            std::int64_t row, IndexRange keys, std::span<double> result);

}  // namespace flashscope::reference
