// The conversions of numerics.h without a branch per element, so that the compiler turns each loop
// into vector instructions. fp16 and e4m3 are one template: they differ in four numbers only. bf16
// is the upper half of an fp32, which makes it a special case and a shorter one.
#include "sim/machine/numerics.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace flashscope {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored little-endian");
static_assert(std::numeric_limits<float>::is_iec559);

constexpr std::uint32_t kSignBit = 0x8000'0000;
constexpr std::uint32_t kInfinityBits = 0x7f80'0000;
constexpr std::uint32_t kQuietNanBits = 0x7fc0'0000;
constexpr std::uint32_t kExponentMask = kInfinityBits;
constexpr int kFp32MantissaBits = 23;
constexpr int kFp32Bias = 127;

constexpr std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
constexpr float power_of_two(int exponent) {
  return float_of(static_cast<std::uint32_t>(exponent + kFp32Bias) << kFp32MantissaBits);
}

// A format with fewer exponent bits than fp32. Storage is its unsigned integer.
struct Fp16 {
  using Storage = std::uint16_t;
  static constexpr int kMantissaBits = 10;
  static constexpr int kBias = 15;
  static constexpr float kClamp =
      65536.0F;  // the first power of two past the end: reads as infinity
  static constexpr std::uint32_t kFirstSpecial = 0x7c00;  // this pattern and above: infinity, NaN
  static constexpr std::uint32_t kNan = 0x7fff;
};

struct E4m3 {
  using Storage = std::uint8_t;
  static constexpr int kMantissaBits = 3;
  static constexpr int kBias = 7;
  static constexpr float kClamp = 448.0F;  // saturate
  static constexpr std::uint32_t kFirstSpecial = 0x7f;
  static constexpr std::uint32_t kNan = 0x7f;
};

// Adding a power of two so large that only the wanted mantissa bits still fit makes the adder round
// for us. For a value in [2^e, 2^(e+1)) that is 2^(e + 23 - mantissa bits); for subnormals, e stays
// at the smallest normal exponent. The power is even in units of its last place, so ties stay even.
template <class Small>
struct Rounding {
  static constexpr int kDroppedBits = kFp32MantissaBits - Small::kMantissaBits;
  static constexpr std::uint32_t kSmallestNormalBits = bits_of(power_of_two(1 - Small::kBias));

  explicit Rounding(float value)
      : magnitude(bits_of(value) & ~kSignBit),
        clamped(std::min(magnitude, bits_of(Small::kClamp))),
        exponent(std::max(clamped, kSmallestNormalBits) & kExponentMask),
        magic(float_of(exponent + (std::uint32_t{kDroppedBits} << kFp32MantissaBits))),
        sum(float_of(clamped) + magic) {}

  std::uint32_t magnitude;  // bits of |value|
  std::uint32_t clamped;   // the same, cut to Small::kClamp; NaN is cut too and put back at the end
  std::uint32_t exponent;  // exponent field that sets the spacing of Small's values here
  float magic;
  float sum;
};

// sum - magic counts the spacings in |value|: mantissa and hidden bit. Adding it to the exponent
// field counted from the smallest normal one gives the pattern, and a carry out of the mantissa is
// right too.
template <class Small>
typename Small::Storage encode_one(float value) {
  const Rounding<Small> r(value);
  const std::uint32_t from_smallest = r.exponent - Rounding<Small>::kSmallestNormalBits;
  std::uint32_t pattern =
      (from_smallest >> Rounding<Small>::kDroppedBits) + (bits_of(r.sum) - bits_of(r.magic));
  pattern |=
      (bits_of(value) & kSignBit) >> (32 - std::numeric_limits<typename Small::Storage>::digits);
  return static_cast<typename Small::Storage>(r.magnitude > kInfinityBits ? Small::kNan : pattern);
}

