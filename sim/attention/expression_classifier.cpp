// Tile classes of mask expressions; see expression_classifier.h.
#include "sim/attention/expression_classifier.h"

#include <fmt/format.h>

#include <cassert>

#include "sim/expression/tile_refinement.h"

namespace flashscope {

using expression::Verdict;

expression::MaskExpression combined_expression(const Mask& mask) {
  std::string text = "(" + mask.expression->text() + ")";
  if (mask.causal) text += " && k <= q + kv_len - q_len";
  if (mask.window_left != kUnbounded) {
    text += fmt::format(" && k >= q + kv_len - q_len - {}", mask.window_left);
  }
  if (mask.window_right != kUnbounded) {
    text += fmt::format(" && k <= q + kv_len - q_len + {}", mask.window_right);
  }
  return expression::MaskExpression::parse(text);
}

ExpressionClassifier::ExpressionClassifier(const Problem& problem, std::int64_t batch,
                                           std::int64_t head)
    : mask_(combined_expression(problem.mask)),
      batch_(batch),
      head_(head),
      q_len_(problem.q_len),
      kv_len_(problem.kv_len) {}

std::vector<ExpressionClassifier::HeadRows> ExpressionClassifier::head_rows(
    const TileMap& map, std::int64_t q_tile) const {
  const IndexRange packed = map.packed_rows(q_tile);
  std::vector<HeadRows> result;
  for (std::int64_t member = 0; member < map.group_; ++member) {
    // Packed row p belongs to query row p / group of this head when p % group == member.
    const IndexRange rows{ceil_div(packed.begin - member, map.group_),
                          ceil_div(packed.end - member, map.group_)};
    if (rows.empty()) continue;
    result.push_back({{batch_, head_ * map.group_ + member, q_len_, kv_len_}, rows});
  }
  return result;
}

void ExpressionClassifier::add(const TileMap& map, IndexRange tiles, TileClass tile_class,
                               std::vector<TileMap::Run>& runs) const {
  // The kv tail is partial however much of it is visible: its zero-filled keys must be masked.
  const bool has_tail = kv_len_ % map.kv_tile_rows_ != 0;
  if (tile_class == TileClass::full && has_tail && tiles.end == map.kv_tiles_) {
    const IndexRange whole{tiles.begin, tiles.end - 1};
    if (!whole.empty()) add(map, whole, TileClass::full, runs);
    add(map, {tiles.end - 1, tiles.end}, TileClass::partial, runs);
    return;
  }
  if (!runs.empty() && runs.back().end == tiles.begin && runs.back().tile_class == tile_class) {
    runs.back().end = tiles.end;
  } else {
    runs.push_back({tiles.begin, tiles.end, tile_class});
  }
}

void ExpressionClassifier::classify(const TileMap& map, const std::vector<HeadRows>& heads,
                                    IndexRange tiles, std::vector<TileMap::Run>& runs) {
  const IndexRange keys{tiles.begin * map.kv_tile_rows_,
                        smaller(tiles.end * map.kv_tile_rows_, kv_len_)};
  bool all = true, none = true;
  for (const HeadRows& part : heads) {
    const Verdict verdict = mask_.classify(part.scope, part.rows, keys);
    all = all && verdict == Verdict::all;
    none = none && verdict == Verdict::none;
  }
  if (none) return;
  if (all) {
    for (const HeadRows& part : heads) visible_ += part.rows.size() * keys.size();
    add(map, tiles, TileClass::full, runs);
    return;
  }
  if (tiles.size() > 1) {
    const std::int64_t middle = tiles.begin + tiles.size() / 2;
    classify(map, heads, {tiles.begin, middle}, runs);
    classify(map, heads, {middle, tiles.end}, runs);
    return;
  }
  std::int64_t visible = 0, elements = 0;
  for (const HeadRows& part : heads) {
    visible += expression::count_visible(mask_, part.scope, part.rows, keys);
    elements += part.rows.size() * keys.size();
  }
  visible_ += visible;
  if (visible == elements) {
    add(map, tiles, TileClass::full, runs);
  } else if (visible > 0) {
    add(map, tiles, TileClass::partial, runs);
  }
}

void ExpressionClassifier::fill(TileMap& map) {
  map.expression_runs_.resize(static_cast<std::size_t>(map.q_tiles_));
  for (std::int64_t i = 0; i < map.q_tiles_; ++i) {
    auto& runs = map.expression_runs_[static_cast<std::size_t>(i)];
    if (map.kv_tiles_ > 0) classify(map, head_rows(map, i), {0, map.kv_tiles_}, runs);
  }
  map.expression_visible_ = visible_;
}

}  // namespace flashscope
