// The softmax panel's plots; see softmax_panel_parts.h. Chains of many thousand steps are thinned
// to the extremes of as many bins as there could be pixels.
#include <algorithm>
#include <cmath>
#include <implot.h>
#include <limits>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/softmax_panel_parts.h"

namespace flashscope::window {
namespace {

constexpr std::size_t kMostPoints = 2000;
constexpr std::size_t kFewSteps = 24;  // up to here every step has a marker
constexpr const char* kNames[] = {"m", "l", "alpha", "m + ln l"};
constexpr const char* kWords[] = {"running max", "running sum", "rescale factor", "LSE so far"};

double value_of(const views::RecordedState& state, std::size_t quantity, bool truth) {
  switch (quantity) {
    case 0:
      return truth ? state.true_m : state.m;
    case 1:
      return truth ? state.true_l : state.l;
    case 2:
      return truth ? std::numeric_limits<double>::quiet_NaN() : state.alpha;
    default:
      return truth ? state.true_lse : state.lse;
  }
}

std::string number(double value) { return terminal::short_number(value); }

// `decimals` points to how many digits behind the point tell neighbouring ticks apart.
int tick_text(double value, char* buffer, int size, void* decimals) {
  const int digits = *static_cast<int*>(decimals);
  const double shown = std::abs(value) < 0.5 * std::pow(10, -digits) ? 0 : value;
  const auto end =
      std::abs(shown) < 1e5
          ? fmt::format_to_n(buffer, static_cast<std::size_t>(size) - 1, "{:.{}f}", shown, digits)
          : fmt::format_to_n(buffer, static_cast<std::size_t>(size) - 1, "{:.2g}", shown);
  *end.out = 0;
  return static_cast<int>(end.size);
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(const std::vector<double>& values) {
    for (const double v : values) {
      if (!std::isfinite(v)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
  void pad() {
    if (!(low <= high)) low = 0, high = 1;
    // Rounding alone does not fill the plot.
    const double least = 0.01 * std::max(1.0, std::max(std::abs(low), std::abs(high)));
    const double room = high > low ? std::max(0.12 * (high - low), 0.5 * (least - (high - low)))
                                   : std::max(0.5, 0.1 * std::abs(high));
    low -= room;
    high += room;
  }
};

// The line up to `until`, and the rest of it, which begins where the former ends.
void line(const char* id, const std::vector<double>& x, const std::vector<double>& y,
          std::size_t begin, std::size_t end, ImU32 color, float weight) {
  if (end <= begin) return;
  ImPlotSpec spec;
  spec.LineColor = ImGui::ColorConvertU32ToFloat4(color);
  spec.LineWeight = weight;
  spec.Flags = ImPlotItemFlags_NoLegend | ImPlotItemFlags_NoFit;
  ImPlot::PlotLine(id, x.data() + begin, y.data() + begin, static_cast<int>(end - begin), spec);
}

void step_tooltip(const views::ChainRecording& recording, std::size_t focus, std::size_t step) {
  const views::RecordedStep& s = recording.steps[step];
  const views::RecordedState& state = recording.rows[focus].states[step];
  ImGui::Text("step %zu of %lld, kv tile %lld, keys %lld–%lld", step + 1,
              static_cast<long long>(recording.total_steps), static_cast<long long>(s.kv_tile),
              static_cast<long long>(s.keys.begin), static_cast<long long>(s.keys.end - 1));
  for (std::size_t q = 0; q < 4; ++q) {
    const double truth = value_of(state, q, true);
    ImGui::Text("%s = %s%s", kNames[q], number(value_of(state, q, false)).c_str(),
                std::isnan(truth) ? "" : fmt::format("   fp64 {}", number(truth)).c_str());
  }
  ImGui::TextDisabled("click: go there");
}

}  // namespace

const char* explain_quantity(std::size_t quantity) {
  static constexpr const char* kTexts[] = {
      "Running max of the row's scores: m_new = max(m, rowmax S). Every exponential is taken "
      "relative to it, so that none can overflow.",
      "Running sum of the row's exponentials, relative to the running max:\n"
      "l_new = alpha · l + rowsum e^(S − m_new).",
      "What the old sum and the old O are multiplied by when the max grows:\n"
      "alpha = e^(m − m_new). 1 where the max stays, 0 at the first step.",
      "Logarithm of the sum of exponentials over the keys so far. It means the same in every "
      "algorithm, tiling and order, and only ever grows."};
  return kTexts[quantity];
}

void SoftmaxPlots::update(const views::ChainRecording& recording) {
  rows_.assign(recording.rows.size(), {});
  const std::size_t steps = recording.steps.size();
  const std::size_t bin = steps <= kMostPoints ? 1 : 2 * steps / kMostPoints;  // two points each
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::vector<views::RecordedState>& states = recording.rows[r].states;
    for (std::size_t q = 0; q < 4; ++q) {
      const auto add = [&](std::size_t n) {
        for (const bool truth : {false, true}) {
          Curve& curve = truth ? rows_[r].truth[q] : rows_[r].here[q];
          const double value = value_of(states[n], q, truth);
          curve.x.push_back(static_cast<double>(n + 1));
          curve.y.push_back(std::isfinite(value) ? value
                                                 : std::numeric_limits<double>::quiet_NaN());
        }
      };
      const auto add_gap = [&](double x) {
        for (Curve* curve : {&rows_[r].here[q], &rows_[r].truth[q]}) {
          curve->x.push_back(x);
          curve->y.push_back(std::numeric_limits<double>::quiet_NaN());
        }
      };
      for (std::size_t begin = 0; begin < steps; begin += bin) {
        const std::size_t end = std::min(steps, begin + bin);
        // A split's state has nothing to do with the one before.
        const auto starts = [&](const views::RecordedStep& step) { return step.first; };
        if (begin > 0 &&
            std::any_of(recording.steps.begin() + static_cast<std::ptrdiff_t>(begin),
                        recording.steps.begin() + static_cast<std::ptrdiff_t>(end), starts)) {
          add_gap(static_cast<double>(begin) + 0.5);
        }
        std::size_t low = begin, high = begin;
        for (std::size_t n = begin; n < end; ++n) {
          const double value = value_of(states[n], q, false);
          if (value < value_of(states[low], q, false)) low = n;
          if (value > value_of(states[high], q, false)) high = n;
        }
        add(std::min(low, high));
        if (low != high) add(std::max(low, high));
      }
    }
  }
}

void SoftmaxPlots::draw_plot(const Theme& theme, const views::ChainRecording& recording,
                             std::size_t focus, const views::SoftmaxNow& now, std::size_t quantity,
                             ImVec2 size) const {
  const auto total = static_cast<double>(std::max<std::int64_t>(recording.total_steps, 1));
  Range range;
  for (const RowCurves& row : rows_) {
    range.add(row.here[quantity].y);
    range.add(row.truth[quantity].y);
  }
  if (quantity == 2) range.add({0, 1});
  if (quantity == 1) range.add({0});
  range.pad();
  const bool few = recording.total_steps <= static_cast<std::int64_t>(kFewSteps);
  const float em = ImGui::GetFontSize();
  ImPlot::SetupAxis(ImAxis_X1, nullptr, ImPlotAxisFlags_NoHighlight);
  ImPlot::SetupAxis(ImAxis_Y1, nullptr, ImPlotAxisFlags_NoHighlight);
  const double margin = std::max(0.35, 0.025 * total);
  ImPlot::SetupAxisLimits(ImAxis_X1, -margin, total + margin, ImPlotCond_Always);
  ImPlot::SetupAxisLimits(ImAxis_Y1, range.low, range.high, ImPlotCond_Always);
  int decimals = static_cast<int>(std::ceil(-std::log10((range.high - range.low) / 10)));
  decimals = std::clamp(decimals, 0, 6);
  ImPlot::SetupAxisFormat(ImAxis_Y1, tick_text, &decimals);
  // Whole steps only, as many as there is room for.
  const int most = std::max(2, static_cast<int>(size.x / (3.5f * em)));
  const double every = std::max(1.0, std::ceil(total / most));
  std::vector<double> ticks;
  for (double tick = 0; tick <= total; tick += every) ticks.push_back(tick);
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()));
  ImPlot::SetupAxisFormat(ImAxis_X1, "%.0f");

