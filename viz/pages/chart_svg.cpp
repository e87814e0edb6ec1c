// Bars and lines as SVG; see figure_html.h. Drawn for a phone's width: a wider screen shows them
// larger. Every bar and line has its name and its numbers written at it: colour only helps.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lessons/engine/evaluate.h"
#include "sim/io/number_text.h"
#include "viz/pages/figure_html.h"
#include "viz/pages/prose_html.h"
#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

using lessons::Figure;

constexpr double kWidth = 330;
constexpr double kTextWidth = 7;  // of a character, about
constexpr int kColours = 4;       // --bar-1 to --bar-4 of the style

std::string begin_svg(double height, const Figure& figure) {
  std::string words = figure.alt;
  if (figure.logarithmic) words += fmt::format(" ({})", kLogarithmic);
  return fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n<title>{}"
      "</title><desc>{}</desc>\n",
      kWidth, height, escaped(words), escaped(plain_title(figure.title)), escaped(words));
}

double text_width(std::string_view text) {
  const auto characters =
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return kTextWidth * static_cast<double>(characters);
}

// Where a value lies between 0 and 1: linear from 0, or logarithmic from the decade below the
// smallest one.
class Scale {
 public:
  Scale(const Figure& figure, double largest)
      : logarithmic_(figure.logarithmic && largest > 0), high_(largest) {
    double smallest = largest;
    for (const auto& row : figure.values) {
      for (const double value : row) {
        if (std::isfinite(value) && value > 0) smallest = std::min(smallest, value);
      }
    }
    if (logarithmic_) low_ = std::pow(10, std::ceil(std::log10(smallest)) - 1);
  }
  double at(double value) const {
    if (!std::isfinite(value) || value <= 0 || high_ <= 0) return 0;
    if (!logarithmic_) return std::min(1.0, value / high_);
    return std::clamp(std::log(value / low_) / std::log(high_ / low_), 0.0, 1.0);
  }
  // The powers of ten within a logarithmic scale; none of a linear one.
  std::vector<double> decades() const {
    std::vector<double> powers;
    if (!logarithmic_) return powers;
    const auto first = std::lround(std::log10(low_));
    for (auto power = first + 1; static_cast<double>(power) <= std::log10(high_); ++power) {
      powers.push_back(std::pow(10, static_cast<double>(power)));
    }
    return powers;
  }

 private:
  bool logarithmic_;
  double low_ = 0, high_ = 0;
};

// A bar, with the text behind it.
struct Bar {
  double begin = 0, value = 0;
  std::size_t colour = 0;
  std::string text;
};
struct Group {
  std::string label;
  std::vector<Bar> bars;
};

// Of a budget each bar begins where the one before it ends, and the last one is all of them: so
// that they can be held against the limit.
std::vector<Group> groups_of(const Figure& figure) {
  const bool several = figure.values.size() > 1;
  const bool budget = figure.kind == lessons::FigureBlock::Kind::budget;
  std::vector<Group> groups;
  double sum = 0;
  for (std::size_t g = 0; g < figure.labels.size(); ++g) {
    Group& group = groups.emplace_back();
    group.label = plain_title(figure.labels[g]);
    for (std::size_t s = 0; s < figure.values.size(); ++s) {
      group.bars.push_back(
          {budget ? sum : 0, figure.values[s][g], s,
           (several ? plain_title(figure.series[s]) + ": " : "") + figure.texts[s][g]});
      sum += figure.values[s][g];
    }
  }
  if (budget) {
    groups.push_back(
        {"in all", {{0, sum, 1, lessons::format_value(sum, lessons::Unit::binary_bytes, 4)}}});
  }
  return groups;
}

}  // namespace

