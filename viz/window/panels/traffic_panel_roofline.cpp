// The page "Roofline": what a device's memory and tensor cores allow at each algorithm's intensity;
// see traffic_panel_parts.h.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/figures.h"
#include "viz/window/panels/traffic_panel_marks.h"

namespace flashscope::window {
namespace {

using terminal::short_number;
using Entry = TrafficLanes::Entry;

int format_number(double value, char* buffer, int size, void*) {
  return std::snprintf(buffer, static_cast<std::size_t>(size), "%s", short_number(value).c_str());
}

const Device& choose_device(const Context& context, std::string& looked_at) {
  const Device* chosen = &context.device;
  for (const Device& device : devices()) {
    if (device.name == looked_at) chosen = &device;
  }
  ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x, ImGui::GetFontSize() * 18));
  const std::string preview(chosen->title);
  if (ImGui::BeginCombo("##device", preview.c_str())) {
    for (const Device& device : devices()) {
      const bool session = device.name == context.device.name;
      const std::string label = std::string(device.title) + (session ? " (the session's)" : "");
      if (ImGui::Selectable(label.c_str(), &device == chosen)) {
        looked_at = session ? "" : device.name;
        chosen = &device;
      }
    }
    ImGui::EndCombo();
  }
  tip("Look at another device's roofs; the session keeps its own.");
  return *chosen;
}

