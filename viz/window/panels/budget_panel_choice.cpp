// Choosing tiles: steppers, the map of what fits, the best; see budget_panel_parts.h.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/budget_panel_parts.h"
#include "viz/window/panels/figures.h"

namespace flashscope::window {
namespace {

constexpr std::int64_t kLargestTile = std::int64_t{1} << (views::FitMap::kSizes - 1);
constexpr std::size_t kBestShown = 5;

std::int64_t power_below(std::int64_t rows) {
  return rows <= 1
             ? 1
             : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows - 1)));
}

std::int64_t power_above(std::int64_t rows) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(rows + 1)));
}

// − 128 +
void draw_stepper(const Context& context, const char* name, const char* explanation,
                  std::int64_t& rows) {
  ImGui::PushID(name);
  ImGui::AlignTextToFramePadding();
  const float left = ImGui::GetCursorPosX();
  ImGui::TextUnformatted(name);
  tip(explanation);
  ImGui::SameLine(0, 0);
  ImGui::SetCursorPosX(left + ImGui::CalcTextSize("kv tile").x + ImGui::GetFontSize() * 0.5f);
  const ImVec2 square(ImGui::GetFrameHeight(), 0);
  ImGui::BeginDisabled(rows <= 1);
  if (ImGui::Button("−##less", square)) rows = std::min(power_below(rows), kLargestTile);
  ImGui::EndDisabled();
  ImGui::SameLine(0, 0);
  ImGui::PushFont(context.theme.mono, 0.0f);
  const std::string text = std::to_string(rows);
  const float width = ImGui::CalcTextSize("00000").x, used = ImGui::CalcTextSize(text.c_str()).x;
  const float x = ImGui::GetCursorPosX();
  ImGui::SetCursorPosX(x + std::max(0.0f, (width - used) / 2));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopFont();
  ImGui::SameLine(0, 0);
  ImGui::SetCursorPosX(x + std::max(width, used));
  ImGui::BeginDisabled(rows >= kLargestTile);
  if (ImGui::Button("+##more", square)) rows = power_above(rows);
  ImGui::EndDisabled();
  ImGui::PopID();
}

struct Grid {
  ImVec2 origin;
  float cell = 0;
  ImVec2 corner(int q, int kv) const {
    return origin + ImVec2(static_cast<float>(kv), static_cast<float>(q)) * cell;
  }
};

// A frame around a tiling, when it is one of the map.
void frame_tiling(const Grid& grid, const Tiling& tiling, ImU32 color, float thickness) {
  const auto q = static_cast<std::uint64_t>(tiling.q_tile_rows);
  const auto kv = static_cast<std::uint64_t>(tiling.kv_tile_rows);
  if (!std::has_single_bit(q) || !std::has_single_bit(kv)) return;
  if (tiling.q_tile_rows > kLargestTile || tiling.kv_tile_rows > kLargestTile) return;
  const ImVec2 at = grid.corner(std::countr_zero(q), std::countr_zero(kv));
  ImGui::GetWindowDrawList()->AddRect(at, at + ImVec2(grid.cell, grid.cell), color, 0, thickness);
}

// numbers: of blocks per SM.
void draw_cells(const Context& context, const views::FitMap& map, const Grid& grid, bool numbers) {
  const Theme& theme = context.theme;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float gap = std::max(1.0f, grid.cell / 16);
  const float size = ImGui::GetFontSize() * 0.75f;
  ImGui::PushFont(theme.mono,
                  size / ImGui::GetStyle().FontScaleMain / ImGui::GetStyle().FontScaleDpi);
  for (int q = 0; q < views::FitMap::kSizes; ++q) {
    for (int kv = 0; kv < views::FitMap::kSizes; ++kv) {
      const views::FitMap::Cell& cell = map.cell(q, kv);
      const ImVec2 at = grid.corner(q, kv);
      draw.AddRectFilled(at, at + ImVec2(grid.cell - gap, grid.cell - gap),
                         cell.fits ? Theme::faded(theme.good, 0.45f) : theme.surface);
      if (!cell.fits || !numbers) continue;
      const std::string blocks = std::to_string(cell.blocks_per_sm);
      const ImVec2 text = ImGui::CalcTextSize(blocks.c_str());
      if (text.x < grid.cell - gap) {
        draw.AddText(at + (ImVec2(grid.cell - gap, grid.cell - gap) - text) * 0.5f, theme.text,
                     blocks.c_str());
      }
    }
  }
  const float label_width = ImGui::CalcTextSize("512").x;
  for (int n = 0; n < views::FitMap::kSizes; ++n) {
    const std::string rows = std::to_string(1 << n);
    const ImVec2 text = ImGui::CalcTextSize(rows.c_str());
    draw.AddText(grid.corner(n, 0) + ImVec2(-text.x - gap * 3, (grid.cell - text.y) / 2),
                 theme.text_dim, rows.c_str());
    // In small cells every other one, so that they stay apart.
    if (label_width > grid.cell - gap && n % 2 == 0) continue;
    draw.AddText(grid.corner(0, n) + ImVec2((grid.cell - text.x) / 2, -text.y - gap),
                 theme.text_dim, rows.c_str());
  }
  ImGui::PopFont();
}

