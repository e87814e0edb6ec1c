// Zooming, labels and hatching of grids; see tile_canvas.h.
#include "viz/window/panels/tile_canvas.h"

#include <algorithm>
#include <cmath>

#include "sim/attention/tile_plan.h"

namespace flashscope::window {
namespace {

constexpr double kWheelFactor = 1.25;
constexpr double kLargestCell = 12;  // of a zoomed cell, in font sizes
constexpr double kSmallestSide = 2;  // of a cell that is longer the other way, in font sizes

// The part of [0, count) that shows in `pixels`.
IndexRange shown(double first, double cell, double pixels, std::int64_t count) {
  const auto begin = static_cast<std::int64_t>(std::floor(first));
  const auto end = static_cast<std::int64_t>(std::ceil(first + pixels / cell));
  return {std::clamp<std::int64_t>(begin, 0, count), std::clamp<std::int64_t>(end, 0, count)};
}

double scrolled_to(double first, std::int64_t index, double cells) {
  const auto at = static_cast<double>(index);
  if (at < first) return at;
  return at + 1 > first + cells ? at + 1 - cells : first;
}

// The first cell at or behind `begin` whose name is a multiple of the step.
std::int64_t first_label(std::int64_t begin, std::int64_t offset, std::int64_t step) {
  return ceil_div(begin + offset, step) * step - offset;
}

}  // namespace

CanvasFrame TileCanvas::begin(const char* id, ImVec2 size, ImVec2 margin, std::int64_t rows,
                              std::int64_t columns, double stretch) {
  const double font = ImGui::GetFontSize();
  size = {std::max(size.x, margin.x + static_cast<float>(font)),
          std::max(size.y, margin.y + static_cast<float>(font))};
  const bool pressed = ImGui::InvisibleButton(id, size);
  const ImGuiIO& io = ImGui::GetIO();
  CanvasFrame frame;
  frame.corner = ImGui::GetItemRectMin();
  frame.end = ImGui::GetItemRectMax();
  frame.min = frame.corner + margin;
  const double place_x = size.x - margin.x, place_y = size.y - margin.y;
  const auto row_count = static_cast<double>(std::max<std::int64_t>(rows, 1));
  const auto column_count = static_cast<double>(std::max<std::int64_t>(columns, 1));

  const auto lay_out = [&] {
    const double most =
        std::max(1.0, kLargestCell * font / std::min(place_x / column_count, place_y / row_count));
    zoom_ = std::clamp(zoom_, 1.0, most);
    const double width = place_x / column_count * zoom_, height = place_y / row_count * zoom_;
    frame.width = std::min(width, std::max(stretch * height, kSmallestSide * font));
    frame.height = std::min(height, std::max(stretch * width, kSmallestSide * font));
    first_column_ =
        std::clamp(first_column_, 0.0, std::max(0.0, column_count - place_x / frame.width));
    first_row_ = std::clamp(first_row_, 0.0, std::max(0.0, row_count - place_y / frame.height));
  };
  // What lies at this point of the place stays there.
  const auto zoom_about = [&](double factor, double x, double y) {
    const double column = first_column_ + x / frame.width, row = first_row_ + y / frame.height;
    zoom_ *= factor;
    lay_out();
    first_column_ = column - x / frame.width;
    first_row_ = row - y / frame.height;
    lay_out();
  };

  lay_out();
  if (ImGui::Shortcut(ImGuiKey_Equal, ImGuiInputFlags_Repeat) ||
      ImGui::Shortcut(ImGuiKey_KeypadAdd, ImGuiInputFlags_Repeat) ||
      ImGui::Shortcut(ImGuiMod_Shift | ImGuiKey_Equal, ImGuiInputFlags_Repeat)) {
    zoom_by(kWheelFactor);
  }
  if (ImGui::Shortcut(ImGuiKey_Minus, ImGuiInputFlags_Repeat) ||
      ImGui::Shortcut(ImGuiKey_KeypadSubtract, ImGuiInputFlags_Repeat)) {
    zoom_by(1 / kWheelFactor);
  }
  if (ImGui::Shortcut(ImGuiKey_0)) fit();
  if (wanted_factor_ != 1) zoom_about(wanted_factor_, place_x / 2, place_y / 2);
  wanted_factor_ = 1;
  ImGui::SetItemKeyOwner(ImGuiKey_MouseWheelY);
  const ImVec2 mouse = io.MousePos - frame.min;
  if (ImGui::IsItemHovered() && io.MouseWheel != 0) {
    zoom_about(std::pow(kWheelFactor, io.MouseWheel), std::clamp<double>(mouse.x, 0, place_x),
               std::clamp<double>(mouse.y, 0, place_y));
  }
  const bool dragged = ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left);
  if (dragged) {
    first_column_ -= io.MouseDelta.x / frame.width;
    first_row_ -= io.MouseDelta.y / frame.height;
  }
  if (wanted_cell_) {
    first_row_ = scrolled_to(first_row_, wanted_cell_->first, place_y / frame.height);
    first_column_ = scrolled_to(first_column_, wanted_cell_->second, place_x / frame.width);
    wanted_cell_.reset();
  }
  lay_out();
  cell_size_ = {static_cast<float>(frame.width), static_cast<float>(frame.height)};

