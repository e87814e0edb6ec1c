// Coloured code; see code_html.h.
#include "viz/pages/code_html.h"

#include <fmt/format.h>

#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

std::string class_of(const views::Span& span, std::string_view text) {
  switch (span.ink) {
    case views::Ink::comment:
      return "c-comment";
    case views::Ink::keyword:
      return "c-keyword";
    case views::Ink::marker:
      return "c-marker";
    case views::Ink::tensor:
      return tensor_class(text);
    case views::Ink::number:
    case views::Ink::plain:
      return "";
  }
  return "";
}

}  // namespace

std::string tensor_class(std::string_view name) {
  const char first = name.empty() ? ' ' : name.front();
  const bool known = std::string_view("QKVSPO").find(first) != std::string_view::npos;
  return known ? fmt::format("t-{}", first) : "t-v";
}

namespace {

// Spaces within a line only align what follows, at the price of a wide page: two are left.
std::string between(std::string_view gap, bool indents) {
  const bool wide = gap.size() > 2 && gap.find_first_not_of(' ') == std::string_view::npos;
  return wide && !indents ? "  " : escaped(gap);
}

}  // namespace

std::string code_line_html(const views::CodeLine& line) {
  std::string html;
  std::size_t at = 0;
  const std::string_view text = line.text;
  for (const views::Span& span : line.spans) {
    html += between(text.substr(at, span.begin - at), at == 0);
    const std::string_view part = text.substr(span.begin, span.end - span.begin);
    const std::string name = class_of(span, part);
    html += name.empty() ? escaped(part)
                         : fmt::format("<span class=\"{}\">{}</span>", name, escaped(part));
    at = span.end;
  }
  return html + escaped(text.substr(std::min(at, text.size())));
}

}  // namespace flashscope::pages
