// See lesson_figure.h.
#include "viz/window/panels/lesson_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <implot.h>
#include <limits>

#include <fmt/format.h>

#include "lessons/engine/evaluate.h"
#include "viz/window/panels/figures.h"
#include "viz/window/panels/rich_text.h"
#include "viz/window/panels/tile_canvas.h"
#include "viz/window/panels/traffic_panel_marks.h"

namespace flashscope::window {
namespace {

using lessons::Figure;
using lessons::FigureBlock;

// Of the font's size, as all sizes here.
constexpr float kBarHeight = 1.05f;
constexpr float kPlotHeight = 11;
constexpr float kLargestCell = 2.2f;
constexpr float kLegendMark = 0.65f;

// The palette of the tensors, for series that are none.
ImU32 series_color(const Theme& theme, std::size_t series) {
  static constexpr std::array kNames = {"O", "K", "V", "S", "P"};
  return theme.tensor(kNames[series % kNames.size()]);
}

void draw_swatch_of(ImU32 color, ImU32 line, const std::string& text, bool first) {
  const float em = ImGui::GetFontSize();
  if (!first) same_line_if_fits(ImGui::CalcTextSize(text.c_str()).x + 1.2f * em);
  const ImVec2 at = ImGui::GetCursorScreenPos() + ImVec2(0, (1 - kLegendMark) * em / 2);
  const ImVec2 end = at + ImVec2(kLegendMark, kLegendMark) * em;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, end, color);
  draw.AddRect(at, end, line);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + 0.9f * em);
  ImGui::TextUnformatted(text.c_str());
}

void draw_legend(const Figure& figure, const Theme& theme) {
  if (figure.series.size() < 2) return;
  for (std::size_t n = 0; n < figure.series.size(); ++n) {
    draw_swatch_of(series_color(theme, n), series_color(theme, n), figure.series[n], n == 0);
  }
}

// From a value to the part of the longest bar, 0 to 1.
class BarScale {
 public:
  explicit BarScale(const Figure& figure) : logarithmic_(figure.logarithmic) {
    double low = std::numeric_limits<double>::infinity();
    for (const auto& values : figure.values) {
      for (const double value : values) {
        if (!std::isfinite(value)) continue;
        high_ = std::max(high_, value);
        if (value > 0) low = std::min(low, value);
      }
    }
    // Logarithmic bars begin a decade below the smallest value.
    if (logarithmic_ && std::isfinite(low)) begin_ = std::floor(std::log10(low)) - 0.3;
  }
  float operator()(double value) const {
    if (!std::isfinite(value)) return value > 0 ? 1.0f : 0.0f;
    if (value <= 0 || high_ <= 0) return 0;
    if (!logarithmic_) return static_cast<float>(value / high_);
    const double whole = std::log10(high_) - begin_;
    return whole > 0 ? static_cast<float>((std::log10(value) - begin_) / whole) : 1;
  }

 private:
  bool logarithmic_;
  double high_ = 0, begin_ = 0;
};

float widest(const std::vector<std::string>& texts) {
  float width = 0;
  for (const std::string& text : texts) {
    width = std::max(width, ImGui::CalcTextSize(text.c_str()).x);
  }
  return width;
}