template <class Small>
float round_one(float value) {
  const Rounding<Small> r(value);
  const std::uint32_t rounded = bits_of(r.sum - r.magic);
  constexpr bool kHasInfinity = Small::kFirstSpecial != Small::kNan;
  constexpr std::uint32_t kOverflow = kHasInfinity ? bits_of(Small::kClamp) : kInfinityBits;
  const std::uint32_t finite = rounded >= kOverflow ? kInfinityBits : rounded;
  return float_of(r.magnitude > kInfinityBits ? kQuietNanBits
                                              : finite | (bits_of(value) & kSignBit));
}

// Moved into fp32's fields, a pattern (subnormals included) is too small by the difference in bias.
template <class Small>
float decode_one(typename Small::Storage pattern) {
  constexpr int kDigits = std::numeric_limits<typename Small::Storage>::digits;
  constexpr std::uint32_t kSmallSign = 1U << (kDigits - 1);
  const std::uint32_t magnitude = pattern & ~kSmallSign;
  const std::uint32_t moved = magnitude << Rounding<Small>::kDroppedBits;
  const std::uint32_t finite = bits_of(float_of(moved) * power_of_two(kFp32Bias - Small::kBias));
  const std::uint32_t sign = (pattern & kSmallSign) << (32 - kDigits);
  return float_of(sign | (magnitude >= Small::kFirstSpecial ? moved | kInfinityBits : finite));
}

struct Bf16 {
  using Storage = std::uint16_t;
};

template <>
std::uint16_t encode_one<Bf16>(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t is_odd = (bits >> 16) & 1;
  const std::uint32_t rounded = (bits + 0x7fff + is_odd) >> 16;  // a carry to infinity is right
  return static_cast<std::uint16_t>((bits & ~kSignBit) > kInfinityBits ? 0x7fff : rounded);
}

template <>
float decode_one<Bf16>(std::uint16_t pattern) {
  return float_of(std::uint32_t{pattern} << 16);
}

template <>
float round_one<Bf16>(float value) {
  return decode_one<Bf16>(encode_one<Bf16>(value));
}

template <class Small>
void encode_all(std::span<const float> values, std::byte* out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const typename Small::Storage pattern = encode_one<Small>(values[i]);
    std::memcpy(out + i * sizeof(pattern), &pattern, sizeof(pattern));
  }
}

template <class Small>
void decode_all(const std::byte* in, std::span<float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    typename Small::Storage pattern;
    std::memcpy(&pattern, in + i * sizeof(pattern), sizeof(pattern));
    values[i] = decode_one<Small>(pattern);
  }
}

template <class Small>
void round_all(std::span<float> values) {
  for (float& value : values) value = round_one<Small>(value);
}

}  // namespace

void encode(Format format, std::span<const float> values, std::byte* out) {
  if (values.empty()) return;  // `out` may be null then, which memcpy does not allow
  switch (format) {
    case Format::fp32:
      std::memcpy(out, values.data(), values.size_bytes());
      return;
    case Format::fp16:
      return encode_all<Fp16>(values, out);
    case Format::bf16:
      return encode_all<Bf16>(values, out);
    case Format::e4m3:
      return encode_all<E4m3>(values, out);
  }
}

void decode(Format format, const std::byte* in, std::span<float> values) {
  if (values.empty()) return;
  switch (format) {
    case Format::fp32:
      std::memcpy(values.data(), in, values.size_bytes());
      return;
    case Format::fp16:
      return decode_all<Fp16>(in, values);
    case Format::bf16:
      return decode_all<Bf16>(in, values);
    case Format::e4m3:
      return decode_all<E4m3>(in, values);
  }
}

float round_to(Format format, float value) {
  round_in_place(format, {&value, 1});
  return value;
}

void round_in_place(Format format, std::span<float> values) {
  switch (format) {
    case Format::fp32:
      return;
    case Format::fp16:
      return round_all<Fp16>(values);
    case Format::bf16:
      return round_all<Bf16>(values);
    case Format::e4m3:
      return round_all<E4m3>(values);
  }
}

}  // namespace flashscope
