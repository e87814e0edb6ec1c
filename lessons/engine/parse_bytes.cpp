// See parse_bytes.h.
#include "lessons/engine/parse_bytes.h"

namespace flashscope::lessons {
namespace {

struct Character {
  std::size_t bytes = 0;  // 0: none (RFC 3629: no overlong forms, surrogates, or above U+10FFFF)
  std::uint32_t code = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {1, first};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t code = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  static constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast[length] || surrogate || code > 0x10FFFF) return {};
  return {length, code};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

}  // namespace

bool is_hidden(std::uint32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool begins_hidden(std::string_view text) {
  if (text.empty()) return false;
  const Character first = first_character(text);
  return first.bytes > 0 && is_hidden(first.code);
}

std::size_t first_non_text(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    const Character character = first_character(rest);
    const bool allowed = rest[0] == '\t' || rest[0] == '\n' || rest.starts_with("\r\n");
    if (character.bytes == 0 || (is_control(character.code) && !allowed) ||
        is_hidden(character.code)) {
      return at;
    }
    at += character.bytes;
  }
  return at;
}

}  // namespace flashscope::lessons
