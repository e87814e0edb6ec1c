// The oracle of attention.h: two passes over the visible keys of a block of query rows. The first
// finds each row's largest score; the second sums e^(score - largest) and the weighted value rows,
// in ascending order of keys. Scores are computed twice rather than kept, which is what keeps
// memory small. Rows of a block share the reading of a key; no arithmetic crosses from one row to
// another, so a row's result does not depend on its company. Left out: threads (callers share rows
// out between them).
#include "sim/reference/attention.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

namespace flashscope::reference {
namespace {

constexpr std::size_t kBlockRows = 32;  // rows that share the reading of one key; GCC vectorises 32
constexpr std::int64_t kChunkKeys = 512;  // keys whose visibility is worked out at a time
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using BlockScores = std::array<double, kBlockRows>;

// visible[key - begin] for the keys of one chunk, straight from the definition of the mask.
void find_visible(const Problem& problem, const expression::MaskScope& scope, std::int64_t row,
                  IndexRange chunk, std::span<std::uint8_t> visible) {
  const Mask& mask = problem.mask;
  if (mask.expression) {
    mask.expression->visible_row(scope, row, chunk.begin, visible);
  } else {
    std::fill(visible.begin(), visible.end(), std::uint8_t{1});
  }
  for (std::int64_t key = chunk.begin; key < chunk.end; ++key) {
    const std::int64_t right_of_diagonal = key - (row + problem.kv_len - problem.q_len);
    const bool hidden = (mask.causal && right_of_diagonal > 0) ||
                        (mask.window_left != kUnbounded && -right_of_diagonal > mask.window_left) ||
                        (mask.window_right != kUnbounded && right_of_diagonal > mask.window_right);
    if (hidden) visible[static_cast<std::size_t>(key - chunk.begin)] = 0;
  }
}

// Up to kBlockRows query rows of one batch and head, and what has been found out about them so far.
class RowBlock {
 public:
  RowBlock(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t head,
           std::span<const std::int64_t> rows)
      : problem_(problem),
        inputs_(inputs),
        scope_{batch, head, problem.q_len, problem.kv_len},
        kv_head_(head / (problem.q_heads / problem.kv_heads)),
        head_dim_(static_cast<std::size_t>(problem.head_dim)),
        rows_(rows),
        q_(head_dim_ * kBlockRows),
        key_(head_dim_),
        value_(head_dim_),
        visible_(rows.size() * static_cast<std::size_t>(kChunkKeys)),
        weighted_(rows.size() * head_dim_) {
    largest_.fill(-kInfinity);
    std::vector<double> q_row(head_dim_);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      inputs.q(batch, head, rows[r], q_row.data());
      for (std::size_t d = 0; d < head_dim_; ++d) q_[d * kBlockRows + r] = q_row[d];
    }
  }

  void find_largest(std::span<const IndexRange> keys) {
    for_each_seen_key(keys, [this](std::int64_t key, std::size_t column) {
      const BlockScores scores = scores_of(key);
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (sees(r, column)) largest_[r] = std::max(largest_[r], scores[r]);
      }
    });
  }

