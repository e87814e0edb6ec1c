// Proves that the random numbers are the published generator's, that any element can be had alone,
// and that the distributions have the moments they promise.
#include "sim/scenario/random.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "sim/error.h"

using namespace flashscope;

namespace {

constexpr std::uint64_t kSeed = 42;

struct Moments {
  double mean = 0;
  double variance = 0;
  double kurtosis = 0;  // 3 for a normal distribution
};

template <class Sample>
Moments moments_of(std::uint64_t count, const Sample& sample) {
  double sum = 0;
  double sum_2 = 0;
  double sum_4 = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double value = sample(i);
    sum += value;
    sum_2 += value * value;
    sum_4 += value * value * value * value;
  }
  const double n = static_cast<double>(count);
  const double variance = sum_2 / n - (sum / n) * (sum / n);
  return {sum / n, variance, sum_4 / n / (variance * variance)};
}

}  // namespace

TEST_CASE("Philox gives Random123's known answers") {
  using Words = std::array<std::uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t kOnes = 0xffffffff;
  CHECK(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("the first values are what they have always been") {
  // Close, not equal: log and cos may differ in the last bit between libraries.
  CHECK(uniform(kSeed, 0, 0) == doctest::Approx(0.6129598811894158).epsilon(1e-14));
  CHECK(normal(kSeed, 0, 0) == doctest::Approx(0.88649750590144094).epsilon(1e-14));
  CHECK(normal(kSeed, 0, 1) == doctest::Approx(-0.15660962291201797).epsilon(1e-14));
  CHECK(normal(kSeed, 2, 1ULL << 40) == doctest::Approx(1.412889110426971).epsilon(1e-14));
}

TEST_CASE("seed, stream, index and draw each change the number") {
  const double base = uniform(kSeed, 1, 5, 0);
  CHECK(uniform(kSeed, 1, 5, 0) == base);
  CHECK(uniform(kSeed, 1, 5, 1) != base);
  CHECK(uniform(kSeed, 2, 5, 0) != base);
  CHECK(uniform(kSeed, 1, 5 + (1ULL << 32), 0) != base);
  CHECK(uniform(kSeed + (1ULL << 32), 1, 5, 0) != base);
}

TEST_CASE("uniform has mean 1/2 and variance 1/12 and stays inside (0, 1)") {
  double smallest = 1;
  double largest = 0;
  const Moments moments = moments_of(200'000, [&](std::uint64_t i) {
    const double value = uniform(kSeed, 0, i);
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
    return value;
  });
  CHECK(std::fabs(moments.mean - 0.5) < 0.003);
  CHECK(std::fabs(moments.variance - 1.0 / 12) < 0.001);
  CHECK(smallest > 0);
  CHECK(largest < 1);
}

TEST_CASE("normal has mean 0, variance 1 and kurtosis 3, and neighbours don't correlate") {
  const Moments moments = moments_of(200'000, [](std::uint64_t i) { return normal(kSeed, 3, i); });
  CHECK(std::fabs(moments.mean) < 0.01);
  CHECK(std::fabs(moments.variance - 1) < 0.015);
  CHECK(std::fabs(moments.kurtosis - 3) < 0.06);
  const Moments products = moments_of(
      200'000, [](std::uint64_t i) { return normal(kSeed, 3, i) * normal(kSeed, 3, i + 1); });
  CHECK(std::fabs(products.mean) < 0.01);
}

TEST_CASE("outliers are normal but for one value in a thousand, whose variance is 101") {
  const Distribution outliers = Distribution::parse("outliers");
  const Distribution plain = Distribution::parse("normal");
  constexpr std::uint64_t kCount = 500'000;
  std::uint64_t hits = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const double value = static_cast<double>(outliers.sample(kSeed, 0, i));
    if (value == static_cast<double>(plain.sample(kSeed, 0, i))) continue;
    ++hits;
    squares += value * value;
  }
  CHECK(hits > 400);
  CHECK(hits < 600);
  CHECK(std::fabs(squares / static_cast<double>(hits) - 101) < 30);
}

TEST_CASE("constant and ramp are what they say") {
  CHECK(Distribution::parse("constant:-2.5").sample(1, 2, 3) == -2.5F);
  const Distribution ramp = Distribution::parse("ramp");
  CHECK(ramp.sample(1, 0, 0) == -1.0F);
  CHECK(ramp.sample(1, 0, 1) == -0.875F);
  CHECK(ramp.sample(1, 0, 16) == 1.0F);
  CHECK(ramp.sample(9, 9, 17) == -1.0F);
}

TEST_CASE("an unknown distribution is one line that lists the choices") {
  for (const std::string text : {"", "gauss", "constant", "constant:", "constant:x", "constant:1x",
                                 "constant:inf", "constant:nan", "constant:1e39", "Normal"}) {
    CAPTURE(text);
    try {
      Distribution::parse(text);
      FAIL("accepted");
    } catch (const Error& error) {
      const std::string message = error.what();
      CHECK(message.find("'" + text + "'") != std::string::npos);
      CHECK(message.find("normal, outliers, constant:X") != std::string::npos);
      CHECK(message.find('\n') == std::string::npos);
    }
  }
}
