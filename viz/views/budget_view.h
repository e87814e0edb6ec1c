// What a tiling needs on chip, phase by phase, and which tilings would fit: the SRAM budget
// (sim/model/sram_budget.h) laid out for bars, formulas and a map of tile sizes. Left out: all
// arithmetic, which is the budget's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/attention/program.h"
#include "sim/model/sram_budget.h"
#include "viz/views/sheet.h"

namespace flashscope::views {

struct BudgetTile {
  BudgetItem item;
  std::int64_t copies = 1;  // of each element over a block's registers: kThreadsPerRow of a vector
};

// One kernel's needs, and its tiles.
struct PhaseNeeds {
  PhaseBudget needs;
  std::vector<BudgetTile> tiles;  // in the order of declaration
  bool fits_shared_memory = false, fits_registers = false;
  std::string blocks_limited_by;  // "shared memory"; empty when it doesn't fit
};

struct BudgetView {
  Tiling tiling;
  Budget budget;
  std::vector<PhaseNeeds> phases;
};

// The program's problem, algorithm and precision with `tiling`, on `device`.
BudgetView budget_view(const Program& program, const Tiling& tiling, const Device& device,
                       Placement placement);
Sheet budget_sheet(const BudgetView& view);

// "128 × 64 × 2 B × 2 stages".
std::string bytes_formula(const BudgetTile& tile);
// "128 × 64 × 4 B / (256 threads × 4 B), rounded up"; empty for a place in shared memory.
std::string registers_formula(const BudgetTile& tile, const PhaseBudget& phase);

// Which tile sizes fit, by powers of two from 1.
struct FitMap {
  static constexpr int kSizes = 10;  // up to 512
  struct Cell {
    bool fits = false;
    std::int64_t shared_bytes = 0, registers_per_thread = 0, blocks_per_sm = 0;
  };
  std::vector<Cell> cells;  // by q tile, then kv tile
  // Of 2^q_power by 2^kv_power rows.
  const Cell& cell(int q_power, int kv_power) const {
    return cells[static_cast<std::size_t>(q_power * kSizes + kv_power)];
  }
};

FitMap fit_map(const Program& program, const Device& device, Placement placement);

// Whether best_tilings() answers within a fraction of a second: a mask expression over many
// elements has to be classified for every tiling.
bool ranks_at_once(const Problem& problem);

}  // namespace flashscope::views
