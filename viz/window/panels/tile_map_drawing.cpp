// Drawing the tile map; see tile_map_drawing.h.
#include "viz/window/panels/tile_map_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "viz/window/panels/tile_map_palette.h"

namespace flashscope::window {
namespace {

constexpr double kSmallestBin = 3;      // pixels
constexpr double kMostBins = 24000;     // a frame's worth of rectangles
constexpr int kMostMasksPerFrame = 64;  // asked of the mask; the others wait for the next frame
constexpr std::size_t kMostMasksKept = 1 << 14;

// Between tiles, where there is room for it.
float gap_of(const CanvasFrame& frame) {
  if (std::min(frame.width, frame.height) < 6) return 0;
  return std::max(1.0f, std::floor(ImGui::GetFontSize() / 16));
}

// Whether the op under way belongs to a step of the shown phase.
bool is_on_map(const Session& session, const views::TileMapView& view) {
  const Segment& here = session.segment();
  return !session.at_end() && here.phase == view.phase() && here.part == Part::step &&
         here.q_tile >= 0 && here.kv_tile >= 0;
}

}  // namespace

void TileMapDrawing::forget() {
  state_version_ = 0;
  hidden_.clear();
}

void TileMapDrawing::draw(const Context& context, const views::TileMapView& view,
                          const CanvasFrame& frame) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.PushClipRect(frame.min, frame.max + ImVec2(1, 1), true);
  draw.AddRectFilled(frame.min, frame.max, context.theme.background);
  update_bins(context, view, frame);
  draw_bins(frame);
  if (bins_.q_per_bin == 1 && bins_.kv_per_bin == 1) {
    draw_progress(context, view, frame);
    draw_masks(context, view, frame);
  }
  for (const std::int64_t border : view.split_borders()) {
    const float x = frame.x(static_cast<double>(border));
    const float width = std::max(1.0f, ImGui::GetFontSize() * 0.1f);
    draw.AddLine({x, frame.min.y}, {x, frame.max.y}, context.theme.text, width);
  }
  draw_current(context, view, frame);
  if (bins_.q_per_bin == 1 && bins_.kv_per_bin == 1) {
    if (view.phase() >= 0) draw_left_out(context, frame);
    draw_marks(context, view, frame);
  }
  draw.PopClipRect();
  draw.AddRect(frame.min, frame.max, context.theme.line);
}

void TileMapDrawing::update_bins(const Context& context, const views::TileMapView& view,
                                 const CanvasFrame& frame) {
  const double area = static_cast<double>(frame.max.x - frame.min.x) *
                      static_cast<double>(frame.max.y - frame.min.y);
  const double bin = std::max(kSmallestBin, std::sqrt(area / kMostBins));
  const auto per_bin = [&](double cell) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(bin / cell - 1e-6)));
  };
  const std::int64_t q_per_bin = per_bin(frame.height), kv_per_bin = per_bin(frame.width);
  // Bins stay where they are when the map is moved.
  const IndexRange rows{frame.rows.begin / q_per_bin * q_per_bin, frame.rows.end};
  const IndexRange columns{frame.columns.begin / kv_per_bin * kv_per_bin, frame.columns.end};
  const bool same_bins = state_version_ != 0 && bins_.q_tiles == rows &&
                         bins_.kv_tiles == columns && bins_.q_per_bin == q_per_bin &&
                         bins_.kv_per_bin == kv_per_bin;
  if (same_bins && state_version_ == context.state_version && dark_ == context.theme.dark) return;
  const std::int64_t position = context.session().position();
  if (same_bins) {
    view.update_done(bins_, position);
  } else {
    bins_ = view.bins(rows, columns, q_per_bin, kv_per_bin, position);
  }
  state_version_ = context.state_version;
  dark_ = context.theme.dark;
  const TileMapPalette palette(context.theme, view.phase() >= 0);
  colors_.clear();
  for (const views::TileMapBins::Bin& a_bin : bins_.bins) colors_.push_back(palette.of(a_bin));
}

