// Figures of a lesson: an inline SVG or lines of code, what they say in words, and their numbers as
// a table for whoever wants or needs it.
#pragma once

#include <string>
#include <string_view>

#include "lessons/engine/figure.h"

namespace flashscope::pages {

// `id`: unique on the page.
std::string figure_html(const lessons::Figure& figure, const std::string& id);

// Said wherever bars are drawn so.
inline constexpr std::string_view kLogarithmic = "logarithmic: equal lengths are equal factors";

// The pictures alone; figure_html() puts them together.
std::string bars_svg(const lessons::Figure& figure);
std::string lines_svg(const lessons::Figure& figure);

}  // namespace flashscope::pages