std::string cell_tip(const views::FitMap::Cell& cell, int q, int kv, Placement placement) {
  std::string text = fmt::format("q tile {} × kv tile {}: {}\n{} on chip", 1 << q, 1 << kv,
                                 cell.fits ? "fits" : "does not fit", kib(cell.shared_bytes));
  if (placement == Placement::kernel) {
    text += fmt::format(", {} registers per thread\nblocks per SM: {}",
                        terminal::grouped(cell.registers_per_thread), cell.blocks_per_sm);
  }
  return text + "\nClick to look at it.";
}

}  // namespace

void draw_steppers(const Context& context, Tiling& tiling) {
  draw_stepper(context, "q tile", "Query rows that a work item holds on chip.", tiling.q_tile_rows);
  if (is_wide(20)) ImGui::SameLine(0, ImGui::GetFontSize() * 1.5f);
  draw_stepper(context, "kv tile", "Keys and values that a step loads.", tiling.kv_tile_rows);
}

void TilingChoice::follow(const Context& context, Placement placement) {
  if (program_version_ == context.program_version && placement_ == placement) return;
  program_version_ = context.program_version;
  placement_ = placement;
  map_ = views::fit_map(context.program(), context.device, placement);
  best_.reset();
}

void TilingChoice::draw_map(const Context& context, Placement placement, Tiling& tiling) {
  follow(context, placement);
  const bool kernel = placement == Placement::kernel;
  draw_heading(context.theme, kernel ? "Blocks per SM, by q tile (down) and kv tile (across)"
                                     : "What fits, by q tile (down) and kv tile (across)");
  tip("Green: the tiles fit, and where there is a number, so many blocks run on an SM at once. "
      "Framed: the program's tiles, and those that are looked at.");
  constexpr int kSizes = views::FitMap::kSizes;
  const float em = ImGui::GetFontSize();
  const ImVec2 margin(em * 1.9f, em * 1.1f);
  const float cell =
      std::clamp((ImGui::GetContentRegionAvail().x - margin.x) / kSizes, em * 0.8f, em * 1.7f);
  const Grid grid{ImGui::GetCursorScreenPos() + margin, cell};
  ImGui::InvisibleButton("##fit_map", margin + ImVec2(cell, cell) * kSizes);
  draw_cells(context, map_, grid, kernel);
  frame_tiling(grid, tiling, context.theme.text, em / 8);
  frame_tiling(grid, context.program().tiling(), context.theme.accent, em / 8);
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 place = (ImGui::GetIO().MousePos - grid.origin) / cell;
  if (place.x < 0 || place.y < 0) return;
  const int q = std::min(static_cast<int>(place.y), kSizes - 1);
  const int kv = std::min(static_cast<int>(place.x), kSizes - 1);
  ImGui::SetTooltip("%s", cell_tip(map_.cell(q, kv), q, kv, placement).c_str());
  if (!ImGui::IsItemClicked()) return;
  tiling.q_tile_rows = std::int64_t{1} << q;
  tiling.kv_tile_rows = std::int64_t{1} << kv;
}

void TilingChoice::draw_best(const Context& context, Placement placement, Tiling& tiling) {
  follow(context, placement);
  const Program& program = context.program();
  draw_heading(context.theme, "Best tilings, by simulated HBM traffic");
  if (!best_) {
    bool rank = views::ranks_at_once(program.problem());
    if (!rank) {
      rank = ImGui::Button("Rank tilings");
      tip("Each tiling's mask has to be classified, which takes seconds for this expression.");
    }
    if (!rank) return;
    best_ = best_tilings(program.algorithm(), program.problem(), program.precision(),
                         context.device, placement, program.tiling(), kBestShown);
  }
  if (best_->empty()) {
    draw_note(context.theme.bad, "none fits");
    return;
  }
  const bool wide = is_wide(22), kernel = placement == Placement::kernel;
  constexpr std::array<ColumnHead, 5> kHeads = {
      ColumnHead{"tiles", "q tile × kv tile", 1.3f},
      {"traffic", "Simulated bytes between HBM and SRAM over the whole problem, no cache.", 1.2f},
      {"on chip", "Shared memory of the phase that needs most.", 1.1f},
      {"steps", "Tiles of all heads' score matrices that are visited."},
      {"blocks", "Blocks per SM."}};
  const std::span<const ColumnHead> heads = std::span(kHeads).first(!wide ? 3 : (kernel ? 5 : 4));
  if (!ImGui::BeginTable("##best", static_cast<int>(heads.size()), kFigureTable)) return;
  draw_heads(context.theme, heads);
  for (const FitCandidate& candidate : *best_) {
    const Tiling& tiles = candidate.tiling;
    const bool chosen =
        tiles.q_tile_rows == tiling.q_tile_rows && tiles.kv_tile_rows == tiling.kv_tile_rows;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const std::string name = fmt::format("{} × {}", tiles.q_tile_rows, tiles.kv_tile_rows);
    ImGui::PushFont(context.theme.mono, 0.0f);
    if (ImGui::Selectable(name.c_str(), chosen, ImGuiSelectableFlags_SpanAllColumns)) {
      tiling.q_tile_rows = tiles.q_tile_rows;
      tiling.kv_tile_rows = tiles.kv_tile_rows;
    }
    ImGui::PopFont();
    draw_number_cell(context.theme, terminal::readable_bytes(candidate.total_bytes));
    draw_number_cell(context.theme, kib(candidate.budget.shared_bytes));
    if (!wide) continue;
    draw_number_cell(context.theme, terminal::readable_count(candidate.steps));
    if (kernel) draw_number_cell(context.theme, std::to_string(candidate.budget.blocks_per_sm));
  }
  ImGui::EndTable();
}

}  // namespace flashscope::window
