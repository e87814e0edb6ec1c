// A Program: the exact sequence of operations that an algorithm performs on a problem cut into
// tiles. It is never stored. Any op is found by its index, any work item and any chain can be
// walked, and equal steps are known as runs, so that a million rows are counted in milliseconds.
//
// The order is: phase by phase, head by head (batch outermost), row by row, step by step, line by
// line. It never depends on data. A *chain* (batch, head, q tile) is everything that the rows of
// one q tile depend on, in order: it can be replayed alone, on any thread.
#pragma once

#include <cassert>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sim/attention/algorithm.h"
#include "sim/attention/problem.h"
#include "sim/attention/tile_map.h"
#include "sim/attention/tiling.h"

namespace flashscope {

enum class Part : std::uint8_t { before, step, after };

// A straight line of ops: what comes before a row's loop, one step of it, or what comes after.
// Indices that do not apply are -1.
struct Segment {
  int phase = 0;
  Part part = Part::before;
  std::int64_t batch = 0;
  std::int64_t head = 0;  // a q head; a kv head when the tiling packs GQA groups
  std::int64_t q_tile = -1, kv_tile = -1, split = -1, q_row = -1;
  StepKind kind;               // of a step
  std::int64_t work_item = 0;  // counted over the whole program
  std::int64_t first_op = 0;   // index of the first op
  std::span<const int> lines;  // one op each: indices into Algorithm::lines
  // fa1 loads K and V once for all q tiles: in a walk along chains, whether this chain is the one
  // that such a segment is counted for.
  bool counted = true;
};

struct Op {
  std::int64_t index = 0;
  int line = 0;  // index into Algorithm::lines
  Segment segment;
};

struct Chain {
  std::int64_t batch = 0, head = 0, q_tile = 0;
};

class Program {
 public:
  using Visitor = std::function<void(const Segment&)>;

  // Throws Error when the problem or the tiling is not valid, or asks for what the table lacks
  // (splits, a rescale threshold, another order than the table fixes).
  Program(const Problem& problem, Algorithm algorithm, const Tiling& tiling,
          const Precision& precision);

  const Problem& problem() const { return problem_; }
  const Algorithm& algorithm() const { return *algorithm_; }
  const Tiling& tiling() const { return tiling_; }
  const Precision& precision() const { return precision_; }

  std::int64_t size() const { return size_; }  // ops
  Op op(std::int64_t index) const;             // index in [0, size())

  std::int64_t work_items() const { return work_items_; }
  std::int64_t work_items_of(int phase) const;
  IndexRange ops_of_work_item(std::int64_t work_item) const;
  IndexRange ops_of_head(int phase, std::int64_t batch, std::int64_t head) const;
  // Segments of ops [range.begin, range.end), whole segments only: both must be segment borders, as
  // those of a work item are.
  void visit(IndexRange ops, const Visitor& visitor) const;

  std::int64_t heads() const { return heads_; }  // sequences of q tiles per batch
  std::int64_t q_tiles() const { return q_tiles_; }
  std::int64_t chains() const { return problem_.batch * heads_ * q_tiles_; }
  Chain chain(std::int64_t index) const;
  void visit_chain(const Chain& chain, const Visitor& visitor) const;

  // Tiles and rows of one head; shared by all heads whose masks are equal.
  const TileMap& tile_map(std::int64_t batch, std::int64_t head) const;
  std::int64_t group() const { return group_; }  // q heads per row sequence: 1 unless packed

  // In-bounds rows of a tile, as (packed) row and key indices of the head.
  IndexRange q_rows(const Segment& segment) const;
  IndexRange kv_rows(const Segment& segment) const;

  // For counting: every row of a phase for one head class, as runs of equal steps.
  struct Row {
    Segment before;  // its lines and indices; `part` is Part::before
    std::span<const int> after;
    std::vector<StepRun> steps;  // over the phase's step axis
  };
  std::size_t head_classes() const { return maps_.size(); }
  std::size_t class_of(std::int64_t batch, std::int64_t head) const;
  std::int64_t heads_in_class() const;  // every class has as many
  const TileMap& map_of_class(std::size_t head_class) const { return maps_[head_class]; }
  void visit_rows(int phase, std::size_t head_class,
                  const std::function<void(const Row&)>& visitor) const;
  std::span<const int> step_lines(int phase, const StepKind& kind) const;

 private:
  // What a phase looks like for one head class.
  struct HeadLayout {
    std::vector<std::int64_t> rows;            // row indices in visiting order
    std::vector<std::int64_t> row_first_op;    // rows + 1 entries, from the head's first op
    std::vector<std::int64_t> row_first_step;  // likewise; Grain::step only
  };
  struct PhaseLayout {
    std::vector<int> before, after;
    std::vector<int> step[12];  // by step_index(kind)
    std::vector<HeadLayout> classes;
    std::int64_t first_op = 0, end_op = 0, first_work_item = 0, end_work_item = 0;
    // Prefix sums over heads, only when heads differ; else heads are equally long.
    std::vector<std::int64_t> head_first_op, head_first_work_item;
  };
  static std::size_t step_index(const StepKind& kind);

  void check_options() const;
  void make_maps();
  void lay_out(int phase);
  std::vector<int> applicable(const std::vector<int>& lines, const StepKind* kind) const;
  std::vector<std::int64_t> rows_to_visit(const Phase& phase, const TileMap& map) const;
  std::vector<StepRun> row_steps(const Phase& phase, const TileMap& map, std::int64_t row) const;
  KvOrder order(const Phase& phase) const;
  Segment row_segment(int phase, std::int64_t head_index, std::size_t position) const;
  std::int64_t head_first_op(const PhaseLayout& layout, std::int64_t head_index) const;
  std::int64_t head_first_work_item(const PhaseLayout& layout, std::int64_t head_index) const;
  // Calls visitor(segment) for the segments of one row until it returns false.
  template <typename F>
  void visit_row(int phase, std::int64_t head_index, std::size_t position, F visitor) const;
  Segment step_segment(const Segment& row, const StepRun& run, std::int64_t offset,
                       std::int64_t step_ordinal, std::int64_t first_op) const;
  void visit_chain_columns(int phase, const Chain& chain, const Visitor& visitor) const;

  Problem problem_;
  std::shared_ptr<const Algorithm> algorithm_;
  Tiling tiling_;
  Precision precision_;
  std::int64_t group_ = 1, heads_ = 1, q_tiles_ = 0;
  std::vector<TileMap> maps_;  // one per head class
  std::vector<PhaseLayout> layouts_;
  std::int64_t size_ = 0, work_items_ = 0;
};

}  // namespace flashscope
