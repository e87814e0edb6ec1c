// See expression_error.h.
#include "sim/expression/expression_error.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/expression/nearest_name.h"

namespace flashscope::expression {
namespace {

constexpr std::size_t kShownBefore = 60;  // characters of the text left and right of the caret
constexpr std::size_t kShownAfter = 30;
constexpr std::size_t kLongestNameShown = 40;

char printable(char c) { return c >= ' ' && c <= '~' ? c : '?'; }

}  // namespace

Error error_at(std::string_view text, std::size_t position, const std::string& message) {
  const std::size_t begin = position > kShownBefore ? position - kShownBefore : 0;
  const std::size_t end = std::min(text.size(), position + kShownAfter);
  std::string shown = begin > 0 ? "..." : "";
  const std::size_t caret = shown.size() + position - begin;
  for (const char c : text.substr(begin, end - begin)) shown += printable(c);
  if (end < text.size()) shown += "...";
  return Error(fmt::format("{}\n  {}\n  {}^", message, shown, std::string(caret, ' ')));
}

std::string unknown_message(std::string_view what, std::string_view name,
                            std::span<const std::string_view> known) {
  const auto nearest = std::min_element(known.begin(), known.end(), [&](auto a, auto b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  std::string suggestion;
  if (nearest != known.end() && is_alike(name, *nearest)) {
    suggestion = fmt::format(" did you mean '{}'?", *nearest);
  }
  const bool is_long = name.size() > kLongestNameShown;
  return fmt::format("unknown {} '{}{}';{} known: {}", what, name.substr(0, kLongestNameShown),
                     is_long ? "..." : "", suggestion, fmt::join(known, ", "));
}

}  // namespace flashscope::expression
