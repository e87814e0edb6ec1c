// See message.h.
#include "lessons/engine/message.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lessons/engine/parse_bytes.h"
#include "sim/expression/nearest_name.h"

namespace flashscope::lessons {
namespace {

constexpr std::size_t kMostBytes = 400;
constexpr std::size_t kMostNames = 20;
constexpr std::size_t kNearestNames = 6;
constexpr std::size_t kIndent = 2;  // of an expression below its message

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// Takes the last line off; the text had one line only: it is empty then.
std::string_view take_last_line(std::string_view& text) {
  const std::size_t found = text.rfind('\n');
  const std::string_view last = found == std::string_view::npos ? text : text.substr(found + 1);
  text = found == std::string_view::npos ? std::string_view() : text.substr(0, found);
  return last;
}

std::string printed(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t good = first_non_text(text);
    for (const char c : text.substr(0, good)) {
      result += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    }
    text.remove_prefix(good);
    if (text.empty()) break;
    result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(1);
  }
  if (result.size() <= kMostBytes) return result;
  std::size_t length = kMostBytes;
  while ((static_cast<unsigned char>(result[length]) & 0xC0) == 0x80) --length;  // whole characters
  return result.substr(0, length) + "…";
}

std::string told(std::string_view message, std::string_view expression) {
  std::string_view rest = message;
  const std::string_view caret = take_last_line(rest);
  if (rest.empty() || trimmed(caret) != "^") return printed(trimmed(message));
  const std::string_view shown = take_last_line(rest);
  if (rest.empty()) return printed(trimmed(message));
  // A long expression is cut at both ends; where it is cut before, its columns are not known.
  const std::size_t at = caret.find('^');
  const bool known = at >= kIndent && !trimmed(shown).starts_with("...");
  const std::string column = known ? fmt::format(" (at column {})", at - kIndent + 1) : "";
  const std::string reason = printed(trimmed(rest));
  if (!expression.empty()) return reason + column;
  return fmt::format("{}: {}{}", reason, printed(trimmed(shown)), column);
}

}  // namespace

std::string one_line(std::string_view message) { return told(message, {}); }

std::string one_line_without(std::string_view message, std::string_view expression) {
  return told(message, expression);
}

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  if (names.size() <= kMostNames) return nearest_name(word, names);
  std::vector<std::string> sorted = names;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  });
  if (is_alike(word, sorted.front())) return nearest_name(word, sorted);
  sorted.resize(kNearestNames);
  return fmt::format("the nearest are {}", fmt::join(sorted, ", "));
}

}  // namespace flashscope::lessons