  frame.first_column = first_column_;
  frame.first_row = first_row_;
  frame.max = {std::min(frame.x(column_count), frame.end.x),
               std::min(frame.y(row_count), frame.end.y)};
  frame.columns = shown(first_column_, frame.width, place_x, columns);
  frame.rows = shown(first_row_, frame.height, place_y, rows);
  const auto row = static_cast<std::int64_t>(std::floor(first_row_ + mouse.y / frame.height));
  const auto column = static_cast<std::int64_t>(std::floor(first_column_ + mouse.x / frame.width));
  if (ImGui::IsItemHovered() && mouse.x >= 0 && mouse.y >= 0 && frame.rows.contains(row) &&
      frame.columns.contains(column)) {
    frame.hovered = {row, column};
    const float threshold = io.MouseDragThreshold;
    frame.clicked = pressed && io.MouseDragMaxDistanceSqr[0] < threshold * threshold;
  }
  return frame;
}

std::int64_t label_step(double cell_pixels, double label_pixels) {
  std::int64_t step = 1;
  for (int n = 0; static_cast<double>(step) * cell_pixels < label_pixels && n < 60; ++n) {
    step = n % 3 == 1 ? step / 2 * 5 : step * 2;
  }
  return step;
}

bool columns_have_details(const Theme& theme, float cell_width, const std::string& widest) {
  ImGui::PushFont(theme.mono, 0.0f);
  const float width = ImGui::CalcTextSize(widest.c_str()).x + ImGui::GetFontSize() * 0.6f;
  ImGui::PopFont();
  return width < cell_width;
}

bool rows_have_details(const Theme& theme, float cell_height) {
  ImGui::PushFont(theme.mono, 0.0f);
  const float height = ImGui::GetFontSize() * 2.2f;
  ImGui::PopFont();
  return height < cell_height;
}

void draw_column_labels(const CanvasFrame& frame, const Theme& theme, const AxisLabels& labels) {
  if (labels.count == 0 || !labels.name) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImGui::PushFont(theme.mono, 0.0f);
  const float gap = ImGui::GetFontSize() * 0.6f, line = ImGui::GetFontSize();
  const float widest = ImGui::CalcTextSize(labels.name(labels.count - 1).c_str()).x + gap;
  const std::int64_t step = label_step(frame.width, widest);
  const bool detailed = labels.detail != nullptr;
  const auto draw_at = [&](std::int64_t index, const std::string& text, float y, ImU32 color) {
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    const float middle =
        (frame.x(static_cast<double>(index)) + frame.x(static_cast<double>(index + 1))) / 2;
    // A label goes with the middle of its cell: out of sight, it would crowd its neighbour.
    if (middle < frame.min.x || middle > frame.end.x) return;
    const float x = std::clamp(middle - width / 2, frame.min.x - line,
                               std::max(frame.min.x, frame.end.x - width));
    draw.AddText({x, y}, color, text.c_str());
  };
  for (std::int64_t n = first_label(frame.columns.begin, labels.offset, step);
       n < frame.columns.end; n += step) {
    // The strong one has its own, which needs the room.
    if (n != labels.strong &&
        std::abs(static_cast<double>(n - labels.strong)) * frame.width < widest &&
        frame.columns.contains(labels.strong)) {
      continue;
    }
    const float y = frame.min.y - line * (detailed ? 2.1f : 1.15f);
    const ImU32 color = n == labels.strong ? theme.accent : theme.text;
    draw_at(n, labels.name(n), y, color);
    if (detailed)
      draw_at(n, labels.detail(n), y + line, n == labels.strong ? theme.accent : theme.text_dim);
  }
  if (frame.columns.contains(labels.strong) && (labels.strong + labels.offset) % step != 0) {
    draw_at(labels.strong, labels.name(labels.strong), frame.min.y - line * 1.15f, theme.accent);
  }
  ImGui::PopFont();
}