void TileMapDrawing::draw_bins(const CanvasFrame& frame) const {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float gap = gap_of(frame);
  const bool gaps = gap > 0;
  const auto column_x = [&](std::int64_t column) {
    const std::int64_t tile =
        std::min(bins_.kv_tiles.begin + column * bins_.kv_per_bin, bins_.kv_tiles.end);
    return std::round(frame.x(static_cast<double>(tile)));
  };
  for (std::int64_t row = 0; row < bins_.rows; ++row) {
    const std::int64_t tile = bins_.q_tiles.begin + row * bins_.q_per_bin;
    const float top = std::round(frame.y(static_cast<double>(tile)));
    const float bottom = std::round(
        frame.y(static_cast<double>(std::min(tile + bins_.q_per_bin, bins_.q_tiles.end))));
    const ImU32* colors = &colors_[static_cast<std::size_t>(row * bins_.columns)];
    // Neighbours of one colour are one rectangle, unless gaps show them apart.
    for (std::int64_t column = 0; column < bins_.columns;) {
      const ImU32 color = colors[column];
      std::int64_t end = column + 1;
      while (!gaps && end < bins_.columns && colors[end] == color) ++end;
      draw.AddRectFilled({column_x(column), top}, {column_x(end) - gap, bottom - gap}, color);
      column = end;
    }
  }
}

// Hidden elements are cut out of partial tiles, in the colour of empty ones.
void TileMapDrawing::draw_masks(const Context& context, const views::TileMapView& view,
                                const CanvasFrame& frame) {
  const float font = ImGui::GetFontSize();
  if (std::min(frame.width, frame.height) < 0.7 * font) return;
  // A row of elements for every two pixels, in powers of two so that zooming asks seldom.
  const std::int64_t rows = std::int64_t{1}
                            << std::clamp(static_cast<int>(std::log2(frame.height / 2)), 2, 8);
  if (rows != sampled_rows_ || hidden_.size() > kMostMasksKept) hidden_.clear();
  sampled_rows_ = rows;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float gap = gap_of(frame);
  const ImU32 cut = context.theme.empty_tile;
  const double per_row = frame.height / static_cast<double>(view.tile_rows());
  const double per_key = frame.width / static_cast<double>(view.tile_keys());
  const bool hatched = std::min(per_row, per_key) > 0.8 * font;
  int asked = 0;
  for (std::int64_t row = 0; row < bins_.rows; ++row) {
    for (std::int64_t column = 0; column < bins_.columns; ++column) {
      const Tile tile{bins_.q_tiles.begin + row, bins_.kv_tiles.begin + column};
      const views::TileMapBins::Bin& bin = bins_.at(row, column);
      const bool is_partial = bin.tiles[static_cast<std::size_t>(TileClass::partial)] > 0;
      const bool is_cut_off = view.rows_of(tile.first).size() < view.tile_rows();
      if (!is_partial && !(is_cut_off && bin.visits > 0)) continue;
      auto found = hidden_.find(tile);
      if (found == hidden_.end()) {
        if (++asked > kMostMasksPerFrame) continue;
        found = hidden_.emplace(tile, view.hidden(tile.first, tile.second, rows)).first;
      }
      const double x = frame.x(static_cast<double>(tile.second));
      const double y = frame.y(static_cast<double>(tile.first));
      for (const views::TileMapView::Hidden& part : found->second) {
        const auto at = [&](std::int64_t key, std::int64_t element_row) {
          return ImVec2(
              std::round(static_cast<float>(x + static_cast<double>(key) * per_key)),
              std::round(static_cast<float>(y + static_cast<double>(element_row) * per_row)));
        };
        // The line between tiles stays.
        const ImVec2 min = at(part.keys.begin, part.rows.begin);
        ImVec2 max = at(part.keys.end, part.rows.end);
        if (part.keys.end == view.tile_keys()) max.x -= gap;
        if (part.rows.end == view.tile_rows()) max.y -= gap;
        draw.AddRectFilled(min, max, cut);
        if (hatched) draw_hatch(draw, min, max, context.theme.line, font * 0.5f);
      }
    }
  }
}

// A cross on tiles that no step visits though they are not empty: a loop with wrong bounds.
void TileMapDrawing::draw_left_out(const Context& context, const CanvasFrame& frame) const {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float font = ImGui::GetFontSize();
  const float arm =
      std::min(font * 0.5f, static_cast<float>(std::min(frame.width, frame.height)) * 0.4f);
  for (std::int64_t row = 0; row < bins_.rows; ++row) {
    for (std::int64_t column = 0; column < bins_.columns; ++column) {
      const views::TileMapBins::Bin& bin = bins_.at(row, column);
      if (bin.visits > 0 || bin.tiles[static_cast<std::size_t>(TileClass::empty)] > 0) continue;
      const ImVec2 middle{frame.x(static_cast<double>(bins_.kv_tiles.begin + column) + 0.5),
                          frame.y(static_cast<double>(bins_.q_tiles.begin + row) + 0.5)};
      const float thickness = std::max(1.0f, font * 0.1f);
      draw.AddLine(middle - ImVec2(arm, arm), middle + ImVec2(arm, arm), context.theme.bad,
                   thickness);
      draw.AddLine(middle - ImVec2(arm, -arm), middle + ImVec2(arm, -arm), context.theme.bad,
                   thickness);
    }
  }
}

