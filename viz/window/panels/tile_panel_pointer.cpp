// The element of a tile that one points at: its value, its exact value and the error; see
// tile_panel_parts.h.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/window/panels/tile_panel_parts.h"

namespace flashscope::window {
namespace {

using views::TileSide;

// Multiply-adds for an exact value that a frame may spend while ops fly by.
constexpr std::int64_t kMostCostPlaying = std::int64_t{1} << 18;
// And without waiting for the mouse to stand still.
constexpr std::int64_t kMostCostMoving = std::int64_t{1} << 20;

ImVec4 color(ImU32 packed) { return ImGui::ColorConvertU32ToFloat4(packed); }

}  // namespace

const char* name_of(TileSide side) {
  switch (side) {
    case TileSide::query_rows:
      return "row";
    case TileSide::keys:
      return "key";
    case TileSide::head_dim:
      return "d";
    case TileSide::splits:
      return "split";
    case TileSide::none:
      break;
  }
  return "";
}

void TilePointer::forget_place() {
  cell_.reset();
  by_keys_ = false;
}

// With Shift: plain arrows step through the program, whatever has the focus.
void TilePointer::move(const TileArrangement& arrangement, const CanvasFrame& frame,
                       TileCanvas& canvas) {
  is_resting_ = ImGui::IsItemHovered(ImGuiHoveredFlags_Stationary);
  const auto move = [&](ImGuiKey key, std::int64_t row, std::int64_t column) {
    if (!ImGui::Shortcut(ImGuiMod_Shift | key, ImGuiInputFlags_Repeat)) return;
    const auto at = cell_ ? std::pair{cell_->first + row, cell_->second + column}
                          : std::pair{std::int64_t{0}, std::int64_t{0}};
    cell_ = {std::clamp<std::int64_t>(at.first, 0, arrangement.rows - 1),
             std::clamp<std::int64_t>(at.second, 0, arrangement.columns - 1)};
    by_keys_ = true;
    canvas.show(cell_->first, cell_->second);
  };
  move(ImGuiKey_UpArrow, -1, 0);
  move(ImGuiKey_DownArrow, 1, 0);
  move(ImGuiKey_LeftArrow, 0, -1);
  move(ImGuiKey_RightArrow, 0, 1);
  // The mouse takes over when it moves.
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  const bool mouse_moved = moved.x != 0 || moved.y != 0;
  if (by_keys_ && ImGui::IsWindowFocused() && !(frame.hovered && mouse_moved)) return;
  by_keys_ = false;
  cell_ = frame.hovered;
}

void TilePointer::draw(const Context& context, const views::TileView& view,
                       const TileArrangement& arrangement, const CanvasFrame& frame,
                       std::pair<std::int64_t, std::int64_t> bin) {
  if (!cell_) return;
  const auto element = arrangement.element(cell_->first, cell_->second);
  if (!element) return;
  const float font = ImGui::GetFontSize(), thickness = std::max(1.0f, font * 0.1f);
  const ImVec2 min{frame.x(static_cast<double>(cell_->second)),
                   frame.y(static_cast<double>(cell_->first))};
  const ImVec2 max =
      min + ImVec2(static_cast<float>(frame.width), static_cast<float>(frame.height));
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect(frame.min - ImVec2(thickness, thickness), frame.end, true);
  draw.AddRect(min - ImVec2(thickness, thickness), max, context.theme.accent, 0, thickness);
  draw.PopClipRect();
  if (by_keys_) {
    // Beside the cell, towards the middle of the screen.
    const ImVec2 middle = ImGui::GetMainViewport()->GetCenter();
    const bool left = max.x > middle.x, above = max.y > middle.y;
    const float away = font * 0.5f;
    ImGui::SetNextWindowPos(
        {left ? min.x - away : max.x + away, above ? min.y - away : max.y + away}, ImGuiCond_Always,
        {left ? 1.0f : 0.0f, above ? 1.0f : 0.0f});
  }
  if (!ImGui::BeginTooltip()) return;
  tooltip(context, view, element->first, element->second);
  if (bin.first > 1 || bin.second > 1) {
    ImGui::TextColored(color(context.theme.text_dim),
                       "From this distance a cell shows the largest of %d × %d values.",
                       static_cast<int>(bin.first), static_cast<int>(bin.second));
  }
  ImGui::EndTooltip();
}

void TilePointer::tooltip(const Context& context, const views::TileView& view, std::int64_t row,
                          std::int64_t column) {
  const Theme& theme = context.theme;
  const views::TileCell cell = view.cell(row, column);
  std::string place = view.name();
  const auto add = [&](TileSide side, const std::string& label) {
    if (!label.empty()) place += fmt::format(", {} {}", name_of(side), label);
  };
  add(view.row_side(), view.row_label(row));
  add(view.column_side(), view.column_label(column));
  ImGui::TextColored(color(theme.tensor(view.name())), "%s", place.c_str());
  if (cell.past_end) {
    const bool rows_end = row >= view.rows_in_bounds();
    const TileSide side = rows_end ? view.row_side() : view.column_side();
    ImGui::Text("past the end of the %ss: no part of the problem", name_of(side));
    return;
  }
  ImGui::PushFont(theme.mono, 0.0f);
  ImGui::Text("value  %s",
              context.numbers_hidden ? "?" : views::number_text(cell.value, 9).c_str());
  if (!context.numbers_hidden) draw_exact(context, view, row, column);
  ImGui::PopFont();
  if (cell.hidden) ImGui::TextUnformatted("hidden by the mask");
  if (view.is_written_next()) ImGui::TextColored(color(theme.accent), "before this op");
}

void TilePointer::draw_exact(const Context& context, const views::TileView& view, std::int64_t row,
                             std::int64_t column) {
  if (!truth_) truth_.emplace(context.session(), view.buffer());
  const std::int64_t cost = truth_->cost();
  const Theme& theme = context.theme;
  if (cost > (context.playback.playing() ? kMostCostPlaying : kMostCostMoving) &&
      (context.playback.playing() || (!is_resting_ && !by_keys_))) {
    ImGui::TextColored(color(theme.text_dim), "exact  …");
    return;
  }
  const std::optional<double> exact = truth_->at(row, column);
  if (exact) {
    const double value = view.value(row, column);
    ImGui::Text("exact  %s", views::number_text(*exact, 15).c_str());
    const double error = value == *exact ? 0 : value - *exact;
    ImGui::Text("error  %s", views::number_text(error, 3).c_str());
    if (std::isfinite(error) && error != 0 && *exact != 0) {
      ImGui::SameLine();
      ImGui::TextColored(color(theme.text_dim), "= %s of it",
                         views::number_text(std::abs(error / *exact), 2).c_str());
    }
  } else {
    ImGui::TextColored(color(theme.text_dim), "exact  –");
  }
  ImGui::PopFont();
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * 18);
  ImGui::TextColored(color(theme.text_dim), "%s%s", exact ? "exact, in fp64: " : "",
                     truth_->definition().c_str());
  ImGui::PopTextWrapPos();
  ImGui::PushFont(theme.mono, 0.0f);
}

}  // namespace flashscope::window
