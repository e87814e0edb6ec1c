// Proves the conversions of sim/machine/numerics.h against a slow decoder built on ldexp: every
// pattern of every small format, every midpoint between neighbours, and random values.
#include "sim/machine/numerics.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace flashscope;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Format kSmallFormats[] = {Format::fp16, Format::bf16, Format::e4m3};

struct Layout {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;
};

Layout layout_of(Format format) {
  if (format == Format::fp16) return {5, 10, true};
  if (format == Format::bf16) return {8, 7, true};
  return {4, 3, false};
}

int bits_in(Format format) { return static_cast<int>(8 * bytes_per_element(format)); }
std::uint32_t patterns_of(Format format) { return 1U << bits_in(format); }

double slow_decode(Format format, std::uint32_t pattern) {
  const Layout layout = layout_of(format);
  const int exponent_max = (1 << layout.exponent_bits) - 1;
  const int bias = exponent_max / 2;
  const int mantissa_max = (1 << layout.mantissa_bits) - 1;
  const int mantissa = static_cast<int>(pattern) & mantissa_max;
  const int exponent = static_cast<int>(pattern >> layout.mantissa_bits) & exponent_max;
  const double sign = (pattern >> (bits_in(format) - 1)) != 0 ? -1.0 : 1.0;
  if (layout.has_infinity && exponent == exponent_max) {
    return mantissa == 0 ? sign * HUGE_VAL : std::nan("");
  }
  if (!layout.has_infinity && exponent == exponent_max && mantissa == mantissa_max) {
    return std::nan("");
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - layout.mantissa_bits);
  return sign * std::ldexp(mantissa + mantissa_max + 1, exponent - bias - layout.mantissa_bits);
}

std::uint32_t encode_one(Format format, float value) {
  std::uint32_t pattern = 0;
  encode(format, {&value, 1}, reinterpret_cast<std::byte*>(&pattern));
  return pattern;
}

float decode_one(Format format, std::uint32_t pattern) {
  float value = 0;
  decode(format, reinterpret_cast<const std::byte*>(&pattern), {&value, 1});
  return value;
}

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// The largest finite pattern, and where values start to round past it.
std::uint32_t largest_pattern(Format format) {
  return format == Format::fp16 ? 0x7bff : format == Format::bf16 ? 0x7f7f : 0x7e;
}

// The nearest pattern to |value|, by bisection over the positive ones; ties to the even pattern.
std::uint32_t slow_encode_magnitude(Format format, double magnitude) {
  std::uint32_t low = 0;
  std::uint32_t high = largest_pattern(format);
  if (magnitude >= slow_decode(format, high)) {
    const double spacing = slow_decode(format, high) - slow_decode(format, high - 1);
    const bool overflows = magnitude >= slow_decode(format, high) + spacing / 2;
    return overflows && format != Format::e4m3 ? high + 1 : high;
  }
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (slow_decode(format, middle) <= magnitude ? low : high) = middle;
  }
  const double to_low = magnitude - slow_decode(format, low);
  const double to_high = slow_decode(format, high) - magnitude;
  if (to_low != to_high) return to_low < to_high ? low : high;
  return low % 2 == 0 ? low : high;
}

}  // namespace

TEST_CASE("every pattern decodes to its value and encodes back to itself") {
  for (const Format format : kSmallFormats) {
    CAPTURE(name_of(format));
    for (std::uint32_t pattern = 0; pattern < patterns_of(format); ++pattern) {
      CAPTURE(pattern);
      const double expected = slow_decode(format, pattern);
      const float decoded = decode_one(format, pattern);
      if (std::isnan(expected)) {
        REQUIRE(std::isnan(decoded));
        REQUIRE(encode_one(format, decoded) == (format == Format::e4m3 ? 0x7f : 0x7fff));
      } else {
        REQUIRE(same(decoded, static_cast<float>(expected)));
        REQUIRE(encode_one(format, decoded) == pattern);
      }
    }
  }
}

TEST_CASE("a midpoint rounds to the even neighbour, one ulp beside it to the nearer one") {
  for (const Format format : kSmallFormats) {
    CAPTURE(name_of(format));
    for (std::uint32_t low = 0; low < largest_pattern(format); ++low) {
      CAPTURE(low);
      const double middle = (slow_decode(format, low) + slow_decode(format, low + 1)) / 2;
      const float midpoint = static_cast<float>(middle);
      REQUIRE(static_cast<double>(midpoint) == middle);
      for (const std::uint32_t sign : {0U, patterns_of(format) / 2}) {
        const float side = sign == 0 ? 1.0F : -1.0F;
        REQUIRE(encode_one(format, side * midpoint) == sign + (low % 2 == 0 ? low : low + 1));
        REQUIRE(encode_one(format, side * std::nextafter(midpoint, 0.0F)) == sign + low);
        REQUIRE(encode_one(format, side * std::nextafter(midpoint, kInfinity)) == sign + low + 1);
      }
    }
  }
}

