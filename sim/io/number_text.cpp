// Numbers as people read them; see number_text.h.
#include "sim/io/number_text.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace flashscope::io {
namespace {

std::string with_prefix(double value, const char* unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < std::size(kPrefixes)) {
    value /= 1000;
    ++prefix;
  }
  const int decimals = std::abs(value) >= 99.95 ? 0 : (std::abs(value) >= 9.995 ? 1 : 2);
  return fmt::format("{:.{}f} {}{}", value, decimals, kPrefixes[prefix], unit);
}

}  // namespace

std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t n = digits.size(); n > first + 3; n -= 3) digits.insert(n - 3, ",");
  return digits;
}

std::string readable_bytes(std::int64_t bytes) {
  if (bytes < 10000) return fmt::format("{} B", bytes);
  return with_prefix(static_cast<double>(bytes), "B");
}

std::string readable_count(std::int64_t count) {
  if (count < 10000) return std::to_string(count);
  return with_prefix(static_cast<double>(count), "");
}

std::string short_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return fmt::format("{:.4g}", value == 0 ? 0.0 : value);
}

}  // namespace flashscope::io
