// Tile classes of mask expressions; see expression_classifier.h.
#include "sim/attention/expression_classifier.h"

#include <cassert>

#include <fmt/format.h>

#include "sim/expression/tile_refinement.h"

namespace flashscope {

using expression::Verdict;

expression::MaskExpression combined_expression(const Mask& mask, const Band& band) {
  std::string text = "(" + mask.expression->text() + ")";
  if (mask.window_left != kUnbounded) {
    text += fmt::format(" && k >= q - ({})", band.left - band.offset);
  }
  if (mask.causal || mask.window_right != kUnbounded) {
    text += fmt::format(" && k <= q + ({})", band.offset + band.right);
  }
  return expression::MaskExpression::parse(text);
}

ExpressionClassifier::ExpressionClassifier(const Problem& problem, const Band& band,
                                           std::int64_t group, std::int64_t kv_tile_rows,
                                           std::int64_t batch, std::int64_t head)
    : mask_(combined_expression(problem.mask, band)),
      group_(group),
      kv_tile_rows_(kv_tile_rows),
      kv_tiles_(ceil_div(problem.kv_len, kv_tile_rows)),
      batch_(batch),
      head_(head),
      q_len_(problem.q_len),
      kv_len_(problem.kv_len) {}

std::vector<ExpressionClassifier::HeadRows> ExpressionClassifier::head_rows(
    IndexRange packed_rows) const {
  std::vector<HeadRows> result;
  for (std::int64_t member = 0; member < group_; ++member) {
    // Packed row p belongs to query row p / group of this head when p % group == member.
    const IndexRange rows{ceil_div(packed_rows.begin - member, group_),
                          ceil_div(packed_rows.end - member, group_)};
    if (rows.empty()) continue;
    result.push_back({{batch_, head_ * group_ + member, q_len_, kv_len_}, rows});
  }
  return result;
}

IndexRange ExpressionClassifier::keys_of(IndexRange tiles) const {
  return {tiles.begin * kv_tile_rows_, smaller(tiles.end * kv_tile_rows_, kv_len_)};
}

void ExpressionClassifier::add(IndexRange tiles, TileClass tile_class,
                               std::vector<TileRun>& runs) const {
  // The kv tail is partial however much of it is visible: its zero-filled keys must be masked.
  const bool has_tail = kv_len_ % kv_tile_rows_ != 0;
  if (tile_class == TileClass::full && has_tail && tiles.end == kv_tiles_) {
    const IndexRange whole{tiles.begin, tiles.end - 1};
    if (!whole.empty()) add(whole, TileClass::full, runs);
    add({tiles.end - 1, tiles.end}, TileClass::partial, runs);
    return;
  }
  if (!runs.empty() && runs.back().end == tiles.begin && runs.back().tile_class == tile_class) {
    runs.back().end = tiles.end;
  } else {
    runs.push_back({tiles.begin, tiles.end, tile_class});
  }
}

void ExpressionClassifier::classify(const std::vector<HeadRows>& heads, IndexRange tiles,
                                    std::vector<TileRun>& runs) const {
  const bool single = tiles.size() == 1;
  bool all = true, none = true;
  for (const HeadRows& part : heads) {
    const Verdict verdict =
        single ? expression::classify_exactly(mask_, part.scope, part.rows, keys_of(tiles))
               : mask_.classify(part.scope, part.rows, keys_of(tiles));
    all = all && verdict == Verdict::all;
    none = none && verdict == Verdict::none;
  }
  if (none) return;
  if (all) {
    add(tiles, TileClass::full, runs);
  } else if (single) {
    add(tiles, TileClass::partial, runs);
  } else {
    const std::int64_t middle = tiles.begin + tiles.size() / 2;
    classify(heads, {tiles.begin, middle}, runs);
    classify(heads, {middle, tiles.end}, runs);
  }
}

std::vector<TileRun> ExpressionClassifier::runs(IndexRange packed_rows) const {
  std::vector<TileRun> result;
  if (kv_tiles_ > 0) classify(head_rows(packed_rows), {0, kv_tiles_}, result);
  return result;
}

std::int64_t ExpressionClassifier::visible_elements(IndexRange packed_rows,
                                                    const std::vector<TileRun>& runs) const {
  std::int64_t visible = 0;
  for (const HeadRows& part : head_rows(packed_rows)) {
    for (const TileRun& run : runs) {
      const IndexRange keys = keys_of({run.begin, run.end});
      visible += run.tile_class == TileClass::full
                     ? part.rows.size() * keys.size()
                     : expression::count_visible(mask_, part.scope, part.rows, keys);
    }
  }
  return visible;
}

}  // namespace flashscope
