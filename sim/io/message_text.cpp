// Escapes and shortens names for messages.
#include "sim/io/message_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/io/array.h"

namespace flashscope::io {
namespace {

constexpr std::size_t kMaxQuotedBytes = 60;
constexpr std::size_t kMaxListedNames = 8;
constexpr std::size_t kMaxListedDimensions = 8;

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  unsigned char previous = 0;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    const bool second_byte_of_c1 = previous == 0xC2 && byte >= 0x80 && byte < 0xA0;
    if (byte < 0x20 || byte == 0x7F || byte == '\\' || second_byte_of_c1) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += character;
    }
    previous = byte;
  }
  return result;
}

std::string quoted_name(std::string_view text) {
  if (text.size() <= kMaxQuotedBytes) return fmt::format("'{}'", printable(text));
  std::size_t length = kMaxQuotedBytes;
  // Not in the middle of a UTF-8 character: its later bytes are 10xxxxxx.
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  return fmt::format("'{}…'", printable(text.substr(0, length)));
}

std::string name_list(std::span<const std::string> names) {
  if (names.empty()) return "nothing";
  const std::size_t shown = std::min(names.size(), kMaxListedNames);
  std::string result;
  for (std::size_t i = 0; i < shown; ++i) result += (i > 0 ? ", " : "") + quoted_name(names[i]);
  if (shown < names.size()) result += fmt::format(" and {} more", names.size() - shown);
  return result;
}

std::string describe_shape(std::span<const std::int64_t> shape) {
  if (shape.size() > kMaxListedDimensions) return fmt::format("{} dimensions", shape.size());
  return "shape " + shape_text(shape);
}

}  // namespace flashscope::io