// Order numbers and ticks, in cells that are large enough.
void TileMapDrawing::draw_marks(const Context& context, const views::TileMapView& view,
                                const CanvasFrame& frame) const {
  const Theme& theme = context.theme;
  const float font = ImGui::GetFontSize();
  const double side = std::min(frame.width, frame.height);
  if (side < 1.5 * font) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const std::string widest = fmt::format("{}", view.visits());
  const float number_size = std::clamp(static_cast<float>(side) * 0.3f, font, font * 2);
  const float number_width = theme.mono->CalcTextSizeA(number_size, FLT_MAX, 0, widest.c_str()).x;
  const bool numbers = number_width < frame.width * 0.8 && side > 1.8 * font;
  for (std::int64_t row = 0; row < bins_.rows; ++row) {
    for (std::int64_t column = 0; column < bins_.columns; ++column) {
      const std::int64_t i = bins_.q_tiles.begin + row, j = bins_.kv_tiles.begin + column;
      const views::TileMapBins::Bin& bin = bins_.at(row, column);
      const ImVec2 min{frame.x(static_cast<double>(j)), frame.y(static_cast<double>(i))};
      const ImVec2 max =
          min + ImVec2(static_cast<float>(frame.width), static_cast<float>(frame.height));
      if (bin.visits == 0) continue;
      const bool done = bin.done == bin.visits;
      const bool is_current =
          view.cell(i, j, context.session().position()).state == views::TileState::current;
      const ImU32 ink =
          done ? Theme::ink_on(colors_[static_cast<std::size_t>(row * bins_.columns + column)])
          : is_current ? theme.text
                       : theme.text_dim;
      if (numbers) {
        const std::string text = fmt::format("{}", view.cell(i, j, 0).order + 1);
        const ImVec2 size = theme.mono->CalcTextSizeA(number_size, FLT_MAX, 0, text.c_str());
        draw.AddText(theme.mono, number_size, (min + max - size) * ImVec2(0.5f, 0.5f), ink,
                     text.c_str());
      }
      if (done && side > 2.6 * font) {
        draw.AddText({max.x - font * 1.2f, min.y + font * 0.15f}, ink, "✓");
      }
    }
  }
}

// The current tile fills from the top with the look of one that is done, op by op.
void TileMapDrawing::draw_progress(const Context& context, const views::TileMapView& view,
                                   const CanvasFrame& frame) const {
  const Session& session = context.session();
  if (!is_on_map(session, view)) return;
  const Segment& here = session.segment();
  const double progress =
      (static_cast<double>(session.position() - here.first_op) + context.playback.progress()) /
      static_cast<double>(here.lines.size());
  const ImVec2 min{frame.x(static_cast<double>(here.kv_tile)),
                   frame.y(static_cast<double>(here.q_tile))};
  const ImVec2 max{min.x + static_cast<float>(frame.width) - gap_of(frame),
                   min.y + static_cast<float>(frame.height * std::clamp(progress, 0.0, 1.0))};
  const TileClass tile_class = view.cell(here.q_tile, here.kv_tile, 0).tile_class;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(min, max, TileMapPalette(context.theme, true).done(tile_class));
}

void TileMapDrawing::draw_current(const Context& context, const views::TileMapView& view,
                                  const CanvasFrame& frame) const {
  if (!is_on_map(context.session(), view)) return;
  const Segment& here = context.session().segment();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float font = ImGui::GetFontSize();
  // Far away the mark is larger than its tile, lest it be lost.
  const double least = 0.55 * font;
  const double width = std::max(frame.width, least), height = std::max(frame.height, least);
  const double x = frame.x(static_cast<double>(here.kv_tile)) - (width - frame.width) / 2;
  const double y = frame.y(static_cast<double>(here.q_tile)) - (height - frame.height) / 2;
  const ImVec2 min{static_cast<float>(x), static_cast<float>(y)};
  const ImVec2 max = min + ImVec2(static_cast<float>(width), static_cast<float>(height));
  const float thickness = std::max(1.5f, font * 0.12f);
  const ImVec2 inset{thickness / 2, thickness / 2};
  draw.AddRect(min + inset, max - inset, context.theme.accent, 0, thickness);
}

}  // namespace flashscope::window
