// Lines of code with their colours, as a list.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "viz/views/code_text.h"

namespace flashscope::pages {

// A line's text in spans of its inks; nothing but escaped text where it has none.
std::string code_line_html(const views::CodeLine& line);

// "t-Q": the class that gives a tensor or tile its colour.
std::string tensor_class(std::string_view name);

}  // namespace flashscope::pages