  void sum(std::span<const IndexRange> keys) {
    for_each_seen_key(keys, [this](std::int64_t key, std::size_t column) {
      const BlockScores scores = scores_of(key);
      inputs_.v(scope_.batch, kv_head_, key, value_.data());
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        // A visible score of -inf is what a mask adds, so it is left out like a hidden key; this is
        // also what keeps -inf - -inf from happening.
        if (sees(r, column) && scores[r] != -kInfinity) add(r, std::exp(scores[r] - largest_[r]));
      }
    });
  }

  void write(double* o, double* lse) const {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const bool empty = sum_[r] == 0;
      lse[r] = empty ? -kInfinity : largest_[r] + std::log(sum_[r]);
      for (std::size_t d = 0; d < head_dim_; ++d) {
        o[r * head_dim_ + d] = empty ? 0 : weighted_[r * head_dim_ + d] / sum_[r];
      }
    }
  }

 private:
  bool sees(std::size_t r, std::size_t column) const {
    return visible_[r * static_cast<std::size_t>(kChunkKeys) + column] != 0;
  }

  // Calls visit(key, column of visible_) for every key that some row of the block sees. The others
  // are never read, so whatever stands in them cannot matter.
  template <class Visit>
  void for_each_seen_key(std::span<const IndexRange> keys, const Visit& visit) {
    for (const IndexRange range : keys) {
      for (std::int64_t begin = range.begin; begin < range.end; begin += kChunkKeys) {
        const IndexRange chunk = {begin, std::min(begin + kChunkKeys, range.end)};
        const std::size_t columns = static_cast<std::size_t>(chunk.size());
        for (std::size_t r = 0; r < rows_.size(); ++r) {
          const std::span<std::uint8_t> all(visible_);
          find_visible(problem_, scope_, rows_[r], chunk,
                       all.subspan(r * static_cast<std::size_t>(kChunkKeys), columns));
        }
        for (std::size_t column = 0; column < columns; ++column) {
          bool seen = false;
          for (std::size_t r = 0; r < rows_.size(); ++r) seen = seen || sees(r, column);
          if (seen) visit(begin + static_cast<std::int64_t>(column), column);
        }
      }
    }
  }

  // scale * q.k of one key with every row of the block, each summed in ascending order of d. The
  // rows are the inner loop, so the compiler computes several of them at once without reordering
  // any sum.
  BlockScores scores_of(std::int64_t key) {
    inputs_.k(scope_.batch, kv_head_, key, key_.data());
    BlockScores scores = {};
    const double* q = q_.data();
    for (std::size_t d = 0; d < head_dim_; ++d, q += kBlockRows) {
      for (std::size_t r = 0; r < kBlockRows; ++r) scores[r] += key_[d] * q[r];
    }
    for (double& score : scores) score *= problem_.scale;
    return scores;
  }

  void add(std::size_t r, double weight) {
    sum_[r] += weight;
    double* weighted = weighted_.data() + r * head_dim_;
    for (std::size_t d = 0; d < head_dim_; ++d) weighted[d] += weight * value_[d];
  }

  const Problem& problem_;
  const Inputs& inputs_;
  const expression::MaskScope scope_;
  const std::int64_t kv_head_;
  const std::size_t head_dim_;
  const std::span<const std::int64_t> rows_;

  std::vector<double> q_;              // (head_dim, kBlockRows), zero past the last row
  std::vector<double> key_, value_;    // (head_dim)
  std::vector<std::uint8_t> visible_;  // (rows, kChunkKeys)
  BlockScores largest_;                // (rows)
  BlockScores sum_ = {};               // (rows)
  std::vector<double> weighted_;       // (rows, head_dim)
};

}  // namespace

Rows attention_over(const Problem& problem, const Inputs& inputs, std::int64_t batch,
                    std::int64_t head, std::span<const std::int64_t> rows,
                    std::span<const IndexRange> keys) {
  assert(0 <= batch && batch < problem.batch && 0 <= head && head < problem.q_heads);
  const std::size_t head_dim = static_cast<std::size_t>(problem.head_dim);
  Rows result;
  result.o.resize(rows.size() * head_dim);
  result.lse.resize(rows.size());
  for (std::size_t first = 0; first < rows.size(); first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, rows.size() - first);
    RowBlock block(problem, inputs, batch, head, rows.subspan(first, count));
    block.find_largest(keys);
    block.sum(keys);
    block.write(result.o.data() + first * head_dim, result.lse.data() + first);
  }
  return result;
}

Rows attention(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t head,
               std::span<const std::int64_t> rows) {
  const IndexRange all_keys = {0, problem.kv_len};
  return attention_over(problem, inputs, batch, head, rows, {&all_keys, 1});
}

void scores(const Problem& problem, const Inputs& inputs, std::int64_t batch, std::int64_t head,
            std::int64_t row, IndexRange keys, std::span<double> result) {
  assert(result.size() == static_cast<std::size_t>(keys.size()));
  const expression::MaskScope scope{batch, head, problem.q_len, problem.kv_len};
  const std::int64_t kv_head = head / (problem.q_heads / problem.kv_heads);
  std::vector<double> q(static_cast<std::size_t>(problem.head_dim)), k(q.size());
  inputs.q(batch, head, row, q.data());
  std::vector<std::uint8_t> visible(result.size());
  find_visible(problem, scope, row, keys, visible);
  for (std::size_t n = 0; n < result.size(); ++n) {
    result[n] = -kInfinity;
    if (visible[n] == 0) continue;
    inputs.k(batch, kv_head, keys.begin + static_cast<std::int64_t>(n), k.data());
    double sum = 0;
    for (std::size_t d = 0; d < q.size(); ++d) sum += k[d] * q[d];
    result[n] = sum * problem.scale;
  }
}

}  // namespace flashscope::reference
