// How the plots of the traffic panel look: each lane has a mark and a tone of its own, so that no
// tensor's colour stands for an algorithm.
#pragma once

#include <implot.h>

#include "viz/window/panels/traffic_panel_parts.h"

namespace flashscope::window {

// Nothing to drag or to zoom: the axes hold all there is.
constexpr ImPlotFlags kStillPlot = ImPlotFlags_NoLegend | ImPlotFlags_NoMenus |
                                   ImPlotFlags_NoBoxSelect | ImPlotFlags_NoMouseText |
                                   ImPlotFlags_NoTitle;
constexpr ImPlotAxisFlags kStillAxis = ImPlotAxisFlags_Lock | ImPlotAxisFlags_NoMenus |
                                       ImPlotAxisFlags_NoHighlight | ImPlotAxisFlags_NoSideSwitch;

inline ImVec4 to_vec(ImU32 color) { return ImGui::ColorConvertU32ToFloat4(color); }

// `lane`: index into TrafficLanes::entries(); 0 is the running program.
ImU32 lane_color(const Theme& theme, std::size_t lane);
ImPlotSpec lane_line(const Theme& theme, std::size_t lane);
ImPlotSpec lane_mark(const Theme& theme, std::size_t lane, float ems);

// Check boxes, one for each lane, which are the plots' legend as well.
void draw_lane_choice(const Context& context, TrafficLanes& lanes);

// The height that a table of so many lines leaves to a plot, which is never a sliver.
float plot_height(std::size_t table_lines);

}  // namespace flashscope::window
