// Proves the accuracy of sim/machine/exponential.h against std::exp in fp64 on a dense sweep, and
// the exact values at the edges that a softmax relies on.
#include "sim/machine/exponential.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

using namespace flashscope;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// |computed - e^x| in units of the last place of e^x.
double error_in_ulp(float x, float computed) {
  const double exact = std::exp(static_cast<double>(x));
  const double ulp = std::ldexp(1.0, std::ilogb(exact) - 23);
  return std::fabs(static_cast<double>(computed) - exact) / ulp;
}

// Every `step`-th fp32 value between two of one sign.
std::vector<float> sweep(float nearest_zero, float farthest, std::uint32_t step) {
  std::vector<float> values;
  const std::uint32_t last = std::bit_cast<std::uint32_t>(farthest);
  for (std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest_zero); bits <= last;
       bits += step) {
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

}  // namespace

TEST_CASE("exponential is within 1.1 ulp over the whole range") {
  for (const std::vector<float>& values :
       {sweep(-1e-8F, -87.3365F, 499), sweep(1e-8F, 88.7228F, 499)}) {
    REQUIRE(values.size() > 100'000);
    double worst = 0;
    for (const float x : values) worst = std::fmax(worst, error_in_ulp(x, exponential(x)));
    CHECK(worst < 1.1);
  }
}

TEST_CASE("exponential is exact at zero and at the infinities") {
  CHECK(exponential(0.0F) == 1.0F);
  CHECK(exponential(-0.0F) == 1.0F);
  CHECK(exponential(-kInfinity) == 0.0F);
  CHECK_FALSE(std::signbit(exponential(-kInfinity)));
  CHECK(exponential(kInfinity) == kInfinity);
  CHECK(std::isnan(exponential(std::numeric_limits<float>::quiet_NaN())));
  CHECK(std::isnan(exponential(-std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("exponential overflows to infinity where fp32 ends and is 0 below the normal numbers") {
  CHECK(std::isfinite(exponential(88.722831F)));
  CHECK(exponential(88.722839F) == kInfinity);
  CHECK(exponential(1e30F) == kInfinity);
  CHECK(exponential(-87.33654F) >= std::numeric_limits<float>::min());
  CHECK(exponential(-87.33655F) == 0.0F);
  CHECK(exponential(-1e30F) == 0.0F);
}

TEST_CASE("exponential never falls while x rises") {
  float previous = 0;
  for (float x = -90.0F; x < 90.0F; x += 0.001F) {
    const float value = exponential(x);
    REQUIRE(value >= previous);
    previous = value;
  }
}

TEST_CASE("the bulk forms give the bits of the scalar one") {
  std::vector<float> in = sweep(-1e-3F, -100.0F, 40'009);
  for (const float x : sweep(1e-3F, 100.0F, 40'009)) in.push_back(x);
  for (const float x : {kInfinity, -kInfinity, 0.0F}) in.push_back(x);
  std::vector<float> out(in.size());
  exponential(in.data(), out.data(), in.size());
  std::vector<float> in_place = in;
  exponential_in_place(in_place);
  for (std::size_t i = 0; i < in.size(); ++i) {
    CAPTURE(in[i]);
    REQUIRE(std::bit_cast<std::uint32_t>(out[i]) ==
            std::bit_cast<std::uint32_t>(exponential(in[i])));
    REQUIRE(std::bit_cast<std::uint32_t>(in_place[i]) == std::bit_cast<std::uint32_t>(out[i]));
  }
}

TEST_CASE("exponential has the same bits on every machine and compiler") {
  std::uint64_t digest = 0xcbf29ce484222325;  // FNV-1a
  for (const float sign : {-1.0F, 1.0F}) {
    for (const float magnitude : sweep(1e-6F, 90.0F, 997)) {
      digest ^= std::bit_cast<std::uint32_t>(exponential(sign * magnitude));
      digest *= 0x100000001b3;
    }
  }
  CHECK(digest == 0xeefa927cd7d1e730);
}
