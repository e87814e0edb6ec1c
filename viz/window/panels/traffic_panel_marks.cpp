// See traffic_panel_marks.h.
#include "viz/window/panels/traffic_panel_marks.h"

#include <algorithm>

#include "viz/window/panels/figures.h"

namespace flashscope::window {
namespace {

ImPlotMarker lane_marker(std::size_t lane) {
  static constexpr ImPlotMarker kMarkers[] = {ImPlotMarker_Circle, ImPlotMarker_Square,
                                              ImPlotMarker_Diamond, ImPlotMarker_Up,
                                              ImPlotMarker_Down};
  return kMarkers[lane % std::size(kMarkers)];
}

void draw_marker(ImVec2 center, float radius, ImPlotMarker marker, ImU32 color) {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float r = radius;
  switch (marker) {
    case ImPlotMarker_Square:
      draw.AddRectFilled(center - ImVec2(r, r) * 0.85f, center + ImVec2(r, r) * 0.85f, color);
      break;
    case ImPlotMarker_Diamond:
      draw.AddQuadFilled(center - ImVec2(r, 0), center - ImVec2(0, r), center + ImVec2(r, 0),
                         center + ImVec2(0, r), color);
      break;
    case ImPlotMarker_Up:
      draw.AddTriangleFilled(center + ImVec2(-r, r * 0.8f), center - ImVec2(0, r),
                             center + ImVec2(r, r * 0.8f), color);
      break;
    case ImPlotMarker_Down:
      draw.AddTriangleFilled(center + ImVec2(-r, -r * 0.8f), center + ImVec2(r, -r * 0.8f),
                             center + ImVec2(0, r), color);
      break;
    default:
      draw.AddCircleFilled(center, r, color);
  }
}

}  // namespace

ImU32 lane_color(const Theme& theme, std::size_t lane) {
  if (lane == 0) return theme.accent;
  static constexpr float kTones[] = {1.0f, 0.7f, 0.5f, 0.85f};
  return Theme::faded(theme.text, kTones[(lane - 1) % std::size(kTones)]);
}

ImPlotSpec lane_line(const Theme& theme, std::size_t lane) {
  ImPlotSpec spec;
  spec.LineColor = to_vec(lane_color(theme, lane));
  spec.LineWeight = ImGui::GetFontSize() * (lane == 0 ? 0.17f : 0.11f);
  return spec;
}

ImPlotSpec lane_mark(const Theme& theme, std::size_t lane, float ems) {
  ImPlotSpec spec;
  spec.Marker = lane_marker(lane);
  spec.MarkerSize = ImGui::GetFontSize() * ems;
  spec.MarkerFillColor = to_vec(lane_color(theme, lane));
  spec.MarkerLineColor = to_vec(theme.background);
  return spec;
}

void draw_lane_choice(const Context& context, TrafficLanes& lanes) {
  const float em = ImGui::GetFontSize();
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  for (std::size_t n = 0; n < lanes.entries().size(); ++n) {
    TrafficLanes::Entry& entry = lanes.entries()[n];
    const std::string label = n == 0 ? entry.name + " (running)" : entry.name;
    const float width = ImGui::GetFrameHeight() + style.ItemInnerSpacing.x +
                        ImGui::CalcTextSize(label.c_str()).x + em;
    if (n > 0) {
      ImGui::SameLine(0, em);
      if (ImGui::GetCursorScreenPos().x + width > right) ImGui::NewLine();
    }
    ImGui::BeginGroup();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_marker(at + ImVec2(em * 0.4f, ImGui::GetFrameHeight() / 2), em * 0.3f, lane_marker(n),
                lane_color(context.theme, n));
    ImGui::SetCursorScreenPos(at + ImVec2(em, 0));
    bool on = lanes.shows(entry) && entry.refused.empty();
    ImGui::BeginDisabled(!entry.refused.empty());
    if (ImGui::Checkbox(label.c_str(), &on)) lanes.show(entry, on);
    ImGui::EndDisabled();
    ImGui::EndGroup();
    if (!entry.refused.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
      ImGui::SetTooltip("%s", entry.refused.c_str());
    } else {
      tip("All algorithms work on the same problem with the same tile sizes, in lockstep: each "
          "stands at the same fraction of its own ops.");
    }
  }
  if (!lanes.asks()) return;
  draw_note(
      context.theme.text_dim,
      "For this mask expression and length every further algorithm takes a while to lay out.");
  if (ImGui::Button("Lay them out")) lanes.make_all();
}

float plot_height(std::size_t table_lines) {
  const float em = ImGui::GetFontSize();
  const float table =
      static_cast<float>(table_lines + 1) * ImGui::GetTextLineHeightWithSpacing() + em * 1.5f;
  return std::clamp(ImGui::GetContentRegionAvail().y - table, em * 11, em * 28);
}

}  // namespace flashscope::window
