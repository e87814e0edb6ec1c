// Bar plots as SVG text, in the manner of the FlashAttention papers: a group of bars for every
// length (or problem), one colour for every algorithm, the value over each bar. 800 pixels wide,
// and scalable. Left out: any other kind of plot.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace flashscope::gpu {

struct BarSeries {
  std::string name;
  std::vector<std::optional<double>> values;  // one per group; nothing: no bar
};

struct BarPlot {
  std::string title, subtitle;  // the subtitle may say device and date
  std::string x_label, y_label;
  std::vector<std::string> groups;
  std::vector<BarSeries> series;
  // The axis in powers of ten instead of from 0, for values of many magnitudes.
  bool logarithmic = false;
};

// A whole document. Values that are negative, not finite, or (on a logarithmic axis) 0 have no bar.
std::string svg_of(const BarPlot& plot);

}  // namespace flashscope::gpu
