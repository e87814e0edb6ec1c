// Fills a TileMap from a mask expression: whole stretches of kv tiles are decided by interval
// arithmetic where that suffices, single tiles element by element where it doesn't.
#pragma once

#include "sim/attention/tile_map.h"

namespace flashscope {

class ExpressionClassifier {
 public:
  ExpressionClassifier(const Problem& problem, std::int64_t batch, std::int64_t head);
  void fill(TileMap& map);

 private:
  // Query rows of one q head that lie in a q tile (a packed tile holds several heads).
  struct HeadRows {
    expression::MaskScope scope;
    IndexRange rows;
  };
  std::vector<HeadRows> head_rows(const TileMap& map, std::int64_t q_tile) const;
  void classify(const TileMap& map, const std::vector<HeadRows>& heads, IndexRange tiles,
                std::vector<TileMap::Run>& runs);
  void add(const TileMap& map, IndexRange tiles, TileClass tile_class,
           std::vector<TileMap::Run>& runs) const;

  expression::MaskExpression mask_;
  std::int64_t batch_, head_, q_len_, kv_len_;
  std::int64_t visible_ = 0;
};

}  // namespace flashscope
