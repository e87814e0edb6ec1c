// Values of options; see parse_values.h.
#include "sim/setup/parse_values.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope {
namespace {

constexpr std::size_t kMostRows = 4096;

std::int64_t parse_integer(std::string_view text, std::string_view whole, std::string_view option) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) {
    throw Error(fmt::format("{} '{}': '{}' is not an integer of 64 bits", option, whole, text));
  }
  return value;
}

}  // namespace

Format parse_format(std::string_view text, std::string_view option) {
  for (const Format format : {Format::fp32, Format::fp16, Format::bf16, Format::e4m3}) {
    if (name_of(format) == text) return format;
  }
  throw Error(fmt::format("{} '{}': use fp32, fp16, bf16 or e4m3", option, text));
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::int64_t> parse_integers(std::string_view text, std::string_view option) {
  std::vector<std::int64_t> values;
  for (const std::string& part : split_list(text, ',')) {
    values.push_back(parse_integer(part, text, option));
  }
  return values;
}

std::vector<std::int64_t> parse_rows(std::string_view text, std::string_view option) {
  std::vector<std::int64_t> rows;
  for (const std::string& part : split_list(text, ',')) {
    const std::size_t dash = part.find('-');
    const std::int64_t first = parse_integer(part.substr(0, dash), text, option);
    const std::int64_t last =
        dash == std::string::npos ? first : parse_integer(part.substr(dash + 1), text, option);
    if (first < 0 || last < first) {
      throw Error(fmt::format("{} '{}': write rows as 0,3 or 4-7, from 0 up", option, text));
    }
    if (last - first >= static_cast<std::int64_t>(kMostRows - rows.size())) {
      throw Error(fmt::format("{} '{}': at most {} rows at a time", option, text, kMostRows));
    }
    for (std::int64_t n = 0; n <= last - first; ++n) rows.push_back(first + n);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace flashscope
