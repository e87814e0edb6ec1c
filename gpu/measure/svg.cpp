// See svg.h.
#include "gpu/measure/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace flashscope::gpu {
namespace {

// Pixels.
constexpr double kWidth = 800, kLeft = 70, kRight = 16, kTop = 64, kPlotHeight = 330;
constexpr double kBottom = kTop + kPlotHeight;          // of the plot area
constexpr double kXLabelBelow = 24, kLegendBelow = 46;  // the groups' names
constexpr double kLegendRow = 20, kGroupFont = 11;
constexpr double kGroupFill = 0.84;   // of a group's width that its bars take
constexpr double kLetter = 0.56;      // of the font size: width of a letter, roughly
constexpr double kTurn = 40;          // degrees, of groups' names that are too long to lie flat
constexpr double kTurnedRise = 0.64;  // its sine

// Okabe and Ito's palette: told apart with any kind of colour vision. Beyond its end it starts
// again, hatched.
constexpr std::array<std::string_view, 8> kColours = {"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                                      "#56B4E9", "#D55E00", "#F0E442", "#999999"};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        // XML has no other control characters.
        if (static_cast<unsigned char>(c) >= ' ') result += c;
    }
  }
  return result;
}

// "1.2k", "560", "5.6", "0.023": three significant digits at most.
std::string short_value(double value) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits = {
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  for (const auto& [unit, letter] : kUnits) {
    if (value >= unit) return fmt::format("{:.3g}{}", value / unit, letter);
  }
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.2g}", value);
}

// What the y axis shows and where: ticks at 1, 2 or 5 times a power of ten, or powers of ten.
class Axis {
 public:
  Axis(double smallest, double largest, bool logarithmic) : logarithmic_(logarithmic) {
    if (logarithmic_) {
      constexpr double kHeadroom = 0.4;  // of a power of ten, for the labels
      low_ = std::floor(std::log10(smallest) - 1e-9);
      high_ = std::max(std::log10(largest) + kHeadroom, low_ + 1);
      const double step = std::max(1.0, std::ceil((high_ - low_) / 8));
      for (double power = low_; power <= high_; power += step)
        ticks_.push_back(std::pow(10, power));
      return;
    }
    const double rough = largest / 5, power = std::pow(10, std::floor(std::log10(rough)));
    const double step = rough <= power       ? power
                        : rough <= 2 * power ? 2 * power
                        : rough <= 5 * power ? 5 * power
                                             : 10 * power;
    const int steps = static_cast<int>(std::ceil(largest / step * 1.05));
    for (int i = 0; i <= steps; ++i) ticks_.push_back(i * step);
    high_ = steps * step;
  }

  const std::vector<double>& ticks() const { return ticks_; }
  bool shows(double value) const {
    return std::isfinite(value) && (logarithmic_ ? value > 0 : value >= 0);
  }
  double y(double value) const {
    const double at = logarithmic_ ? std::log10(value) : value;
    return kBottom - kPlotHeight * (at - low_) / (high_ - low_);
  }

 private:
  bool logarithmic_;
  double low_ = 0, high_ = 1;
  std::vector<double> ticks_;
};

Axis axis_of(const BarPlot& plot) {
  double smallest = INFINITY, largest = 0;
  for (const BarSeries& series : plot.series) {
    for (const std::optional<double>& value : series.values) {
      if (!value || !std::isfinite(*value) || *value <= 0) continue;
      smallest = std::min(smallest, *value);
      largest = std::max(largest, *value);
    }
  }
  if (largest == 0) return {1, 1, plot.logarithmic};  // nothing to show: an empty frame
  return {smallest, largest, plot.logarithmic};
}

double group_width(const BarPlot& plot) {
  return (kWidth - kLeft - kRight) /
         static_cast<double>(std::max<std::size_t>(plot.groups.size(), 1));
}

// Where the groups' names lie: flat, or turned where one is too long for its group.
struct GroupNames {
  bool turned = false;
  double bottom = kBottom + 18;  // of them all

  explicit GroupNames(const BarPlot& plot) {
    double longest = 0;
    for (const std::string& name : plot.groups) {
      longest = std::max(longest, kGroupFont * kLetter * static_cast<double>(name.size()));
    }
    turned = longest > group_width(plot) - 4;
    if (turned) bottom = kBottom + 14 + longest * kTurnedRise;
  }
};

std::string text_at(double x, double y, std::string_view anchor, double size, std::string_view text,
                    std::string_view more = "") {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}"
      "</text>\n",
      x, y, anchor, size, more, escaped(text));
}

std::string fill_of(std::size_t index) {
  if (index < kColours.size()) return std::string(kColours[index]);
  return fmt::format("url(#hatch{})", index);
}