  const float thin = std::max(1.0f, 0.07f * em), thick = std::max(1.5f, 0.13f * em);
  const ImU32 color = theme.tensor(kNames[quantity]);
  const auto done = static_cast<double>(now.steps.done);
  const auto is_done = [&](double x) { return x <= done; };
  for (std::size_t n = 0; n <= rows_.size(); ++n) {
    const std::size_t r = n == rows_.size() ? focus : n;  // the focus once more, on top
    if (n < rows_.size() && n == focus) continue;
    const bool stands_out = r == focus;
    const Curve &here = rows_[r].here[quantity], &truth = rows_[r].truth[quantity];
    ImGui::PushID(static_cast<int>(n));
    const auto split = static_cast<std::size_t>(
        std::partition_point(here.x.begin(), here.x.end(), is_done) - here.x.begin());
    // The truth shows from where it is another line.
    std::size_t parts = 0;
    const double visible = 0.004 * (range.high - range.low);
    const auto alike = [&](double a, double b) {
      return std::abs(a - b) <= visible || (std::isnan(a) && std::isnan(b));
    };
    while (parts < truth.y.size() && alike(truth.y[parts], here.y[parts])) ++parts;
    if (stands_out && parts < truth.x.size()) {
      line("##truth", truth.x, truth.y, parts == 0 ? 0 : parts - 1, truth.x.size(),
           Theme::faded(theme.text, 0.6f), thin);
    }
    const ImU32 solid = stands_out ? color : Theme::faded(color, 0.45f);
    const float weight = stands_out ? thick : thin;
    line("##to come", here.x, here.y, split == 0 ? 0 : split - 1, here.x.size(),
         Theme::faded(color, stands_out ? 0.35f : 0.15f), weight);
    line("##done", here.x, here.y, 0, split, solid, weight);
    ImGui::PopID();
  }
  // Marks that lie over the plot: the steps, where the state departs from the truth, the position.
  ImDrawList& draw = *ImPlot::GetPlotDrawList();
  ImPlot::PushPlotClipRect();
  const ImVec2 low = ImPlot::GetPlotPos();
  const ImVec2 high = low + ImPlot::GetPlotSize();
  const Curve& curve = rows_[focus].here[quantity];
  const float apart = (high.x - low.x) / static_cast<float>(total + 1);
  for (std::size_t n = 0; few && n < curve.x.size(); ++n) {
    if (std::isnan(curve.y[n])) continue;
    draw.AddCircleFilled(ImPlot::PlotToPixels(curve.x[n], curve.y[n]),
                         std::min(0.24f * em, 0.3f * apart),
                         is_done(curve.x[n]) ? color : Theme::faded(color, 0.35f));
  }
  if (const auto departs = recording.rows[focus].first_departure) {
    const double value = value_of(recording.rows[focus].states[*departs], quantity, false);
    const auto step = static_cast<double>(*departs + 1);
    const ImVec2 at = ImPlot::PlotToPixels(step, std::isfinite(value) ? value : range.high);
    draw.AddLine({at.x, low.y}, {at.x, high.y}, Theme::faded(theme.bad, 0.6f), thin);
    draw.AddCircle(at, 0.38f * em, theme.bad, 0, thick);
  }
  const float x = ImPlot::PlotToPixels(now.steps.position, range.low).x;
  draw.AddLine({x, low.y}, {x, high.y}, theme.accent, thick);
  ImPlot::PopPlotClipRect();
}

std::optional<std::int64_t> SoftmaxPlots::draw(const Theme& theme,
                                               const views::ChainRecording& recording,
                                               std::size_t focus, const views::SoftmaxNow& now,
                                               ImVec2 size, int columns) const {
  std::optional<std::int64_t> clicked;
  const int lines = 4 / columns;
  const float gap = ImGui::GetStyle().ItemSpacing.x, em = ImGui::GetFontSize();
  const float caption = ImGui::GetTextLineHeightWithSpacing();
  const ImVec2 plot(
      std::floor((size.x - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns)),
      std::floor(size.y / static_cast<float>(lines)) - caption - ImGui::GetStyle().ItemSpacing.y);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const bool aligned = ImPlot::BeginAlignedPlots("##softmax");
  for (std::size_t q = 0; q < 4; ++q) {
    const auto column = static_cast<float>(static_cast<int>(q) % columns);
    const auto row = static_cast<float>(static_cast<int>(q) / columns);
    const ImVec2 corner = origin + ImVec2(column * (plot.x + gap),
                                          row * std::floor(size.y / static_cast<float>(lines)));
    ImGui::SetCursorScreenPos(corner);
    ImGui::PushID(static_cast<int>(q));
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme.tensor(kNames[q])), "%s", kNames[q]);
    ImGui::SetItemTooltip("%s", explain_quantity(q));
    if (plot.x > 9 * em) {
      ImGui::SameLine(0, 0.5f * em);
      ImGui::TextDisabled("%s", kWords[q]);
      ImGui::SetItemTooltip("%s", explain_quantity(q));
    }
    const ImVec2 at = corner + ImVec2(0, caption);
    ImGui::SetCursorScreenPos(at);
    ImVec2 inner_min = at, inner_size = plot;
    if (ImPlot::BeginPlot("##plot", plot, ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs)) {
      draw_plot(theme, recording, focus, now, q, plot);
      inner_min = ImPlot::GetPlotPos();
      inner_size = ImPlot::GetPlotSize();
      ImPlot::EndPlot();
    }
    ImGui::SetCursorScreenPos(at);
    const bool pressed = ImGui::InvisibleButton(fmt::format("##{} over steps", kNames[q]).c_str(),
                                                {std::max(1.0f, plot.x), std::max(1.0f, plot.y)});
    if (ImGui::IsItemHovered() && !recording.steps.empty() && inner_size.x > 1) {
      const auto total = static_cast<double>(recording.total_steps);
      const double margin = std::max(0.35, 0.025 * total);
      const double x = static_cast<double>((ImGui::GetMousePos().x - inner_min.x) / inner_size.x) *
                           (total + 2 * margin) -
                       margin;
      const auto step = static_cast<std::size_t>(
          std::clamp(std::lround(x), 1L, static_cast<long>(recording.steps.size())) - 1);
      if (ImGui::BeginTooltip()) {
        step_tooltip(recording, focus, step);
        ImGui::EndTooltip();
      }
      if (pressed) clicked = recording.steps[step].end_op;
    }
    ImGui::PopID();
  }
  if (aligned) ImPlot::EndAlignedPlots();
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(size);
  return clicked;
}

}  // namespace flashscope::window
