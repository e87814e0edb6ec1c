// A mask written by the user, such as `q>=k && q-k<128 || k<4`: which keys does a query see?
// Grammar: parser.h. Variables: b (batch), h (query head), q (query row), k (key), q_len, kv_len;
// raw indices from 0. All arithmetic is on 64-bit integers; `/` and `%` round towards minus
// infinity, as in Python, so that mask functions written for FlexAttention carry over. The result
// is true when not zero.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/expression/interval.h"
#include "sim/index_range.h"

namespace flashscope::expression {

// What is fixed while a tile of scores is classified or evaluated.
struct MaskScope {
  std::int64_t batch = 0;  // b
  std::int64_t head = 0;   // h: the query head
  std::int64_t q_len = 0;
  std::int64_t kv_len = 0;
};

enum class Verdict { none, some, all };  // how many elements of a tile are visible

// Immutable after parse(); cheap to copy; safe to share between threads.
class MaskExpression {
 public:
  // Throws Error (one line, then the text with a caret under the place) on a syntax error, an
  // unknown name (with the nearest known one) or a literal that does not fit 64 bits.
  static MaskExpression parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool uses_batch() const { return uses_batch_; }
  bool uses_head() const { return uses_head_; }

  // Is key k visible to query row q? Throws Error on division by zero, overflow or a shift outside
  // 0..63, naming q and k. A part that `&&`, `||` or `?:` skips does not count.
  bool visible(const MaskScope& scope, std::int64_t q, std::int64_t k) const;

  // visible() for the keys k_begin, k_begin+1, ...: out[n] = 1 or 0. Same values, same errors.
  void visible_row(const MaskScope& scope, std::int64_t q, std::int64_t k_begin,
                   std::span<std::uint8_t> out) const;

  // Bounds on the value over a rectangle of scores that is not empty (interval.h); nothing when
  // visible() may throw for one of them.
  std::optional<Interval> bounds(const MaskScope& scope, IndexRange q, IndexRange k) const;

  // Interval arithmetic over a rectangle of scores: `all` and `none` are certain; `some` may also
  // mean "undecided" (classify_exactly() in tile_refinement.h decides). Never throws: a possible
  // division by zero or overflow is undecided. An empty rectangle has `none`.
  Verdict classify(const MaskScope& scope, IndexRange q, IndexRange k) const;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
  bool uses_batch_ = false;
  bool uses_head_ = false;
};

}  // namespace flashscope::expression
