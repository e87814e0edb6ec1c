// The tiles of a mask expression in one head: whole stretches of kv tiles are decided by interval
// arithmetic where that suffices, single tiles element by element where it doesn't.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/attention/problem.h"
#include "sim/attention/tile_plan.h"

namespace flashscope {

// Neighbouring kv tiles of one class.
struct TileRun {
  std::int64_t begin = 0, end = 0;
  TileClass tile_class = TileClass::full;
};

class ExpressionClassifier {
 public:
  // `group` q heads share one sequence of rows (1 unless GQA groups are packed); head counts these
  // sequences. Causal and window parts of the problem's mask, as a band, are written into the
  // expression.
  ExpressionClassifier(const Problem& problem, const Band& band, std::int64_t group,
                       std::int64_t kv_tile_rows, std::int64_t batch, std::int64_t head);

  // The non-empty kv tiles of some (packed) rows, ascending. Throws Error where the mask itself
  // does.
  std::vector<TileRun> runs(IndexRange packed_rows) const;

  // How many elements of these rows' tiles are visible, given their runs.
  std::int64_t visible_elements(IndexRange packed_rows, const std::vector<TileRun>& runs) const;

 private:
  // Query rows of one q head that lie in a q tile (a packed tile holds several heads).
  struct HeadRows {
    expression::MaskScope scope;
    IndexRange rows;
  };
  std::vector<HeadRows> head_rows(IndexRange packed_rows) const;
  IndexRange keys_of(IndexRange tiles) const;
  void classify(const std::vector<HeadRows>& heads, IndexRange tiles,
                std::vector<TileRun>& runs) const;
  void add(IndexRange tiles, TileClass tile_class, std::vector<TileRun>& runs) const;

  expression::MaskExpression mask_;
  std::int64_t group_, kv_tile_rows_, kv_tiles_;
  std::int64_t batch_, head_, q_len_, kv_len_;
};

// The whole mask as one expression: mask.expression, which must be there, and the band.
expression::MaskExpression combined_expression(const Mask& mask, const Band& band);

}  // namespace flashscope
