// What a tiling takes: bars against the limits, and its tiles; see budget_panel_parts.h.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/budget_panel_parts.h"
#include "viz/window/panels/figures.h"

namespace flashscope::window {
namespace {

using terminal::grouped;

std::string shape_text(const BudgetItem& item) {
  return fmt::format("{} × {}", item.rows, item.columns);
}

std::string tile_tip(const views::BudgetTile& tile, const PhaseBudget& phase) {
  const BudgetItem& item = tile.item;
  std::string text = fmt::format("{}: {} rows of {}\nbytes = {} = {}", item.buffer, item.rows,
                                 item.columns, views::bytes_formula(tile), grouped(item.bytes));
  if (item.place == Place::shared) {
    return text + fmt::format("\nIn shared memory from {} on.", kib(item.offset_bytes));
  }
  text += fmt::format("\nregisters per thread = {} = {}", views::registers_formula(tile, phase),
                      item.registers_per_thread);
  if (tile.copies > 1) {
    text += fmt::format("\nThe {} threads that hold a row together each keep its {}.", tile.copies,
                        item.buffer);
  }
  return text;
}

// A bar of what is taken, under a line with the figure and the limit.
void draw_use(const Context& context, const char* name, const std::string& explanation,
              const std::string& figure, const char* id, std::span<const BarPart> parts,
              std::int64_t taken, std::int64_t limit) {
  draw_named_number(context.theme, name, explanation, figure,
                    taken > limit ? context.theme.bad : context.theme.text);
  draw_bar(context.theme, id, parts, static_cast<double>(std::max(taken, limit)) * 1.02,
           static_cast<double>(limit));
}

void draw_shared_memory(const Context& context, const views::BudgetView& view,
                        const views::PhaseNeeds& phase) {
  std::vector<BarPart> parts;
  for (const views::BudgetTile& tile : phase.tiles) {
    if (tile.item.place != Place::shared) continue;
    const auto bytes = static_cast<double>(tile.item.bytes);
    parts.push_back({tile.item.buffer, bytes, bytes, context.theme.tensor(tile.item.buffer),
                     tile_tip(tile, phase.needs)});
  }
  const bool paper = view.budget.placement == Placement::paper;
  draw_use(
      context, paper ? "on-chip memory M" : "shared memory",
      "Bytes of a block: rows × columns × bytes × stages, summed over its tiles. The line is "
      "what the device gives a block at most.",
      fmt::format("{} of {}", kib(phase.needs.shared_bytes), kib(view.budget.shared_limit_bytes)),
      "##shared", parts, phase.needs.shared_bytes, view.budget.shared_limit_bytes);
}

void draw_registers(const Context& context, const views::BudgetView& view,
                    const views::PhaseNeeds& phase) {
  std::vector<BarPart> parts;
  for (const views::BudgetTile& tile : phase.tiles) {
    const auto registers = static_cast<double>(tile.item.registers_per_thread);
    parts.push_back({tile.item.buffer, registers, registers, context.theme.tensor(tile.item.buffer),
                     tile_tip(tile, phase.needs)});
  }
  parts.push_back({"other", kOverheadRegisters, kOverheadRegisters, context.theme.line,
                   fmt::format("{} registers assumed for addresses, loop counters and temporaries",
                               kOverheadRegisters)});
  draw_use(context, "registers per thread",
           fmt::format("rows × columns × bytes / ({} threads × 4 B) of each tile, rounded up, and "
                       "{} for addresses and temporaries. The line is what a thread can have.",
                       phase.needs.threads, kOverheadRegisters),
           fmt::format("{} of {}", grouped(phase.needs.registers_per_thread),
                       view.budget.registers_limit),
           "##registers", parts, phase.needs.registers_per_thread, view.budget.registers_limit);
}

void draw_blocks(const Context& context, const views::PhaseNeeds& phase) {
  const PhaseBudget& needs = phase.needs;
  const Theme& theme = context.theme;
  if (needs.blocks_per_sm == 0) {
    draw_note(theme.bad, phase.fits_shared_memory && phase.fits_registers
                             ? "no block fits on an SM"
                             : "too large for a block");
  } else {
    draw_note(theme.text_dim,
              fmt::format("{} threads · {} block{} per SM, limited by {}", needs.threads,
                          needs.blocks_per_sm, needs.blocks_per_sm == 1 ? "" : "s",
                          phase.blocks_limited_by));
  }
  tip(
      fmt::format("Blocks that an SM holds at once: {} by shared memory alone, {} by registers "
                  "alone, {} at most. {}'s SM has {} KiB and {} registers.",
                  needs.blocks_by_shared_memory, needs.blocks_by_registers, kBlocksPerSmLimit,
                  context.device.name, context.device.shared_memory_per_sm_kib,
                  grouped(context.device.registers_per_sm)));
}

void draw_tiles(const Context& context, const views::BudgetView& view,
                const views::PhaseNeeds& phase) {
  const bool wide = is_wide(26), kernel = view.budget.placement == Placement::kernel;
  constexpr std::array<ColumnHead, 6> kWide = {
      ColumnHead{"tile", "", 1.1f},
      {"rows × columns", "Whole tiles, also where the problem is smaller.", 1.7f},
      {"format", "The number format on chip."},
      {"stages", "Copies kept in flight, so that the next tile is loaded while this one is used."},
      {"bytes", "rows × columns × bytes of an element × stages", 1.2f},
      {"registers", "Per thread, for a tile in registers.", 1.1f}};
  constexpr std::array<ColumnHead, 4> kNarrow = {
      ColumnHead{"tile"},
      {"shape", "rows × columns", 1.5f},
      {"bytes", "rows × columns × bytes of an element × stages", 1.2f},
      {"reg.", "Registers per thread, for a tile in registers.", 0.7f}};
  constexpr std::array<ColumnHead, 3> kNarrowest = {
      ColumnHead{"tile", "", 1.25f},
      {"shape", "rows × columns", 1.35f},
      {"takes", "Bytes in shared memory, or registers per thread.", 1.1f}};
  const bool narrowest = !is_wide(20);
  const std::span<const ColumnHead> heads =
      narrowest ? std::span<const ColumnHead>(kNarrowest)
      : wide    ? std::span<const ColumnHead>(kWide).first(kernel ? 6 : 5)
                : std::span<const ColumnHead>(kNarrow).first(kernel ? 4 : 3);
  if (!ImGui::BeginTable("##tiles", static_cast<int>(heads.size()), kFigureTable)) return;
  draw_heads(context.theme, heads);
  for (const views::BudgetTile& tile : phase.tiles) {
    const BudgetItem& item = tile.item;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    draw_swatch(context.theme.tensor(item.buffer), item.buffer);
    tip(tile_tip(tile, phase.needs));
    draw_number_cell(context.theme, shape_text(item));
    const bool in_registers = item.place == Place::registers;
    if (narrowest) {
      draw_number_cell(context.theme,
                       in_registers ? fmt::format("{} reg.", grouped(item.registers_per_thread))
                                    : kib(item.bytes));
      continue;
    }
    if (wide) {
      draw_number_cell(context.theme, std::string(name_of(item.format)), context.theme.text_dim);
      draw_number_cell(context.theme, std::to_string(item.stages),
                       item.stages > 1 ? context.theme.text : context.theme.text_dim);
    }
    draw_number_cell(context.theme, kib(item.bytes));
    if (!kernel) continue;
    draw_number_cell(context.theme,
                     in_registers ? grouped(item.registers_per_thread) : std::string("–"),
                     in_registers ? context.theme.text : context.theme.text_dim);
  }
  ImGui::EndTable();
}

}  // namespace

std::string kib(std::int64_t bytes) {
  constexpr std::int64_t kKib = 1024;
  if (bytes < kKib) return fmt::format("{} B", bytes);
  if (bytes % kKib == 0) return grouped(bytes / kKib) + " KiB";
  return fmt::format("{:.2f} KiB", static_cast<double>(bytes) / kKib);
}

void draw_needs(const Context& context, const views::BudgetView& view) {
  for (std::size_t n = 0; n < view.phases.size(); ++n) {
    const views::PhaseNeeds& phase = view.phases[n];
    ImGui::PushID(static_cast<int>(n));
    if (view.phases.size() > 1) {
      ImGui::Dummy(ImVec2(0, ImGui::GetFontSize() * 0.3f));
      ImGui::SeparatorText(phase.needs.phase.c_str());
    }
    draw_shared_memory(context, view, phase);
    if (view.budget.placement == Placement::kernel) draw_registers(context, view, phase);
    if (view.budget.placement == Placement::kernel) draw_blocks(context, phase);
    draw_tiles(context, view, phase);
    ImGui::PopID();
  }
}

}  // namespace flashscope::window
