// Markdown for people at a terminal: paragraphs filled to a readable width, lists, quotes, code and
// tables in columns. Everything is returned as text that ends its lines, with colours where stdout
// has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lessons/engine/markdown.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {

// Columns of prose: those of the screen, but no more than one reads comfortably.
int text_width();

// Lines of at most `width` columns, broken at spaces and hard breaks; a longer word stays whole.
// Without colours, code stands in backticks.
std::vector<std::string> filled(const lessons::Text& text, int width, Style style = Style::plain);

// One paragraph, all lines of which start with `indent` and the first with `first` instead. Both
// take equally many columns.
std::string paragraph(const lessons::Text& text, const std::string& first,
                      const std::string& indent, Style style = Style::plain);
std::string paragraph(const std::string& plain, const std::string& first, const std::string& indent,
                      Style style = Style::plain);

// A remark of the program: a paragraph that is indented by two.
std::string told(const std::string& plain);

std::string markdown_text(const std::vector<lessons::TextBlock>& blocks);

// "── left ─────────── right ──" over the width of prose.
std::string ruled(std::string_view left, std::string_view right);

}  // namespace flashscope::terminal