std::string hatches(std::size_t series) {
  std::string result;
  for (std::size_t i = kColours.size(); i < series; ++i) {
    result += fmt::format(
        "<pattern id=\"hatch{}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"{}\"/>"
        "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" stroke=\"#fff\" "
        "stroke-width=\"3\"/></pattern>\n",
        i, kColours[i % kColours.size()]);
  }
  return result.empty() ? result : "<defs>\n" + result + "</defs>\n";
}

std::string frame(const BarPlot& plot, const Axis& axis, const GroupNames& names) {
  std::string result = text_at(kWidth / 2, 24, "middle", 16, plot.title, " font-weight=\"bold\"") +
                       text_at(kWidth / 2, 44, "middle", 12, plot.subtitle, " fill=\"#555\"");
  for (const double tick : axis.ticks()) {
    const double y = axis.y(tick);
    result +=
        fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n",
                    kLeft, y, kWidth - kRight, y);
    result += text_at(kLeft - 6, y + 4, "end", 11, short_value(tick));
  }
  result += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#333\"/>\n", kLeft,
                        kBottom, kWidth - kRight, kBottom);
  const double middle = kTop + kPlotHeight / 2;
  result += text_at(16, middle, "middle", 12, plot.y_label,
                    fmt::format(" transform=\"rotate(-90 16 {:.1f})\"", middle));
  return result + text_at((kLeft + kWidth - kRight) / 2, names.bottom + kXLabelBelow, "middle", 12,
                          plot.x_label);
}

std::string group_names(const BarPlot& plot, const GroupNames& names) {
  std::string result;
  for (std::size_t g = 0; g < plot.groups.size(); ++g) {
    const double x = kLeft + group_width(plot) * (static_cast<double>(g) + 0.5);
    const double y = kBottom + (names.turned ? 14 : 18);
    result +=
        names.turned
            ? text_at(x + 4, y, "end", kGroupFont, plot.groups[g],
                      fmt::format(" transform=\"rotate(-{} {:.1f} {:.1f})\"", kTurn, x + 4, y))
            : text_at(x, y, "middle", kGroupFont, plot.groups[g]);
  }
  return result;
}

std::string bars(const BarPlot& plot, const Axis& axis) {
  std::string result;
  const double width = group_width(plot);
  const double bar_width =
      width * kGroupFill / static_cast<double>(std::max<std::size_t>(plot.series.size(), 1));
  for (std::size_t g = 0; g < plot.groups.size(); ++g) {
    const double left = kLeft + width * static_cast<double>(g);
    for (std::size_t s = 0; s < plot.series.size(); ++s) {
      if (g >= plot.series[s].values.size() || !plot.series[s].values[g]) continue;
      const double value = *plot.series[s].values[g];
      if (!axis.shows(value)) continue;
      const double x = left + width * (1 - kGroupFill) / 2 + bar_width * static_cast<double>(s);
      const double y = axis.y(value);
      result += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\">"
          "<title>{}, {}: {}</title></rect>\n",
          x, y, std::max(bar_width - 1, 0.5), std::max(kBottom - y, 0.0), fill_of(s),
          escaped(plot.series[s].name), escaped(plot.groups[g]), short_value(value));
      // Flat where there is room for it, else upright.
      const std::string label = short_value(value);
      const double middle = x + bar_width / 2;
      if (bar_width >= 9 * kLetter * static_cast<double>(label.size())) {
        result += text_at(middle, y - 4, "middle", 9, label);
      } else if (bar_width >= 8) {
        result +=
            text_at(middle + 3, y - 4, "start", 9, label,
                    fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", middle + 3, y - 4));
      }
    }
  }
  return result;
}

// The rows that the legend takes are part of the document's height.
std::string legend(const BarPlot& plot, const GroupNames& names, double* height) {
  std::string result;
  double x = kLeft, y = names.bottom + kLegendBelow;
  for (std::size_t s = 0; s < plot.series.size(); ++s) {
    const double width = 34 + 12 * kLetter * static_cast<double>(plot.series[s].name.size());
    if (x + width > kWidth - kRight && x > kLeft) {
      x = kLeft;
      y += kLegendRow;
    }
    result +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x,
                    y - 10, fill_of(s));
    result += text_at(x + 17, y, "start", 12, plot.series[s].name);
    x += width;
  }
  *height = y + kLegendRow;
  return result;
}

}  // namespace

std::string svg_of(const BarPlot& plot) {
  const Axis axis = axis_of(plot);
  const GroupNames names(plot);
  double height = 0;
  const std::string key = legend(plot, names, &height);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\" font-family=\"Helvetica, Arial, sans-serif\" fill=\"#222\">\n"
             "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
             kWidth, height) +
         hatches(plot.series.size()) + frame(plot, axis, names) + bars(plot, axis) +
         group_names(plot, names) + key + "</svg>\n";
}

}  // namespace flashscope::gpu
