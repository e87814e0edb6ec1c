// Words of a page; see words.h.
#include "viz/pages/words.h"

#include <algorithm>

namespace flashscope::pages {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// How many bytes the UTF-8 character at the beginning of `text` has; 0 where there is none.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(text[n]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xC2 && first < 0xE0   ? 2
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xF0 && first < 0xF5 ? 4
                                                           : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t n = 1; n < size; ++n) {
    if ((byte(n) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  const unsigned char second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90)) {
    return 0;
  }
  return size;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  html.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const char first = text.front();
    if (size != 1) {
      html += size == 0 ? kReplacement : text.substr(0, size);
    } else if (first == '&') {
      html += "&amp;";
    } else if (first == '<') {
      html += "&lt;";
    } else if (first == '>') {
      html += "&gt;";
    } else if (first == '"') {
      html += "&quot;";
    } else if (first == '\'') {
      html += "&#39;";
    } else if ((static_cast<unsigned char>(first) < 0x20 && first != '\n' && first != '\t') ||
               first == 0x7F) {
      html += kReplacement;
    } else {
      html += first;
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return html;
}

std::string escaped_json(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    // Between the quotes of a JSON string, where alone it occurs, this means the same.
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace flashscope::pages