void draw_bars(const Figure& figure, const Theme& theme) {
  draw_legend(figure, theme);
  const float em = ImGui::GetFontSize(), height = kBarHeight * em;
  const BarScale scale(figure);
  ImGui::PushFont(theme.mono, 0.0f);
  float value_width = 0;
  for (const auto& texts : figure.texts) value_width = std::max(value_width, widest(texts));
  ImGui::PopFont();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float label_width = widest(figure.labels) + 0.6f * em;
  // Long labels stand above their bars.
  const bool above = label_width > 0.4f * width;
  const float left = origin.x + (above ? 0 : label_width);
  const float room = std::max(2 * em, origin.x + width - left - value_width - 0.8f * em);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  float y = origin.y;
  for (std::size_t group = 0; group < figure.labels.size(); ++group) {
    const float line = 1.2f * em;
    const float bars = static_cast<float>(figure.values.size()) * (height + 0.1f * em);
    draw.AddText({origin.x, above ? y : y + (bars - em) / 2}, theme.text,
                 figure.labels[group].c_str());
    if (above) y += line;
    for (std::size_t series = 0; series < figure.values.size(); ++series) {
      const double value = figure.values[series][group];
      const float length = std::max(1.0f, room * std::clamp(scale(value), 0.0f, 1.0f));
      draw.AddRectFilled({left, y}, {left + length, y + height}, series_color(theme, series));
      draw.AddText(theme.mono, em, {left + length + 0.4f * em, y + (height - em) / 2}, theme.text,
                   figure.texts[series][group].c_str());
      y += height + 0.1f * em;
    }
    y += 0.35f * em;
  }
  ImGui::Dummy({width, y - origin.y});
  if (figure.logarithmic) draw_note(theme.text_dim, "logarithmic: each decade is as long");
}

// Of a plot's axis: all finite values, and some room around them.
std::pair<double, double> range_of(const Figure& figure) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& values : figure.values) {
    for (const double value : values) {
      if (!std::isfinite(value) || (figure.logarithmic && value <= 0)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) return {0, 1};
  if (figure.logarithmic) return {low / 2, high * 2};
  const double room = high > low ? 0.12 * (high - low) : std::max(0.5, 0.1 * std::abs(high));
  return {low - room, high + room};
}

void draw_steps(const Figure& figure, const Theme& theme) {
  draw_legend(figure, theme);
  const auto count = static_cast<int>(figure.labels.size());
  if (count == 0) return;
  const float em = ImGui::GetFontSize();
  std::vector<double> places;
  std::vector<const char*> names;
  std::vector<double> ticks;
  // As many labels as fit.
  const float label = std::max(em, widest(figure.labels) + em);
  const auto fit =
      std::max(1, static_cast<int>((ImGui::GetContentRegionAvail().x - 4 * em) / label));
  const int every = (count + fit - 1) / fit;
  for (int n = 0; n < count; ++n) {
    places.push_back(n);
    if (n % every != 0) continue;
    ticks.push_back(n);
    names.push_back(figure.labels[static_cast<std::size_t>(n)].c_str());
  }
  constexpr ImPlotFlags kFlags = kStillPlot;
  if (!ImPlot::BeginPlot("##steps", {-1, kPlotHeight * em}, kFlags)) return;
  ImPlot::SetupAxis(ImAxis_X1, nullptr, kStillAxis);
  ImPlot::SetupAxis(ImAxis_Y1, nullptr, kStillAxis);
  if (figure.logarithmic) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()), names.data());
  ImPlot::SetupAxisLimits(ImAxis_X1, -0.3, count - 0.7, ImPlotCond_Always);
  const auto [low, high] = range_of(figure);
  ImPlot::SetupAxisLimits(ImAxis_Y1, low, high, ImPlotCond_Always);
  for (std::size_t series = 0; series < figure.values.size(); ++series) {
    std::vector<double> values = figure.values[series];
    for (double& value : values) {
      if (!std::isfinite(value)) value = std::numeric_limits<double>::quiet_NaN();
    }
    ImPlotSpec spec;
    spec.LineColor = spec.MarkerFillColor = spec.MarkerLineColor =
        to_vec(series_color(theme, series));
    spec.LineWeight = 0.13f * em;
    spec.Marker = ImPlotMarker_Circle;
    spec.MarkerSize = 0.25f * em;
    ImPlot::PlotLine(figure.series[series].c_str(), places.data(), values.data(), count, spec);
  }
  if (ImPlot::IsPlotHovered() && ImGui::BeginTooltip()) {
    const double x = std::round(ImPlot::GetPlotMousePos().x);
    const auto n = static_cast<std::size_t>(std::clamp(x, 0.0, static_cast<double>(count - 1)));
    ImGui::TextUnformatted(figure.labels[n].c_str());
    for (std::size_t series = 0; series < figure.series.size(); ++series) {
      ImGui::Text("%s = %s", figure.series[series].c_str(), figure.texts[series][n].c_str());
    }
    ImGui::EndTooltip();
  }
  ImPlot::EndPlot();
}

