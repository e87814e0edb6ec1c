// Plots are well-formed XML whatever the names and numbers are, and draw a bar for each value.
#include "gpu/measure/svg.h"

#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace flashscope::gpu {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// Tags nest, attributes are quoted, and no bare & or < is left: what an XML parser insists on.
bool is_well_formed(const std::string& text) {
  static const std::regex kTag(R"(^<(/?)([a-z]+)((?: [a-zA-Z0-9-]+="[^"<]*")*)(/?)>)");
  static const std::regex kEntity("^&(amp|lt|gt|quot);");
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size();) {
    std::smatch match;
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    if (text[at] == '<') {
      if (!std::regex_search(begin, text.end(), match, kTag)) return false;
      if (match[1] == "/") {
        if (open.empty() || open.back() != match[2]) return false;
        open.pop_back();
      } else if (match[4] != "/") {
        open.push_back(match[2]);
      }
      at += static_cast<std::size_t>(match.length());
    } else if (text[at] == '&') {
      if (!std::regex_search(begin, text.end(), match, kEntity)) return false;
      at += static_cast<std::size_t>(match.length());
    } else {
      ++at;
    }
  }
  return open.empty();
}

BarPlot plot() {
  BarPlot plot;
  plot.title = "Attention forward, causal, head_dim 64, fp16";
  plot.subtitle = "NVIDIA H200, 2026-01-31";
  plot.x_label = "sequence length";
  plot.y_label = "TFLOP/s";
  plot.groups = {"1k", "2k", "4k"};
  plot.series = {{"standard", {10, 20, std::nullopt}}, {"fa2", {300, 350, 401.5}}};
  return plot;
}

TEST_CASE("a plot is well-formed and has a bar for each value") {
  const std::string svg = svg_of(plot());
  CHECK(is_well_formed(svg));
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 "));
  CHECK(count(svg, "<title>") == 5);
  CHECK(svg.find("<title>fa2, 4k: 402</title>") != std::string::npos);
  CHECK(svg.find(">NVIDIA H200, 2026-01-31<") != std::string::npos);
}

TEST_CASE("names may hold anything") {
  BarPlot p = plot();
  p.title = "a<b & \"c\"\n\x01";
  p.groups[0] = "<script>";
  p.series[0].name = "x&y";
  CHECK(is_well_formed(svg_of(p)));
}

TEST_CASE("values without a height have no bar") {
  BarPlot p = plot();
  p.series[0].values = {std::numeric_limits<double>::quiet_NaN(), -1, INFINITY};
  for (const bool logarithmic : {false, true}) {
    p.logarithmic = logarithmic;
    const std::string svg = svg_of(p);
    CHECK(is_well_formed(svg));
    CHECK(count(svg, "<title>") == 3);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
  }
}

TEST_CASE("a taller value has a taller bar, on either axis") {
  for (const bool logarithmic : {false, true}) {
    BarPlot p = plot();
    p.logarithmic = logarithmic;
    p.series = {{"fa2", {1e3, 1e6, 1e9}}};
    const std::string svg = svg_of(p);
    static const std::regex kHeight(
        "width=\"[0-9.]+\" height=\"([0-9.]+)\" fill=\"#0072B2\"><title>");
    std::vector<double> heights;
    for (auto it = std::sregex_iterator(svg.begin(), svg.end(), kHeight);
         it != std::sregex_iterator(); ++it) {
      heights.push_back(std::stod((*it)[1]));
    }
    REQUIRE(heights.size() == 3);
    CHECK(heights[0] <= heights[1]);
    CHECK(heights[1] < heights[2]);
    CHECK(heights[2] < 330);
  }
}

TEST_CASE("many series get hatches of their own, and an empty plot is a frame") {
  BarPlot p = plot();
  p.series.clear();
  for (int i = 0; i < 12; ++i) p.series.push_back({"series " + std::to_string(i), {1.0 + i, 2, 3}});
  CHECK(is_well_formed(svg_of(p)));
  CHECK(count(svg_of(p), "<pattern ") == 4);
  CHECK(is_well_formed(svg_of(BarPlot{})));
}

}  // namespace
}  // namespace flashscope::gpu
