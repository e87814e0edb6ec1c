// Philox and the distributions of random.h.
#include "sim/scenario/random.h"

#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope {
namespace {

constexpr std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

std::array<std::uint32_t, 4> random_words(std::uint64_t seed, std::uint32_t stream,
                                          std::uint64_t index, std::uint32_t draw) {
  return philox({low_word(index), high_word(index), stream, draw},
                {low_word(seed), high_word(seed)});
}

// The middle of one of 2^53 equal parts of (0, 1), rounded: the ends stay out.
double unit_interval(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t part = (std::uint64_t{high} << 32 | low) >> 12;
  return (static_cast<double>(part) + 0.5) * 0x1p-52;
}

std::optional<float> parse_finite(std::string_view text) {
  float value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t product_1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high_word(product_1) ^ counter[1] ^ key[0], low_word(product_1),
               high_word(product_0) ^ counter[3] ^ key[1], low_word(product_0)};
    key[0] += 0x9E3779B9;  // the golden ratio
    key[1] += 0xBB67AE85;  // sqrt(3) - 1
  }
  return counter;
}

double uniform(std::uint64_t seed, std::uint32_t stream, std::uint64_t index, std::uint32_t draw) {
  const std::array<std::uint32_t, 4> words = random_words(seed, stream, index, draw);
  return unit_interval(words[0], words[1]);
}

double normal(std::uint64_t seed, std::uint32_t stream, std::uint64_t index, std::uint32_t draw) {
  const std::array<std::uint32_t, 4> words = random_words(seed, stream, index, draw);
  const double radius = std::sqrt(-2.0 * std::log(unit_interval(words[0], words[1])));
  const double angle = 2.0 * std::numbers::pi * unit_interval(words[2], words[3]);
  return radius * std::cos(angle);
}

Distribution Distribution::parse(std::string_view text) {
  constexpr std::string_view kConstant = "constant:";
  if (text == "normal") return {Kind::normal};
  if (text == "outliers") return {Kind::outliers};
  if (text == "ramp") return {Kind::ramp};
  if (text.starts_with(kConstant)) {
    if (const auto value = parse_finite(text.substr(kConstant.size()))) {
      return {Kind::constant, *value};
    }
  }
  throw Error(fmt::format(
      "unknown distribution '{}'; choose normal, outliers, constant:X (X a number) or ramp", text));
}

float Distribution::sample(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) const {
  switch (kind) {
    case Kind::normal:
      return static_cast<float>(normal(seed, stream, index));
    case Kind::outliers: {
      double value = normal(seed, stream, index);
      if (uniform(seed, stream, index, 1) < 0.001) value += 10.0 * normal(seed, stream, index, 2);
      return static_cast<float>(value);
    }
    case Kind::constant:
      return constant;
    case Kind::ramp:
      return (static_cast<float>(index % 17) - 8.0F) / 8.0F;
  }
  return 0;
}

}  // namespace flashscope
