// What lies where at a session's position, and where the next op moves it: the tiles on chip with
// their places in shared memory and registers, what they hold, and the copy under way with its
// bytes. The tensors in HBM and how often their tiles were copied: memory_view_counter.h. Left out:
// values, which other panels show, and L2, which the two-level model of the counts does not have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/debugger/session.h"
#include "sim/model/sram_budget.h"
#include "viz/views/memory_view_counter.h"
#include "viz/views/sheet.h"

namespace flashscope::views {

// A buffer on chip that the present phase uses.
struct ChipTile {
  int buffer = -1;                           // index into Algorithm::buffers
  BudgetItem item;                           // its size and place
  bool is_read = false, is_written = false;  // by the next op
  // What was written into it last, of this work item: "kv tile 3", "q 0 × kv 3"; empty: nothing.
  std::string holds;
};

// The next op, when it is a load or a store.
struct CopyUnderWay {
  TileCopy tiles;
  int chip = -1;           // the tile on chip: index into Algorithm::buffers
  std::int64_t bytes = 0;  // in bounds, as the ledger counts them
};

struct MemoryView {
  std::string phase;
  Segment segment;   // of the next op; at the end, the last one
  std::string line;  // the next op as the table writes it; empty at the end
  std::optional<CopyUnderWay> copy;
  std::vector<ChipTile> chip;  // in the order of declaration
  PhaseBudget needs;           // of the present phase
  std::int64_t shared_limit_bytes = 0, registers_limit = 0;
  std::string reason;  // why the algorithm does not fit the device; empty when it does

  bool shared_fits() const { return needs.shared_bytes <= shared_limit_bytes; }
  bool registers_fit() const { return needs.registers_per_thread <= registers_limit; }
};

MemoryView memory_view(const Session& session, const CopyCounter& counter, const Device& device,
                       Placement placement);

// "q tile 1", "kv tiles 4-7", "split 0, q tile 2", "q 1 × kv 3": tiles of a grid.
std::string name_of_tiles(const TileGrid& grid, IndexRange rows, IndexRange columns);
// "keys 192-255", "rows 0-127 × keys 192-255": what lies in them, counted from 0.
std::string rows_text(const TileArea& area);

// Per tensor in HBM: how it is cut, and what the head has read and written so far.
Sheet memory_sheet(const Program& program, std::span<const TensorCopies> tensors);

}  // namespace flashscope::views