// A group is its label, then a bar for each series; the value stands behind the bar.
std::string bars_svg(const Figure& figure) {
  constexpr double kLabel = 18, kBar = 20, kGap = 10, kLimit = 22;
  const std::vector<Group> groups = groups_of(figure);
  double largest = figure.limit, longest = 0;
  double height = figure.limit > 0 ? kLimit : 0;
  for (const Group& group : groups) {
    height += kLabel + kBar * static_cast<double>(group.bars.size()) + kGap;
    for (const Bar& bar : group.bars) {
      if (std::isfinite(bar.value)) largest = std::max(largest, bar.begin + bar.value);
      longest = std::max(longest, text_width(bar.text));
    }
  }
  const Scale scale(figure, largest);
  const double room = std::max(90.0, kWidth - longest - 12);  // what texts leave to the bars
  std::string svg = begin_svg(height, figure);
  for (const double power : scale.decades()) {
    svg += fmt::format("<path class=\"axis\" d=\"M{:.1f} {}V{:.0f}\"/>\n", scale.at(power) * room,
                       kLabel, height - kGap);
  }
  double y = figure.limit > 0 ? kLimit : 0;
  for (const Group& group : groups) {
    svg += fmt::format("<text class=\"name\" x=\"0\" y=\"{:.0f}\">{}</text>\n", y + 13,
                       escaped(group.label));
    y += kLabel;
    for (const Bar& bar : group.bars) {
      const double begin = scale.at(bar.begin) * room;
      const double end = std::max(scale.at(bar.begin + bar.value) * room, begin + 1.5);
      const bool over = figure.limit > 0 && bar.begin + bar.value > figure.limit;
      svg += fmt::format(
          "<rect class=\"bar-{}{}\" x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"15\" "
          "rx=\"2\"/><text x=\"{:.1f}\" y=\"{:.0f}\">{}</text>\n",
          bar.colour % kColours + 1, over ? " over-limit" : "", begin, y, end - begin, end + 6,
          y + 12, escaped(bar.text));
      y += kBar;
    }
    y += kGap;
  }
  if (figure.limit > 0) {
    const double x = scale.at(figure.limit) * room;
    svg += fmt::format(
        "<path class=\"limit\" d=\"M{0:.1f} 18V{1:.0f}\"/><text class=\"limit-text\" x=\"{0:.1f}\" "
        "y=\"13\" text-anchor=\"{2}\">limit {3}</text>\n",
        x, height - kGap, x > kWidth / 2 ? "end" : "start", escaped(figure.limit_text));
  }
  return svg + "</svg>\n";
}

std::string lines_svg(const Figure& figure) {
  constexpr double kHeight = 240, kLeft = 46, kTop = 14, kBottom = 34;
  const std::size_t groups = figure.labels.size(), series = figure.values.size();
  double low = INFINITY, high = -INFINITY;
  for (const auto& row : figure.values) {
    for (const double value : row) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) low = high = 0;
  if (low == high) {
    low -= 1;
    high += 1;
  }
  double names = 0;
  for (const std::string& name : figure.series) {
    names = std::max(names, text_width(plain_title(name)));
  }
  const double right = kWidth - std::min(names + 14, 140.0);
  const auto x = [&](std::size_t g) {
    const auto steps = static_cast<double>(std::max<std::size_t>(groups, 2) - 1);
    return kLeft + 10 + (right - kLeft - 20) * static_cast<double>(g) / steps;
  };
  const auto y = [&](double value) {
    return kTop + 6 + (kHeight - kTop - kBottom - 12) * (high - value) / (high - low);
  };
  std::string svg = begin_svg(kHeight, figure);
  for (const double value : {low, (low + high) / 2, high}) {
    svg += fmt::format(
        "<path class=\"axis\" d=\"M{} {:.1f}H{:.0f}\"/><text x=\"{}\" y=\"{:.1f}\" "
        "text-anchor=\"end\">{}</text>\n",
        kLeft, y(value), right, kLeft - 5, y(value) + 4, io::short_number(value));
  }
  // As many labels as fit beside each other.
  double widest = 0;
  for (const std::string& label : figure.labels) widest = std::max(widest, text_width(label));
  const double space = groups > 1 ? x(1) - x(0) : kWidth;
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil((widest + 8) / space)));
  for (std::size_t g = 0; g < groups; g += every) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x(g),
                       kHeight - 12, escaped(figure.labels[g]));
  }
  // Names at the line's ends, moved apart where they would meet.
  std::vector<std::pair<double, std::size_t>> ends;
  for (std::size_t s = 0; s < series; ++s) {
    std::string path;
    std::string marks;
    double last = y(low);
    bool pen_down = false;
    for (std::size_t g = 0; g < groups; ++g) {
      const double value = figure.values[s][g];
      if (!std::isfinite(value)) {
        pen_down = false;
        continue;
      }
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x(g), y(value));
      pen_down = true;
      last = y(value);
      if (s % 2 == 0) {
        marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>", x(g), y(value));
      } else {
        marks += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"6.5\" height=\"6.5\"/>",
                             x(g) - 3.25, y(value) - 3.25);
      }
    }
    svg += fmt::format("<g class=\"line line-{0}\"><path d=\"{1}\"/>{2}</g>\n", s % kColours + 1,
                       path, marks);
    ends.emplace_back(last, s);
  }
  std::sort(ends.begin(), ends.end());
  double free = 0;
  for (const auto& [at, s] : ends) {
    const double place = std::max(at + 4, free);
    free = place + 15;
    svg += fmt::format("<text class=\"name line-name-{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                       s % kColours + 1, right + 4, place, escaped(plain_title(figure.series[s])));
  }
  return svg + "</svg>\n";
}

}  // namespace flashscope::pages
