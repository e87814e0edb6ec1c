// Bounds over rectangles: tight where masks need it, and never wrong.
#include <cstdint>
#include <optional>
#include <string_view>

#include <doctest/doctest.h>

#include "sim/expression/mask_expression.h"
#include "tests/expression/random_expression.h"

namespace flashscope::expression {
namespace {

constexpr MaskScope kScope{0, 0, 256, 256};

Verdict verdict(std::string_view text, IndexRange q, IndexRange k) {
  return MaskExpression::parse(text).classify(kScope, q, k);
}

std::optional<Interval> bounds(std::string_view text, IndexRange q, IndexRange k) {
  return MaskExpression::parse(text).bounds(kScope, q, k);
}

}  // namespace

TEST_CASE("tiles of a causal mask are classified exactly") {
  CHECK(verdict("q >= k", {0, 16}, {16, 32}) == Verdict::none);
  CHECK(verdict("q >= k", {0, 17}, {16, 32}) == Verdict::some);
  CHECK(verdict("q >= k", {15, 31}, {0, 16}) == Verdict::all);
  CHECK(verdict("q >= k", {14, 31}, {0, 16}) == Verdict::some);
  CHECK(verdict("k <= q + kv_len - q_len", {15, 31}, {0, 16}) == Verdict::all);
}

TEST_CASE("window, sinks and blocks of keys are decided away from their borders") {
  const char* text = "q>=k && q-k<128 || k<4";
  CHECK(verdict(text, {192, 256}, {0, 4}) == Verdict::all);
  CHECK(verdict(text, {192, 256}, {4, 64}) == Verdict::none);
  CHECK(verdict(text, {192, 256}, {0, 64}) == Verdict::some);
  CHECK(verdict(text, {192, 256}, {129, 192}) == Verdict::all);
  CHECK(verdict("q / 64 == k / 64", {64, 128}, {64, 128}) == Verdict::all);
  CHECK(verdict("q / 64 == k / 64", {64, 128}, {128, 192}) == Verdict::none);
  CHECK(verdict("k % 64 < 32", {0, 1}, {64, 96}) == Verdict::all);
  CHECK(verdict("k % 64 < 32", {0, 1}, {96, 128}) == Verdict::none);
  CHECK(verdict("(q >= k) & (k < 4)", {8, 16}, {0, 4}) == Verdict::all);
  CHECK(verdict("(q >= k) | (k < 4)", {8, 16}, {32, 64}) == Verdict::none);
}

TEST_CASE("a possible fault leaves a tile undecided; a skipped one does not") {
  CHECK_FALSE(bounds("q / k", {0, 4}, {0, 4}));
  CHECK(bounds("q / k", {0, 4}, {1, 4}) == Interval{0, 3});
  CHECK_FALSE(bounds("q << k", {1, 2}, {0, 64}));
  CHECK_FALSE(bounds("9223372036854775807 + q", {0, 4}, {0, 4}));
  CHECK(verdict("q / k >= 0", {0, 4}, {0, 4}) == Verdict::some);
  CHECK(verdict("k >= 0 || q / k", {0, 4}, {0, 4}) == Verdict::all);
  CHECK(verdict("k < 0 && q / k", {0, 4}, {0, 4}) == Verdict::none);
  CHECK(verdict("k >= 0 ? 1 : q / k", {0, 4}, {0, 4}) == Verdict::all);
}

TEST_CASE("nothing of an empty rectangle is visible") {
  CHECK(verdict("1", {0, 0}, {0, 4}) == Verdict::none);
  CHECK(verdict("1", {0, 4}, {3, 3}) == Verdict::none);
  CHECK(verdict("1", {0, 4}, {0, 4}) == Verdict::all);
}

TEST_CASE("every value of a random expression lies in its bounds") {
  int bounded = 0;
  for (std::uint32_t seed = 0; seed < 6000; ++seed) {
    CAPTURE(seed);
    RandomSource random(seed);
    const RandomExpression expression = random.expression(4);
    const std::string& text = expression.text;
    CAPTURE(text);
    const MaskScope scope = random.scope();
    const IndexRange q = random.range(10);
    const IndexRange k = random.range(40);
    if (q.empty() || k.empty()) continue;
    const std::optional<Interval> interval = MaskExpression::parse(text).bounds(scope, q, k);
    if (!interval) continue;
    ++bounded;
    for (std::int64_t row = q.begin; row < q.end; ++row) {
      for (std::int64_t key = k.begin; key < k.end; ++key) {
        const std::optional<std::int64_t> value = expression.meaning({scope, row, key});
        CAPTURE(row);
        CAPTURE(key);
        REQUIRE(value.has_value());
        REQUIRE(interval->contains(*value));
      }
    }
  }
  CHECK(bounded > 1000);
}

}  // namespace flashscope::expression
