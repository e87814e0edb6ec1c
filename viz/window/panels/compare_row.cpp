// Both sides of one row; see compare_row.h.
#include "viz/window/panels/compare_row.h"

#include <algorithm>
#include <cmath>
#include <implot.h>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/views/softmax_view.h"
#include "viz/window/panels/figures.h"
#include "viz/window/text_input.h"

namespace flashscope::window {
namespace {

// Of a frame, for recording either side: at a new row or while ops fly by, and while the user
// looks.
constexpr double kSecondsMoving = 0.0004, kSecondsAtRest = 0.003;
constexpr std::size_t kMostPoints = 1000;
constexpr std::size_t kFewPoints = 40;  // up to here every point has a marker

int power_text(double value, char* buffer, int size, void*) {
  const auto limit = static_cast<std::size_t>(size) - 1;
  const auto end = value < 0.9e-3 || value > 1e5
                       ? fmt::format_to_n(buffer, limit, "1e{}", std::lround(std::log10(value)))
                       : fmt::format_to_n(buffer, limit, "{:g}", value);
  *end.out = 0;
  return static_cast<int>(end.size);
}

// Round numbers of keys, never parts of one.
std::vector<double> key_ticks(double last, int most) {
  double every = 1;
  for (int n = 0; last / every > most; ++n) every *= n % 3 == 1 ? 2.5 : 2;
  every = std::ceil(every);
  std::vector<double> ticks;
  for (double tick = 0; tick <= last; tick += every) ticks.push_back(tick);
  return ticks;
}

}  // namespace

void draw_growth(const Theme& theme, const std::vector<Growth>& growth, double tolerance,
                 ImVec2 size) {
  // What is equal has no logarithm: it is drawn at the bottom.
  constexpr double kFloor = 1e-12;
  std::vector<double> keys, lse, o;
  const std::size_t every = growth.size() / kMostPoints + 1;
  for (std::size_t n = 0; n < growth.size(); ++n) {
    if (n % every != 0 && n + 1 != growth.size()) continue;
    const Growth& g = growth[n];
    const auto drawn = [&](double value) {
      return std::isfinite(value) ? std::max(value, kFloor) : 1e12;
    };
    keys.push_back(static_cast<double>(g.keys));
    lse.push_back(drawn(g.lse));
    o.push_back(drawn(g.o.value_or(0)));
  }
  if (keys.empty()) return;
  double low = tolerance > 0 ? tolerance / 10 : 1e-9, high = low * 1e3;
  for (const std::vector<double>* values : {&lse, &o}) {
    for (const double v : *values) {
      if (v > kFloor) low = std::min(low, v / 3);
      high = std::max(high, v * 3);
    }
  }
  for (std::vector<double>* values : {&lse, &o}) {
    for (double& v : *values) v = std::max(v, low * 1.15);
  }
  const double last = std::max(keys.back(), 1.0);
  if (!ImPlot::BeginPlot("##growth", size, ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs)) return;
  ImPlot::SetupAxis(ImAxis_X1, nullptr, ImPlotAxisFlags_NoHighlight);
  ImPlot::SetupAxis(ImAxis_Y1, nullptr, ImPlotAxisFlags_NoHighlight);
  ImPlot::SetupAxisLimits(ImAxis_X1, 0, last * 1.04, ImPlotCond_Always);
  ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisLimits(ImAxis_Y1, low, high, ImPlotCond_Always);
  ImPlot::SetupAxisFormat(ImAxis_Y1, power_text, nullptr);
  const float em = ImGui::GetFontSize();
  const float width = size.x > 0 ? size.x : ImGui::GetContentRegionAvail().x;
  const std::vector<double> ticks =
      key_ticks(last, std::max(2, static_cast<int>(width / (4 * em))));
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()));
  ImPlot::SetupAxisFormat(ImAxis_X1, "%.0f");
  const auto plot = [&](const char* id, const std::vector<double>& values, const char* tensor,
                        ImPlotMarker marker) {
    ImPlotSpec spec;
    spec.LineColor = ImGui::ColorConvertU32ToFloat4(theme.tensor(tensor));
    spec.LineWeight = std::max(1.5f, 0.12f * em);
    if (keys.size() <= kFewPoints) {
      spec.Marker = marker;
      spec.MarkerSize = 0.26f * em;
      spec.MarkerFillColor = spec.MarkerLineColor = spec.LineColor;
    }
    spec.Flags = ImPlotItemFlags_NoLegend | ImPlotItemFlags_NoFit;
    ImPlot::PlotLine(id, keys.data(), values.data(), static_cast<int>(keys.size()), spec);
  };
  plot("##O", o, "O", ImPlotMarker_Square);
  plot("##lse", lse, "m", ImPlotMarker_Circle);
  if (tolerance > 0) {
    ImDrawList& draw = *ImPlot::GetPlotDrawList();
    ImPlot::PushPlotClipRect();
    const float y = ImPlot::PlotToPixels(0, tolerance).y;
    const ImVec2 corner = ImPlot::GetPlotPos();
    const float end = corner.x + ImPlot::GetPlotSize().x;
    for (float x = corner.x; x < end; x += 0.7f * em) {
      draw.AddLine({x, y}, {std::min(end, x + 0.4f * em), y}, theme.text_dim,
                   std::max(1.0f, 0.07f * em));
    }
    ImPlot::PopPlotClipRect();
  }
  ImPlot::EndPlot();
}

void ComparedRow::reset() {
  recorder_a_.reset();
  recorder_b_.reset();
  row_.reset();
  ready_ = false;
}

double ComparedRow::progress() const {
  if (!recorder_a_ || !recorder_b_) return 0;
  return 0.5 * (recorder_a_->progress() + recorder_b_->progress());
}