TEST_CASE("random values go to the nearest pattern, scalar and bulk alike") {
  constexpr std::uint32_t kSeed = 20260101;
  INFO("seed ", kSeed);
  std::mt19937 generator(kSeed);
  std::vector<float> values(20011);
  for (float& value : values) value = std::bit_cast<float>(static_cast<std::uint32_t>(generator()));
  for (std::size_t i = 0; i < values.size();
       i += 2) {  // half of them where the formats have values
    values[i] = std::ldexp(values[i] < 0 ? -1.0F : 1.0F, static_cast<int>(generator() % 44) - 26) *
                (1.0F + static_cast<float>(generator() % 65536) / 65536.0F);
  }
  for (const Format format : kSmallFormats) {
    CAPTURE(name_of(format));
    const std::size_t element_bytes = static_cast<std::size_t>(bytes_per_element(format));
    std::vector<std::byte> bytes(values.size() * element_bytes + 1);
    encode(format, values, bytes.data() + 1);  // an odd address: no alignment is assumed
    std::vector<float> decoded(values.size());
    decode(format, bytes.data() + 1, decoded);
    std::vector<float> rounded = values;
    round_in_place(format, rounded);
    for (std::size_t i = 0; i < values.size(); ++i) {
      CAPTURE(values[i]);
      REQUIRE(same(rounded[i], round_to(format, values[i])));
      REQUIRE(same(decoded[i], decode_one(format, encode_one(format, values[i]))));
      if (std::isnan(values[i])) {
        REQUIRE((std::isnan(rounded[i]) && std::isnan(decoded[i])));
        continue;
      }
      REQUIRE(same(rounded[i], decoded[i]));
      const double magnitude = std::fabs(static_cast<double>(values[i]));
      const std::uint32_t sign = std::signbit(values[i]) ? patterns_of(format) / 2 : 0;
      REQUIRE(encode_one(format, values[i]) == sign + slow_encode_magnitude(format, magnitude));
    }
  }
}

TEST_CASE("what is too large becomes infinity, in e4m3 the largest value") {
  CHECK(round_to(Format::fp16, 65519.99F) == 65504.0F);
  CHECK(round_to(Format::fp16, 65520.0F) == kInfinity);
  CHECK(round_to(Format::fp16, -1e30F) == -kInfinity);
  CHECK(round_to(Format::fp16, -kInfinity) == -kInfinity);
  CHECK(encode_one(Format::fp16, -kInfinity) == 0xfc00);
  CHECK(round_to(Format::bf16, std::numeric_limits<float>::max()) == kInfinity);
  CHECK(round_to(Format::bf16, -kInfinity) == -kInfinity);
  CHECK(round_to(Format::e4m3, 464.0F) == 448.0F);
  CHECK(round_to(Format::e4m3, -1e30F) == -448.0F);
  CHECK(round_to(Format::e4m3, kInfinity) == 448.0F);
  CHECK(encode_one(Format::e4m3, -kInfinity) == 0xfe);
}

TEST_CASE("subnormals and the sign of zero survive") {
  CHECK(round_to(Format::fp16, std::ldexp(1.0F, -24)) == std::ldexp(1.0F, -24));
  CHECK(round_to(Format::fp16, std::ldexp(1.0F, -25)) == 0.0F);
  CHECK(round_to(Format::bf16, std::ldexp(1.0F, -133)) == std::ldexp(1.0F, -133));
  CHECK(round_to(Format::e4m3, std::ldexp(3.0F, -11)) == std::ldexp(1.0F, -9));
  for (const Format format : kSmallFormats) {
    CHECK(std::signbit(round_to(format, -0.0F)));
    CHECK_FALSE(std::signbit(round_to(format, 0.0F)));
    CHECK(std::isnan(round_to(format, std::nanf(""))));
    CHECK(std::isnan(round_to(format, -std::nanf("1"))));
  }
}

TEST_CASE("fp32 is copied bit for bit, and no values need no memory") {
  const std::vector<float> values = {1.1F, -0.0F, 1e-42F, kInfinity};
  std::vector<std::byte> bytes(values.size() * 4 + 1);
  encode(Format::fp32, values, bytes.data() + 1);
  std::vector<float> decoded(values.size());
  decode(Format::fp32, bytes.data() + 1, decoded);
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(same(decoded[i], values[i]));
  CHECK(same(round_to(Format::fp32, 1.1F), 1.1F));
  encode(Format::fp32, {}, nullptr);
  decode(Format::fp16, nullptr, {});
}
