// See markdown_text.h.
#include "lessons/engine/markdown_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "lessons/engine/parse_bytes.h"

namespace flashscope::lessons {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
    {"amp", "&"},       {"lt", "<"},     {"gt", ">"},     {"quot", "\""}, {"apos", "'"},
    {"nbsp", "\u00A0"}, {"times", "×"},  {"middot", "·"}, {"minus", "−"}, {"plusmn", "±"},
    {"deg", "°"},       {"micro", "µ"},  {"ndash", "–"},  {"mdash", "—"}, {"hellip", "…"},
    {"le", "≤"},        {"ge", "≥"},     {"ne", "≠"},     {"asymp", "≈"}, {"larr", "←"},
    {"rarr", "→"},      {"harr", "↔"},   {"infin", "∞"},  {"sum", "∑"},   {"radic", "√"},
    {"alpha", "α"},     {"lambda", "λ"}, {"copy", "©"},   {"sect", "§"},  {"frac12", "½"},
};

std::string utf8(std::uint32_t code) {
  const auto tail = [code](int shift) {
    return static_cast<char>(0x80 | ((code >> shift) & 0x3F));
  };
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  if (control || is_hidden(code) || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    return std::string(kReplacement);
  }
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

std::string decode_number(std::string_view digits) {
  const bool hexadecimal = digits.starts_with('x') || digits.starts_with('X');
  if (hexadecimal) digits.remove_prefix(1);
  std::uint32_t code = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, hexadecimal ? 16 : 10);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return utf8(whole ? code : 0);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace

std::string decode_entity(std::string_view entity) {
  std::string_view name = entity;
  if (name.starts_with('&')) name.remove_prefix(1);
  if (name.ends_with(';')) name.remove_suffix(1);
  if (name.starts_with('#')) return decode_number(name.substr(1));
  for (const auto& [known, character] : kEntities) {
    if (known == name) return std::string(character);
  }
  return std::string(entity);
}

bool is_harmless_target(std::string_view target) {
  if (target.empty()) return false;
  // Browsers skip such characters inside an address, which would hide a scheme.
  if (std::any_of(target.begin(), target.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
    return false;
  }
  const std::size_t end = target.find_first_of(":/?#\\");
  if (end == std::string_view::npos || target[end] != ':') {
    return !target.starts_with("//") && !target.starts_with('\\');
  }
  const std::string scheme = lower(target.substr(0, end));
  return scheme == "http" || scheme == "https";
}

}  // namespace flashscope::lessons