void ComparedRow::update(const Context& context, const Program& b, std::uint64_t version_of_b) {
  const Session& session = context.session();
  const Program& a = context.program();
  const std::vector<std::int64_t> rows = views::rows_to_show(session, context.selection.rows, 1);
  if (rows.empty()) {
    row_.reset();
    ready_ = false;
    return;
  }
  const bool other_a = !recorder_a_ || program_version_ != context.program_version;
  const bool other_b = !recorder_b_ || other_a || version_of_b_ != version_of_b;
  if (other_a) {
    recorder_a_.reset();
    recorder_a_ = std::make_unique<views::ChainRecorder>(session.scenario(), a);
  }
  if (other_b) {
    recorder_b_.reset();
    recorder_b_ = std::make_unique<views::ChainRecorder>(session.scenario(), b);
  }
  program_version_ = context.program_version;
  version_of_b_ = version_of_b;
  const Segment& segment = session.segment();
  const Chain chain{segment.batch, segment.head, rows[0] / a.tiling().q_tile_rows};
  const bool same_row = row_ == rows[0] && chain.batch == chain_.batch &&
                        chain.head == chain_.head && events_ == session.events();
  if (!same_row || other_a) {
    recorder_a_->start(chain, rows, session.events(), true);
  }
  if (!same_row || other_b) {
    const std::int64_t query = rows[0] / a.group();
    const std::int64_t head = chain.head * a.group() + rows[0] % a.group();
    const std::int64_t row_of_b = query * b.group() + head % b.group();
    recorder_b_->start({chain.batch, head / b.group(), row_of_b / b.tiling().q_tile_rows},
                       {row_of_b}, {}, true);
    ready_ = false;
  }
  row_ = rows[0];
  chain_ = chain;
  events_ = session.events();
  if (ready_) return;
  const bool moving = !same_row || other_b || context.playback.playing();
  const double seconds = moving ? kSecondsMoving : kSecondsAtRest;
  const bool a_done = recorder_a_->advance(seconds), b_done = recorder_b_->advance(seconds);
  if (!a_done || !b_done) return;
  ready_ = true;
  const views::ChainRecording &of_a = recorder_a_->recording(), &of_b = recorder_b_->recording();
  points_ = views::common_points(of_a, of_b, a.problem().kv_len);
  growth_ = views::growth_of(of_a, of_b, points_);
  shown_point_.reset();
}

void ComparedRow::draw(const Context& context, double tolerance) {
  const Theme& theme = context.theme;
  const auto at = views::point_at(points_, context.session().position());
  if (!at) {
    wrapped_text(theme.text_dim,
                 points_.size() == 1
                     ? fmt::format("Row {}: the two meet at the result only.", *row_)
                     : fmt::format("Row {}: the two meet first after {} keys, behind op {}.", *row_,
                                   points_[0].keys, points_[0].op_a - 1));
    return;
  }
  if (shown_point_ != at) {
    shown_point_ = at;
    values_ = views::compared_values(recorder_a_->recording(), recorder_b_->recording(),
                                     points_[*at], tolerance);
  }
  const views::CommonPoint& point = points_[*at];
  wrapped_text(theme.text_dim,
               point.final ? fmt::format("Row {}: the results", *row_)
                           : fmt::format("Row {} after {} keys: step {} of A, step {} of B", *row_,
                                         point.keys, point.step_a + 1, point.step_b + 1));
  ImGui::SetItemTooltip(
      "The last point behind the position where both have consumed the same keys. Only there do "
      "m + ln l and O / l mean the same on both sides.");
  draw_values(context);
}

void ComparedRow::draw_values(const Context& context) {
  const Theme& theme = context.theme;
  const float em = ImGui::GetFontSize();
  const bool wide = ImGui::GetContentRegionAvail().x > 21 * em;
  const auto flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH |
                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoSavedSettings;
  const float line = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  const float needed = line * static_cast<float>(values_.size() + 2);
  const float height = std::clamp(ImGui::GetContentRegionAvail().y, 6 * line, needed);
  if (!ImGui::BeginTable("##values", wide ? 5 : 4, flags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableNextRow();
  for (const char* header : {"", "A", "B", "apart", "fp64"}) {
    if (!wide && header[0] == 'f') break;
    ImGui::TableNextColumn();
    const float room = ImGui::GetContentRegionAvail().x;
    const float width = ImGui::CalcTextSize(header).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, room - width));
    ImGui::TextDisabled("%s", header);
  }
  const auto shown = [&](double value) {
    return context.numbers_hidden ? std::string("?") : terminal::short_number(value);
  };
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(values_.size()));
  while (clipper.Step()) {
    for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n) {
      const views::ComparedValue& value = values_[static_cast<std::size_t>(n)];
      const ImU32 color = value.differs && !context.numbers_hidden ? theme.bad : theme.text;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme.tensor(value.name)), "%s",
                         value.name.c_str());
      if (!wide && !context.numbers_hidden) {
        ImGui::SetItemTooltip("fp64: %s", shown(value.truth).c_str());
      }
      ImGui::TableNextColumn();
      draw_number(theme, shown(value.a), color);
      ImGui::TableNextColumn();
      draw_number(theme, shown(value.b), color);
      ImGui::TableNextColumn();
      draw_number(theme,
                  context.numbers_hidden ? "?"
                  : value.apart == 0     ? "0"
                                         : fmt::format("{:.2g}", value.apart),
                  value.differs ? color : theme.text_dim);
      if (!wide) continue;
      ImGui::TableNextColumn();
      draw_number(theme, shown(value.truth), theme.text_dim);
    }
  }
  ImGui::EndTable();
}

views::Sheet ComparedRow::sheet() const {
  return views::compare_sheet(recorder_a_->recording(), recorder_b_->recording(), points_);
}

}  // namespace flashscope::window
