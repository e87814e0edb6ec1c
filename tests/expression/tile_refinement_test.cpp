// classify_exactly() and count_visible() against looking at every element.
#include "sim/expression/tile_refinement.h"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "sim/error.h"
#include "tests/expression/random_expression.h"

namespace flashscope::expression {
namespace {

struct Answer {
  Verdict verdict = Verdict::none;
  std::int64_t visible = 0;
  std::string error;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer look_at_every_element(const MaskExpression& mask, const MaskScope& scope, IndexRange q,
                             IndexRange k) {
  Answer answer;
  try {
    for (std::int64_t row = q.begin; row < q.end; ++row) {
      for (std::int64_t key = k.begin; key < k.end; ++key) {
        answer.visible += mask.visible(scope, row, key) ? 1 : 0;
      }
    }
  } catch (const Error& error) {
    return {Verdict::none, 0, error.what()};
  }
  if (answer.visible > 0) {
    answer.verdict = answer.visible == q.size() * k.size() ? Verdict::all : Verdict::some;
  }
  return answer;
}

Answer refined(const MaskExpression& mask, const MaskScope& scope, IndexRange q, IndexRange k) {
  Answer answer;
  try {
    answer.visible = count_visible(mask, scope, q, k);
    answer.verdict = classify_exactly(mask, scope, q, k);
  } catch (const Error& error) {
    return {Verdict::none, 0, error.what()};
  }
  return answer;
}

std::string error_of_classification(const MaskExpression& mask, IndexRange q, IndexRange k) {
  try {
    classify_exactly(mask, {}, q, k);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("random rectangles are classified and counted as by looking at every element") {
  int with_error = 0;
  int mixed = 0;
  for (std::uint32_t seed = 0; seed < 6000; ++seed) {
    CAPTURE(seed);
    RandomSource random(seed);
    const std::string text = random.expression(4).text;
    CAPTURE(text);
    const MaskExpression mask = MaskExpression::parse(text);
    const MaskScope scope = random.scope();
    const bool is_large = seed % 8 == 0;  // several times the area that is not split
    const IndexRange q = random.range(is_large ? 90 : 20);
    const IndexRange k = random.range(is_large ? 150 : 40);
    const Answer expected = look_at_every_element(mask, scope, q, k);
    REQUIRE(refined(mask, scope, q, k) == expected);
    with_error += expected.error.empty() ? 0 : 1;
    mixed += expected.verdict == Verdict::some ? 1 : 0;
  }
  CHECK(with_error > 200);  // the test has seen all outcomes
  CHECK(mixed > 200);
}

TEST_CASE("the visible elements of a causal mask are a triangle, however large") {
  const MaskExpression mask = MaskExpression::parse("q >= k");
  const std::int64_t n = 1 << 13;
  CHECK(count_visible(mask, {0, 0, n, n}, {0, n}, {0, n}) == n * (n + 1) / 2);
  CHECK(classify_exactly(mask, {0, 0, n, n}, {0, n}, {0, n}) == Verdict::some);
}

TEST_CASE("a mask that intervals cannot decide is decided exactly") {
  const MaskExpression same = MaskExpression::parse("(q + k) % 2 == (q - k) % 2");
  CHECK(same.classify({}, {0, 64}, {0, 64}) == Verdict::some);
  CHECK(classify_exactly(same, {}, {0, 64}, {0, 64}) == Verdict::all);
  const MaskExpression never = MaskExpression::parse("(q + k) % 2 != (q - k) % 2");
  CHECK(classify_exactly(never, {}, {0, 64}, {0, 64}) == Verdict::none);
}

TEST_CASE("the first faulting element is reported, even in a tile already known to be mixed") {
  const MaskExpression mask = MaskExpression::parse("1 / ((q - 90) * (k - 100)) == 0 && k % 2");
  CHECK(error_of_classification(mask, {0, 128}, {0, 128})
            .starts_with("mask: division by zero at q = 0, k = 100\n"));
  CHECK(error_of_classification(mask, {0, 128}, {0, 64})
            .starts_with("mask: division by zero at q = 90, k = 0\n"));
  CHECK(error_of_classification(mask, {0, 64}, {0, 64}) == "no error");
}

}  // namespace flashscope::expression
