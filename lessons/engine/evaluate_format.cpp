// Writing numbers for readers; see format_value() of evaluate.h.
#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "lessons/engine/evaluate.h"
#include "sim/io/number_text.h"

namespace flashscope::lessons {
namespace {

constexpr double kMostWhole = 1e15;  // beyond: powers of ten
constexpr double kSmallestPlain = 1e-4;
constexpr double kMib = 1024.0 * 1024;

struct Prefix {
  const char* name;
  double factor;
};
constexpr Prefix kBytes[] = {{"B", 1},     {"kB", 1e3},  {"MB", 1e6}, {"GB", 1e9},
                             {"TB", 1e12}, {"PB", 1e15}, {"EB", 1e18}};
constexpr Prefix kBinary[] = {
    {"B", 1}, {"KiB", 1024}, {"MiB", kMib}, {"GiB", 1024 * kMib}, {"TiB", kMib* kMib}};
constexpr Prefix kTimes[] = {{"us", 1}, {"ms", 1e3}, {"s", 1e6}};

double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - (digits - 1));
  return unit >= 1 ? std::round(value / unit) * unit
                   : std::round(value * std::round(1 / unit)) / std::round(1 / unit);
}

std::string whole(double value) {
  return io::grouped(static_cast<std::int64_t>(std::llround(value)));
}

// Significant digits as a person writes them: 16,384, 1.553, 0.1353, 2.3e-05.
std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (digits == 0) return size < kMostWhole ? whole(value) : fmt::format("{:.17g}", value);
  if (size >= kMostWhole || size < kSmallestPlain) return fmt::format("{:.{}g}", value, digits);
  const int before_point = static_cast<int>(std::floor(std::log10(size))) + 1;
  const int decimals = std::clamp(digits - before_point, 0, 17);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return whole(value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  const std::size_t end = std::min(point, text.size());
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t n = end; n > first + 3; n -= 3) text.insert(n - 3, ",");
  return text;
}

std::string with_prefix(double value, std::span<const Prefix> prefixes, double step, int digits) {
  std::size_t n = 0;
  const auto shown = [&] { return std::abs(rounded(value / prefixes[n].factor, digits)); };
  while (n + 1 < prefixes.size() && shown() >= step) ++n;
  return fmt::format("{} {}", number_text(value / prefixes[n].factor, digits), prefixes[n].name);
}

}  // namespace

std::string format_value(double value, Unit unit, int digits) {
  const bool whole_bytes = std::abs(value) < 10000 && value == std::trunc(value);
  switch (unit) {
    case Unit::bytes:
      if (digits == 0 || whole_bytes) return number_text(value, 0) + " B";
      return with_prefix(value, kBytes, 1000, digits);
    case Unit::binary_bytes:
      if (digits == 0) return number_text(value, 0) + " B";
      return with_prefix(value, kBinary, 1024, digits);
    case Unit::times:
      return number_text(value, digits) + " x";
    case Unit::percent:
      return number_text(value * 100, digits) + " %";
    case Unit::microseconds:
      if (digits == 0) return number_text(value, 0) + " us";
      return with_prefix(value, kTimes, 1000, digits);
    case Unit::none:
      break;
  }
  return number_text(value, digits);
}

}  // namespace flashscope::lessons