struct Range {
  double low = 0, high = 0;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// Beside the roofs: what they are, where there is room.
void draw_roof_names(const Context& context, const views::Roofline& roof, const Range& x) {
  const float em = ImGui::GetFontSize();
  const std::string memory = fmt::format("HBM {} GB/s", short_number(roof.bytes_per_s / 1e9));
  const std::string tensor =
      fmt::format("tensor cores {} TFLOP/s", short_number(roof.flops_per_s / 1e12));
  const std::string ridge = fmt::format("ridge {} FLOP/B", short_number(roof.ridge()));
  const auto pixels = [&](double intensity) {
    return ImPlot::PlotToPixels(intensity, roof.attainable(intensity) / 1e12);
  };
  ImPlot::PushPlotClipRect();
  ImDrawList& draw = *ImPlot::GetPlotDrawList();
  const ImVec2 corner = pixels(roof.ridge()), right = pixels(x.high);
  const float tensor_width = ImGui::CalcTextSize(tensor.c_str()).x;
  const bool above = right.x - em * 0.5f - tensor_width > ImPlot::GetPlotPos().x;
  if (above) {
    draw.AddText(ImVec2(right.x - em * 0.5f - tensor_width, corner.y - em * 1.35f),
                 context.theme.text_dim, tensor.c_str());
  }
  const ImVec2 slope = pixels(std::sqrt(x.low * roof.ridge()));
  const float memory_end = slope.x + em + ImGui::CalcTextSize(memory.c_str()).x;
  if (memory_end < right.x) {
    draw.AddText(slope + ImVec2(em, em * 0.3f), context.theme.text_dim, memory.c_str());
  }
  const float bottom = ImPlot::GetPlotPos().y + ImPlot::GetPlotSize().y;
  const float ridge_width = ImGui::CalcTextSize(ridge.c_str()).x;
  const float ridge_x = corner.x + em * 0.3f + ridge_width < right.x
                            ? corner.x + em * 0.3f
                            : corner.x - em * 0.3f - ridge_width;
  draw.AddText(ImVec2(ridge_x, bottom - em * 1.3f), context.theme.text_dim, ridge.c_str());
  ImPlot::PopPlotClipRect();
}

void draw_roofs(const Context& context, const views::Roofline& roof, const Range& x) {
  const std::array<double, 3> roof_x = {x.low, roof.ridge(), x.high};
  std::array<double, 3> roof_y{};
  std::transform(roof_x.begin(), roof_x.end(), roof_y.begin(),
                 [&](double value) { return roof.attainable(value) / 1e12; });
  ImPlotSpec spec;
  spec.LineColor = to_vec(context.theme.text_dim);
  spec.LineWeight = ImGui::GetFontSize() * 0.15f;
  ImPlot::PlotLine("##roofs", roof_x.data(), roof_y.data(), 3, spec);
  spec.LineWeight = ImGui::GetFontSize() / 16;
  spec.LineColor = to_vec(context.theme.line);
  const double ridge = roof.ridge();
  ImPlot::PlotInfLines("##ridge", &ridge, 1, spec);
}

void draw_roof_points(const Context& context, TrafficLanes& lanes, const views::Roofline& roof) {
  for (const Entry* entry : lanes.shown_running_last()) {
    const std::size_t lane = lanes.index_of(*entry);
    if (entry->state && entry->state->whole_intensity) {
      const double x = *entry->state->whole_intensity, y = roof.attainable(x) / 1e12;
      ImPlot::PlotScatter(entry->name.c_str(), &x, &y, 1, lane_mark(context.theme, lane, 0.42f));
    }
  }
  const views::LaneState& running = *lanes.running().state;
  if (!running.intensity || *running.intensity <= 0 || context.numbers_hidden) return;
  const double x = *running.intensity, y = roof.attainable(x) / 1e12;
  ImPlotSpec ring = lane_mark(context.theme, 0, 0.7f);
  ring.MarkerFillColor = {0, 0, 0, 0};
  ring.MarkerLineColor = to_vec(context.theme.accent);
  ring.LineWeight = ImGui::GetFontSize() * 0.13f;
  ImPlot::PlotScatter("##now", &x, &y, 1, ring);
}

void draw_roofline(const Context& context, TrafficLanes& lanes, const views::Roofline& roof) {
  Range x{roof.ridge() / 16, roof.ridge() * 4};
  for (const Entry* entry : lanes.shown()) {
    if (!entry->state) continue;
    for (const std::optional<double>& value :
         {entry->state->intensity, entry->state->whole_intensity}) {
      if (value && *value > 0) x.add(*value);
    }
  }
  // No tick so near the edge that its number would be cut.
  const double last_tick = std::pow(10, std::floor(std::log10(x.high)));
  x = {std::pow(10, std::floor(std::log10(x.low) - 0.1)), std::max(x.high, last_tick * 2)};
  const Range y{roof.attainable(x.low) / 1e12, roof.flops_per_s / 1e12 * 6};
  const ImVec2 size(-1, plot_height(lanes.entries().size() + 2));
  if (!ImPlot::BeginPlot("##roofline", size, kStillPlot)) return;
  ImPlot::SetupAxis(ImAxis_X1, "matmul FLOPs a byte", kStillAxis);
  ImPlot::SetupAxis(ImAxis_Y1, "TFLOP/s", kStillAxis);
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisFormat(ImAxis_X1, format_number);
  ImPlot::SetupAxisFormat(ImAxis_Y1, format_number);
  ImPlot::SetupAxisLimits(ImAxis_X1, x.low, x.high, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, y.low, y.high, ImPlotCond_Always);
  draw_roofs(context, roof, x);
  draw_roof_names(context, roof, x);
  draw_roof_points(context, lanes, roof);
  ImPlot::EndPlot();
}

void draw_roof_table(const Context& context, TrafficLanes& lanes, const views::Roofline& roof) {
  if (!ImGui::BeginTable("##roof_table", 3, kFigureTable)) return;
  constexpr std::array<ColumnHead, 3> kHeads = {
      ColumnHead{"", "", 1.3f},
      {"FLOP/B",
       "Arithmetic intensity: matmul FLOPs / simulated HBM bytes of the whole program. The ring is "
       "the running program's at this place."},
      {"TFLOP/s",
       "What the lower of the two roofs allows at that intensity: min(tensor cores' peak, "
       "intensity × HBM bandwidth)."}};
  draw_heads(context.theme, kHeads);
  const auto row = [&](const std::string& name, ImU32 color, std::optional<double> value,
                       bool hidden) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::TextUnformatted(name.c_str());
    ImGui::PopStyleColor();
    draw_number_cell(context.theme, hidden ? "?" : (value ? short_number(*value) : "–"));
    draw_number_cell(context.theme,
                     hidden ? "?" : (value ? short_number(roof.attainable(*value) / 1e12) : "–"));
  };
  for (const Entry* entry : lanes.shown()) {
    if (!entry->state) continue;
    row(entry->name, lane_color(context.theme, lanes.index_of(*entry)),
        entry->state->whole_intensity, false);
    if (entry == &lanes.running()) {
      row("  so far", context.theme.accent, entry->state->intensity, context.numbers_hidden);
    }
  }
  ImGui::EndTable();
}

}  // namespace

void draw_roofline_page(const Context& context, TrafficLanes& lanes, std::string& looked_at) {
  if (ImGui::BeginChild("##roofline_page")) {
    const views::Roofline roof(choose_device(context, looked_at));
    draw_lane_choice(context, lanes);
    draw_roofline(context, lanes, roof);
    draw_roof_table(context, lanes, roof);
    draw_note(
        context.theme.text_dim,
        "no-cache traffic: an upper bound of DRAM bytes. Roofs are published peaks of HBM and "
        "of fp16 tensor cores; no prediction of time.");
  }
  ImGui::EndChild();
}

}  // namespace flashscope::window
