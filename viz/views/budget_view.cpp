// The budget, phase by phase; see budget_view.h.
#include "viz/views/budget_view.h"

#include <fmt/format.h>

#include "sim/attention/format.h"

namespace flashscope::views {
namespace {

// About 200 ms of classifying, over all tilings that are tried.
constexpr double kMostMaskElements = 1 << 20;

std::string limit_of(const PhaseBudget& needs) {
  if (needs.blocks_per_sm == 0) return "";
  if (needs.blocks_by_shared_memory == needs.blocks_by_registers) {
    return needs.blocks_per_sm == kBlocksPerSmLimit ? "the most an SM takes"
                                                    : "shared memory and registers alike";
  }
  return needs.blocks_by_shared_memory < needs.blocks_by_registers ? "shared memory" : "registers";
}

std::string number(std::int64_t value) { return std::to_string(value); }

}  // namespace

BudgetView budget_view(const Program& program, const Tiling& tiling, const Device& device,
                       Placement placement) {
  const Algorithm& algorithm = program.algorithm();
  BudgetView view{
      tiling,
      budget(algorithm, program.problem(), tiling, program.precision(), device, placement),
      {}};
  for (const PhaseBudget& needs : view.budget.phases) {
    PhaseNeeds& phase = view.phases.emplace_back();
    phase.needs = needs;
    phase.fits_shared_memory = needs.shared_bytes <= view.budget.shared_limit_bytes;
    phase.fits_registers = needs.registers_per_thread <= view.budget.registers_limit;
    phase.blocks_limited_by = limit_of(needs);
    for (const BudgetItem& item : view.budget.items) {
      if (item.phase != needs.phase) continue;
      const int buffer = algorithm.find(item.buffer, false);
      const bool vector = algorithm.buffers[static_cast<std::size_t>(buffer)].is_vector();
      const bool in_registers = item.place == Place::registers;
      phase.tiles.push_back({item, vector && in_registers ? kThreadsPerRow : 1});
    }
  }
  return view;
}

Sheet budget_sheet(const BudgetView& view) {
  Sheet sheet{{"placement", "phase", "tile", "rows", "columns", "format", "stages", "bytes",
               "place", "registers per thread"},
              {}};
  const std::string placement(name_of(view.budget.placement));
  for (const PhaseNeeds& phase : view.phases) {
    for (const auto& [item, copies] : phase.tiles) {
      sheet.rows.push_back({placement, item.phase, item.buffer, number(item.rows),
                            number(item.columns), std::string(name_of(item.format)),
                            number(item.stages), number(item.bytes),
                            item.place == Place::shared ? "shared" : "registers",
                            number(item.registers_per_thread)});
    }
    sheet.rows.push_back({placement, phase.needs.phase, "all", "", "", "", "",
                          number(phase.needs.shared_bytes), "shared",
                          number(phase.needs.registers_per_thread)});
  }
  return sheet;
}

std::string bytes_formula(const BudgetTile& tile) {
  const BudgetItem& item = tile.item;
  std::string text =
      fmt::format("{} × {} × {} B", item.rows, item.columns, bytes_per_element(item.format));
  if (item.stages > 1) text += fmt::format(" × {} stages", item.stages);
  return text;
}

std::string registers_formula(const BudgetTile& tile, const PhaseBudget& phase) {
  if (tile.item.place != Place::registers) return "";
  const std::string copies = tile.copies > 1 ? fmt::format(" × {} copies", tile.copies) : "";
  return fmt::format("{}{} / ({} threads × 4 B), rounded up", bytes_formula(tile), copies,
                     phase.threads);
}

FitMap fit_map(const Program& program, const Device& device, Placement placement) {
  FitMap map;
  Tiling tiling = program.tiling();
  for (int q = 0; q < FitMap::kSizes; ++q) {
    for (int kv = 0; kv < FitMap::kSizes; ++kv) {
      tiling.q_tile_rows = std::int64_t{1} << q;
      tiling.kv_tile_rows = std::int64_t{1} << kv;
      const Budget needs = budget(program.algorithm(), program.problem(), tiling,
                                  program.precision(), device, placement);
      map.cells.push_back(
          {needs.fits, needs.shared_bytes, needs.registers_per_thread, needs.blocks_per_sm});
    }
  }
  return map;
}

bool ranks_at_once(const Problem& problem) {
  return !problem.mask.expression ||
         static_cast<double>(problem.q_len) * static_cast<double>(problem.kv_len) <=
             kMostMaskElements;
}

}  // namespace flashscope::views