void draw_row_labels(const CanvasFrame& frame, const Theme& theme, const AxisLabels& labels) {
  if (labels.count == 0 || !labels.name) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  ImGui::PushFont(theme.mono, 0.0f);
  const float line = ImGui::GetFontSize(), gap = line * 0.35f;
  const std::int64_t step = label_step(frame.height, line * 1.05f);
  const bool detailed = labels.detail != nullptr;
  const auto draw_at = [&](std::int64_t index, const std::string& text, float offset, ImU32 color) {
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    const float middle =
        (frame.y(static_cast<double>(index)) + frame.y(static_cast<double>(index + 1))) / 2;
    const float y = middle - line / 2 + offset;
    if (middle > frame.end.y || y < frame.min.y - line / 2) return;
    draw.AddText({frame.min.x - gap - width, y}, color, text.c_str());
  };
  const auto draw_one = [&](std::int64_t n) {
    const bool strong = n == labels.strong;
    draw_at(n, labels.name(n), detailed ? -line / 2 : 0, strong ? theme.accent : theme.text);
    if (detailed) {
      draw_at(n, labels.detail(n), line / 2, strong ? theme.accent : theme.text_dim);
    }
  };
  const bool has_strong = frame.rows.contains(labels.strong);
  for (std::int64_t n = first_label(frame.rows.begin, labels.offset, step); n < frame.rows.end;
       n += step) {
    const bool crowded =
        has_strong && n != labels.strong &&
        std::abs(static_cast<double>(n - labels.strong)) * frame.height < line * 1.05f;
    if (!crowded) draw_one(n);
  }
  if (has_strong && (labels.strong + labels.offset) % step != 0) draw_one(labels.strong);
  ImGui::PopFont();
}

ImVec2 label_margin(const Theme& theme, const AxisLabels& rows, const AxisLabels& columns) {
  ImGui::PushFont(theme.mono, 0.0f);
  const float font = ImGui::GetFontSize();
  const auto width = [](const std::function<std::string(std::int64_t)>& label, std::int64_t count) {
    if (!label || count == 0) return 0.0f;
    return std::max(ImGui::CalcTextSize(label(0).c_str()).x,
                    ImGui::CalcTextSize(label(count - 1).c_str()).x);
  };
  const ImVec2 margin{
      std::max(width(rows.name, rows.count), width(rows.detail, rows.count)) + font * 0.7f,
      columns.name ? font * (columns.detail ? 2.2f : 1.25f) : 0};
  ImGui::PopFont();
  return margin;
}

void draw_hatch(ImDrawList& draw, ImVec2 min, ImVec2 max, ImU32 color, float spacing) {
  // Lines x + y = a multiple of the spacing.
  float sum = std::ceil((min.x + min.y) / spacing) * spacing;
  for (; sum < max.x + max.y; sum += spacing) {
    const float left = std::max(min.x, sum - max.y), right = std::min(max.x, sum - min.y);
    draw.AddLine({left, sum - left}, {right, sum - right}, color);
  }
}

ImU32 mix_colors(ImU32 from, ImU32 to, float part) {
  // Channel by channel in 256ths: this is done for every bin of a map.
  const auto weight = static_cast<std::int32_t>(part * 256 + 0.5f);
  ImU32 mixed = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const auto a = static_cast<std::int32_t>(from >> shift & 255U);
    const auto b = static_cast<std::int32_t>(to >> shift & 255U);
    mixed |= static_cast<ImU32>(a + (b - a) * weight / 256) << shift;
  }
  return mixed;
}

void same_line_if_fits(float width) {
  const ImGuiStyle& style = ImGui::GetStyle();
  const float end = ImGui::GetItemRectMax().x + style.ItemSpacing.x + width;
  if (end <= ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x) ImGui::SameLine();
}

bool choice_button(const char* label, bool is_chosen, const Theme& theme, ImU32 mark) {
  ImGui::PushStyleColor(ImGuiCol_Button, is_chosen ? theme.line : theme.surface);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, mix_colors(theme.surface, theme.line, 0.6f));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, theme.line);
  ImGui::PushStyleColor(ImGuiCol_Text, is_chosen ? theme.text : theme.text_dim);
  const bool pressed = ImGui::Button(label);
  ImGui::PopStyleColor(4);
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  const float bar = ImGui::GetFontSize() * 0.14f;
  if (mark != 0) ImGui::GetWindowDrawList()->AddRectFilled({min.x, max.y - bar}, max, mark);
  return pressed;
}

}  // namespace flashscope::window
