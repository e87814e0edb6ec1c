// Executes the ops of a Program on tiles, one by one, with Eigen for the tile products. Every
// reader that shows numbers (run, walk, the debugger) drives this one class: it has no
// loop of its own over the program.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/attention/program.h"
#include "sim/machine/ledger.h"
#include "sim/machine/mask_rows.h"
#include "sim/machine/memory.h"
#include "sim/machine/tile_math.h"

namespace flashscope {

class Interpreter {
 public:
  // References must outlive the interpreter. One interpreter is one simulated SM: use one a thread.
  Interpreter(const Program& program, const Inputs& inputs, Outputs& outputs);

  // Forgets all state and makes workspaces for these (packed) rows of one head.
  void begin(IndexRange rows);
  void begin(const Chain& chain);

  // Line by line: enter() a segment, then execute() its lines in order. `ledger` may be null.
  // begin() must cover the segment's rows.
  void enter(const Segment& segment);
  void execute(const Line& line, const Segment& segment, Ledger* ledger);
  // All lines of a segment. Bytes of a segment that is not `counted` are left out of the ledger.
  void execute(const Segment& segment, Ledger* ledger);

  // The line's result tile as execute() would leave it (of a store: as it is); changes nothing.
  Tile preview(const Line& line, const Segment& segment);

  const Tile& tile(int buffer) const { return memory_.tile(buffer); }
  // For a debugger's `set`: changes what the next ops will read.
  Tile& tile(int buffer) { return memory_.tile(buffer); }

  // Going back to an earlier op (rescales_applied() does not go back).
  Memory::Snapshot save() const { return memory_.save(); }
  void restore(const Memory::Snapshot& snapshot) { memory_.restore(snapshot); }

  // Rows of O whose rescale really changed something, since begin(): with a rescale threshold,
  // those whose running max was moved.
  std::int64_t rescales_applied() const { return rescales_applied_; }

 private:
  void mask(const Line& line, const Segment& segment);
  void accumulate(const Line& line, const Segment& segment);
  void accumulate_non_finite(const Line& line, const Segment& segment);
  void rescale(const Line& line, const Segment& segment);
  const Program& program_;
  Memory memory_;
  MaskRows mask_rows_;
  float scale_ = 1;
  float threshold_ = 0;
  tile_math::Base tile_base_ = tile_math::Base::e, factor_base_ = tile_math::Base::e;
  std::int64_t rescales_applied_ = 0;
  // Per phase: tiles of query rows that a step reads before it writes them. Where the steps run
  // over q tiles they hold another q tile's values by then.
  std::vector<std::vector<int>> carried_;
  std::vector<std::uint8_t> visible_;
};

}  // namespace flashscope
