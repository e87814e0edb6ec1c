// Contrast of every text colour of the style against the surfaces it may lie on, by the formula of
// WCAG 2.1, in both themes. A rule that says its own background is held against that; any other
// text against paper, card and well.
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "viz/pages/assets.h"

namespace {

constexpr double kText = 4.5;    // AA for text of normal size
constexpr double kGraphics = 3;  // AA for borders and marks that mean something

using Colours = std::map<std::string, std::string>;

double luminance(const std::string& hex) {
  const auto channel = [&](std::size_t at) {
    const double value = std::stoi(hex.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

double contrast(const std::string& a, const std::string& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

Colours properties(const std::string& block) {
  Colours colours;
  const std::regex property("(--[a-z0-9-]+): (#[0-9a-f]{6});");
  for (std::sregex_iterator at(block.begin(), block.end(), property), end; at != end; ++at) {
    colours[(*at)[1]] = (*at)[2];
  }
  return colours;
}

struct Style {
  Colours light, dark;
  struct Rule {
    std::string selector, declarations;
  };
  std::vector<Rule> rules;
};

Style read_style() {
  std::string css(flashscope::pages::page_css());
  css = std::regex_replace(css, std::regex("/\\*[^*]*\\*+([^/*][^*]*\\*+)*/"), "");
  Style style;
  const std::size_t light = css.find(":root {"), dark = css.find(":root {", light + 1);
  REQUIRE(dark != std::string::npos);
  style.light = properties(css.substr(light, css.find('}', light) - light));
  style.dark = properties(css.substr(dark, css.find('}', dark) - dark));
  const std::regex rule("([^{}]+)\\{([^{}]*)\\}");
  for (std::sregex_iterator at(css.begin(), css.end(), rule), end; at != end; ++at) {
    style.rules.push_back({(*at)[1], (*at)[2]});
  }
  return style;
}

// The property that a declaration takes its colour from; empty where there is none.
std::string value_of(const std::string& declarations, const std::string& name) {
  std::smatch found;
  const std::regex declaration("(^|[;\\s])" + name + ": var\\((--[a-z0-9-]+)\\)");
  return std::regex_search(declarations, found, declaration) ? found[2].str() : "";
}

}  // namespace

TEST_CASE("the formula is that of WCAG") {
  CHECK(contrast("#000000", "#ffffff") == doctest::Approx(21));
  CHECK(contrast("#777777", "#ffffff") == doctest::Approx(4.48).epsilon(0.001));
}

TEST_CASE("both themes have the same colours") {
  const Style style = read_style();
  CHECK(style.light.size() > 25);
  for (const auto& [name, value] : style.light) {
    CAPTURE(name);
    CHECK(style.dark.contains(name));
  }
  CHECK(style.dark.size() == style.light.size());
}

TEST_CASE("text stands out from what it lies on") {
  const Style style = read_style();
  int pairs = 0;
  for (const Colours* theme : {&style.light, &style.dark}) {
    for (const Style::Rule& rule : style.rules) {
      CAPTURE(rule.selector);
      std::string text = value_of(rule.declarations, "color");
      const bool svg = rule.selector.find("text") != std::string::npos;
      if (text.empty() && svg) text = value_of(rule.declarations, "fill");
      const std::string ground = value_of(rule.declarations, "background");
      std::set<std::string> grounds = {"--paper", "--card", "--well"};
      if (!ground.empty()) grounds = {ground};
      // A surface that texts of other rules lie on has to bear the plain one.
      if (text.empty() && !ground.empty()) text = "--ink";
      if (text.empty()) continue;
      // Numbers in the cells of a tile map.
      if (rule.selector.find(".cell") != std::string::npos) grounds = {"--full", "--partial"};
      // Colours of tensors occur in the current line of the table, too.
      if (rule.selector.find(".t-") != std::string::npos) grounds.insert("--mark");
      for (const std::string& surface : grounds) {
        // Parts that are no text.
        if (rule.selector.find(".key") != std::string::npos) continue;
        CAPTURE(text);
        CAPTURE(surface);
        REQUIRE(theme->contains(text));
        REQUIRE(theme->contains(surface));
        CHECK(contrast(theme->at(text), theme->at(surface)) >= kText);
        ++pairs;
      }
    }
  }
  CHECK(pairs > 100);
}

TEST_CASE("borders, bars and marks that mean something can be made out") {
  const Style style = read_style();
  for (const Colours* theme : {&style.light, &style.dark}) {
    for (const char* mark : {"--edge", "--mark-edge", "--accent", "--bar-1", "--bar-2", "--bar-3",
                             "--bar-4", "--bad", "--good"}) {
      for (const char* surface : {"--card", "--paper"}) {
        CAPTURE(mark);
        CAPTURE(surface);
        CHECK(contrast(theme->at(mark), theme->at(surface)) >= kGraphics);
      }
    }
    CHECK(contrast(theme->at("--mark-edge"), theme->at("--full")) >= 1.5);
    CHECK(contrast(theme->at("--hatch"), theme->at("--partial")) >= kGraphics);
  }
}