void draw_tiles(const Figure& figure, const Theme& theme) {
  if (figure.tiles.empty() || figure.tiles.front().empty()) return;
  const float em = ImGui::GetFontSize();
  const auto rows = static_cast<float>(figure.tiles.size());
  const auto columns = static_cast<float>(figure.tiles.front().size());
  const float cell =
      std::min({kLargestCell * em, ImGui::GetContentRegionAvail().x / columns, 20 * em / rows});
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float gap = cell > 6 ? 1.0f : 0.0f;
  std::array<std::int64_t, 3> counts = {};
  for (std::size_t row = 0; row < figure.tiles.size(); ++row) {
    for (std::size_t column = 0; column < figure.tiles[row].size(); ++column) {
      const TileClass tile = figure.tiles[row][column];
      ++counts[static_cast<std::size_t>(tile)];
      const ImVec2 at = origin + ImVec2(static_cast<float>(column), static_cast<float>(row)) * cell;
      draw.AddRectFilled(at, at + ImVec2(cell - gap, cell - gap), theme.tile_class(tile));
    }
  }
  const ImVec2 size(cell * columns, cell * rows);
  draw.AddRect(origin, origin + size, theme.line);
  ImGui::Dummy(size);
  static constexpr std::array kNames = {"empty", "partial", "full"};
  bool first = true;
  for (const TileClass tile : {TileClass::full, TileClass::partial, TileClass::empty}) {
    const auto n = static_cast<std::size_t>(tile);
    if (counts[n] == 0) continue;
    draw_swatch_of(theme.tile_class(tile), theme.line, fmt::format("{} {}", counts[n], kNames[n]),
                   first);
    first = false;
  }
}

// What is on chip, end to end, has the colours of its tensors; the line is what there is room for.
void draw_budget(const Figure& figure, const Theme& theme) {
  std::vector<BarPart> parts;
  double all = 0;
  for (std::size_t n = 0; n < figure.labels.size(); ++n) {
    const double size = figure.values.front()[n];
    all += size;
    parts.push_back({figure.labels[n], size, size, theme.tensor(figure.labels[n]), figure.alt});
  }
  draw_bar(theme, "##budget", parts, std::max(all, figure.limit), figure.limit);
  for (std::size_t n = 0; n < parts.size(); ++n) {
    draw_swatch_of(parts[n].color, parts[n].color,
                   fmt::format("{} {}", figure.labels[n], figure.texts.front()[n]), n == 0);
  }
  draw_note(all > figure.limit ? theme.bad : theme.text_dim,
            fmt::format("{} of {}", lessons::format_value(all, lessons::Unit::binary_bytes, 4),
                        figure.limit_text));
}

void draw_code(const Figure& figure, const Theme& theme) {
  std::vector<BoxedLine> lines;
  for (const Figure::CodeLine& line : figure.code) {
    lines.push_back({line.number, line.text, line.marked});
  }
  draw_code_box(lines, theme);
}

}  // namespace

void draw_figure(const Figure& figure, const Theme& theme) {
  ImGui::BeginGroup();
  draw_text({{lessons::Span::Style::strong, without_style(figure.title), ""}}, theme);
  switch (figure.kind) {
    case FigureBlock::Kind::bars:
      draw_bars(figure, theme);
      break;
    case FigureBlock::Kind::budget:
      draw_budget(figure, theme);
      break;
    case FigureBlock::Kind::steps:
      draw_steps(figure, theme);
      break;
    case FigureBlock::Kind::tiles:
      draw_tiles(figure, theme);
      break;
    case FigureBlock::Kind::table:
    case FigureBlock::Kind::kernel:
      draw_code(figure, theme);
      break;
  }
  ImGui::EndGroup();
  // Plots and bars of parts have tooltips of their own.
  if (figure.kind != FigureBlock::Kind::steps && figure.kind != FigureBlock::Kind::budget) {
    tip(figure.alt);
  }
}

}  // namespace flashscope::window
