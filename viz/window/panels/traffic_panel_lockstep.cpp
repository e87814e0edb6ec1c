// The page "Lockstep": bytes over progress, for each algorithm; see traffic_panel_parts.h.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/figures.h"
#include "viz/window/panels/traffic_panel_marks.h"

namespace flashscope::window {
namespace {

using terminal::readable_bytes;
using terminal::readable_count;
using Entry = TrafficLanes::Entry;

int format_bytes(double value, char* buffer, int size, void*) {
  return std::snprintf(buffer, static_cast<std::size_t>(size), "%s",
                       readable_bytes(static_cast<std::int64_t>(value)).c_str());
}

void draw_curve(const Context& context, const Entry& entry, std::size_t lane) {
  const std::vector<std::int64_t>& curve = entry.lane->curve();
  std::array<double, views::Lane::kPoints> x{}, y{};
  for (std::size_t n = 0; n < curve.size(); ++n) {
    x[n] = 100 * static_cast<double>(n) / (views::Lane::kPoints - 1);
    y[n] = static_cast<double>(curve[n]);
  }
  ImPlot::PlotLine(entry.name.c_str(), x.data(), y.data(), static_cast<int>(curve.size()),
                   lane_line(context.theme, lane));
  // A mark now and then tells curves of like tone apart.
  constexpr std::size_t kStride = 16;
  std::array<double, kStride> mark_x{}, mark_y{};
  int marks = 0;
  for (std::size_t n = kStride / 2; n < curve.size(); n += kStride) {
    mark_x[static_cast<std::size_t>(marks)] = x[n];
    mark_y[static_cast<std::size_t>(marks++)] = y[n];
  }
  ImPlot::PlotScatter(("##marks" + entry.name).c_str(), mark_x.data(), mark_y.data(), marks,
                      lane_mark(context.theme, lane, 0.25f));
}

void draw_place(const Context& context, TrafficLanes& lanes, double percent) {
  ImPlotSpec cursor;
  cursor.LineColor = to_vec(context.theme.text);
  cursor.LineWeight = ImGui::GetFontSize() / 12;
  ImPlot::PlotInfLines("##cursor", &percent, 1, cursor);
  if (context.numbers_hidden) return;
  for (const Entry* entry : lanes.shown_running_last()) {
    if (!entry->state) continue;
    const auto bytes = static_cast<double>(entry->state->bytes);
    ImPlot::PlotScatter(("##place" + entry->name).c_str(), &percent, &bytes, 1,
                        lane_mark(context.theme, lanes.index_of(*entry), 0.4f));
  }
}

void draw_hover(const Context& context, TrafficLanes& lanes, Requests& requests) {
  if (!ImPlot::IsPlotHovered()) return;
  const double percent = std::clamp(ImPlot::GetPlotMousePos().x, 0.0, 100.0);
  const auto point =
      static_cast<std::size_t>(std::lround(percent / 100 * (views::Lane::kPoints - 1)));
  if (ImGui::BeginTooltip()) {
    ImGui::Text("at %.1f %% of each one's ops",
                100 * static_cast<double>(point) / (views::Lane::kPoints - 1));
    ImGui::PushFont(context.theme.mono, 0.0f);
    for (const Entry* entry : lanes.shown()) {
      if (point < entry->lane->curve().size()) {
        ImGui::Text("%-10s %9s", entry->name.c_str(),
                    readable_bytes(entry->lane->curve()[point]).c_str());
      }
    }
    ImGui::PopFont();
    ImGui::TextDisabled("Click to go there.");
    ImGui::EndTooltip();
  }
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) {
    requests.go_to = lanes.running().lane->op_at(percent / 100);
  }
}

void draw_curves(const Context& context, TrafficLanes& lanes, Requests& requests) {
  double highest = 1;
  for (const Entry* entry : lanes.shown()) {
    highest = std::max(highest, static_cast<double>(views::bytes_passed(entry->lane->whole())));
  }
  const ImVec2 size(-1, plot_height(lanes.entries().size()));
  if (!ImPlot::BeginPlot("##bytes_over_progress", size, kStillPlot)) return;
  ImPlot::SetupAxis(ImAxis_X1, nullptr, kStillAxis);
  ImPlot::SetupAxis(ImAxis_Y1, nullptr, kStillAxis);
  constexpr std::array kTicks = {0.0, 25.0, 50.0, 75.0, 100.0};
  constexpr std::array kTickTexts = {"0", "25", "50", "75", "100 %"};
  ImPlot::SetupAxisTicks(ImAxis_X1, kTicks.data(), static_cast<int>(kTicks.size()),
                         kTickTexts.data());
  ImPlot::SetupAxisFormat(ImAxis_Y1, format_bytes);
  ImPlot::SetupAxisLimits(ImAxis_X1, 0, is_wide(30) ? 104 : 110, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, 0, highest * 1.06, ImPlotCond_Always);
  for (const Entry* entry : lanes.shown_running_last()) {
    draw_curve(context, *entry, lanes.index_of(*entry));
  }
  const views::LaneState& running = *lanes.running().state;
  draw_place(context, lanes,
             running.ops == 0
                 ? 0
                 : 100 * static_cast<double>(running.op) / static_cast<double>(running.ops));
  draw_hover(context, lanes, requests);
  ImPlot::EndPlot();
}

void draw_lane_table(const Context& context, TrafficLanes& lanes) {
  const bool wide = is_wide(34);
  if (!ImGui::BeginTable("##lanes", wide ? 6 : 3, kFigureTable)) return;
  constexpr const char* kFlopsTip = "Matmul FLOPs: 2 for each multiply-add of Q K' and P V.";
  constexpr std::array<ColumnHead, 6> kHeads = {
      ColumnHead{"", "", 1.3f},
      {"bytes", "Simulated bytes between HBM and SRAM before this place, no cache."},
      {"in all", "The same over the whole program."},
      {"exponentials", "One for each score of a visited tile, and one a row for alpha."},
      {"rescales", "Rows of O that were multiplied by their factor."},
      {"FLOPs", kFlopsTip}};
  draw_heads(context.theme, std::span(kHeads).first(wide ? 6 : 3));
  for (const Entry* entry : lanes.shown()) {
    if (!entry->state) continue;
    const views::LaneState& state = *entry->state;
    const auto text = [&](const std::string& number) {
      return context.numbers_hidden ? std::string("?") : number;
    };
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, lane_color(context.theme, lanes.index_of(*entry)));
    ImGui::TextUnformatted(entry->name.c_str());
    ImGui::PopStyleColor();
    tip(fmt::format(
        "{}: op {} of {}\nexponentials {} of {}\nrescales {} of {}\nmatmul FLOPs {} of {}",
        entry->name, terminal::grouped(state.op), terminal::grouped(state.ops),
        text(readable_count(state.work.exponentials)),
        readable_count(state.whole_work.exponentials), text(readable_count(state.work.rescales)),
        readable_count(state.whole_work.rescales), text(readable_count(state.work.matmul_flops)),
        readable_count(state.whole_work.matmul_flops)));
    draw_number_cell(context.theme, text(readable_bytes(state.bytes)));
    draw_number_cell(context.theme, readable_bytes(state.whole_bytes));
    if (!wide) continue;
    draw_number_cell(context.theme, text(readable_count(state.work.exponentials)));
    draw_number_cell(context.theme, text(readable_count(state.work.rescales)));
    draw_number_cell(context.theme, text(readable_count(state.work.matmul_flops)));
  }
  ImGui::EndTable();
}

}  // namespace

void draw_lockstep_page(const Context& context, TrafficLanes& lanes, Requests& requests) {
  if (ImGui::BeginChild("##lockstep_page")) {
    draw_lane_choice(context, lanes);
    draw_note(context.theme.text_dim, "simulated bytes, HBM↔SRAM, no cache, over the share of ops");
    draw_curves(context, lanes, requests);
    draw_lane_table(context, lanes);
  }
  ImGui::EndChild();
}

}  // namespace flashscope::window
