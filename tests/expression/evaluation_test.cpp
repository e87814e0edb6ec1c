// Values and faults: by hand, and against the independent meaning of random expressions.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "sim/error.h"
#include "sim/expression/mask_expression.h"
#include "tests/expression/random_expression.h"

namespace flashscope::expression {
namespace {

bool holds(std::string_view text, std::int64_t q = 0, std::int64_t k = 0) {
  return MaskExpression::parse(text).visible({0, 0, 16, 16}, q, k);
}

std::string error_of(std::string_view text, std::int64_t q = 0, std::int64_t k = 0) {
  try {
    holds(text, q, k);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// The elements of a row up to the first Error, and that Error's text.
struct Row {
  std::vector<std::uint8_t> visible;
  std::string error;
  friend bool operator==(const Row&, const Row&) = default;
};

Row row_element_by_element(const MaskExpression& mask, const Point& first, std::size_t keys) {
  Row row;
  try {
    for (std::size_t n = 0; n < keys; ++n) {
      const std::int64_t k = first.k + static_cast<std::int64_t>(n);
      row.visible.push_back(mask.visible(first.scope, first.q, k));
    }
  } catch (const Error& error) {
    row = {{}, error.what()};
  }
  return row;
}

Row row_at_once(const MaskExpression& mask, const Point& first, std::size_t keys) {
  Row row;
  row.visible.assign(keys, 7);
  try {
    mask.visible_row(first.scope, first.q, first.k, row.visible);
  } catch (const Error& error) {
    row = {{}, error.what()};
  }
  return row;
}

}  // namespace

TEST_CASE("division and remainder round towards minus infinity") {
  CHECK(holds("-7 / 2 == -4"));
  CHECK(holds("7 / -2 == -4"));
  CHECK(holds("-7 / -2 == 3"));
  CHECK(holds("-7 % 2 == 1"));
  CHECK(holds("7 % -2 == -1"));
  CHECK(holds("-8 / 2 == -4 && -8 % 2 == 0"));
  CHECK(holds("(-9223372036854775807 - 1) % -1 == 0"));
  CHECK(holds("-1 >> 5 == -1"));
  CHECK(holds("1 << 62 == 4611686018427387904"));
}

TEST_CASE("a fault names what happened, q and k, and points at the operator") {
  CHECK(error_of("1 + q / k", 3, 0) ==
        "mask: division by zero at q = 3, k = 0\n"
        "  1 + q / k\n"
        "        ^");
  CHECK(error_of("q % k", 3, 0).starts_with("mask: division by zero at q = 3, k = 0\n"));
  for (const char* text :
       {"9223372036854775807 + 1", "-9223372036854775807 - 2", "4294967296 * 2147483648",
        "-(-9223372036854775807 - 1)", "abs(-9223372036854775807 - 1)",
        "(-9223372036854775807 - 1) / -1", "1 << 63", "3 << 62", "-3 << 62"}) {
    CAPTURE(text);
    CHECK(
        error_of(text, 5, 6).starts_with("mask: result does not fit in 64 bits at q = 5, k = 6\n"));
  }
  CHECK(error_of("1 << 64").starts_with("mask: shift by a count outside 0..63 at q = 0, k = 0\n"));
  CHECK(error_of("1 >> -1").starts_with("mask: shift by a count outside 0..63 at q = 0, k = 0\n"));
}

TEST_CASE("what is skipped cannot fault, for one key and for a row of keys") {
  for (const char* text : {"k != 0 && 12 / k > 2", "k == 0 || 12 / k > 2",
                           "k == 0 ? 0 : 12 % k == 0", "q < 0 && k / 0"}) {
    CAPTURE(text);
    const MaskExpression mask = MaskExpression::parse(text);
    std::vector<std::uint8_t> row(8);
    REQUIRE_NOTHROW(mask.visible_row({}, 0, 0, row));
    for (std::size_t k = 0; k < row.size(); ++k) {
      CHECK((row[k] != 0) == mask.visible({}, 0, static_cast<std::int64_t>(k)));
    }
  }
}

TEST_CASE("the mask of the manual selects a causal window and sink keys") {
  const MaskExpression mask = MaskExpression::parse("q>=k && q-k<128 || k<4");
  for (const std::int64_t q : {0, 3, 127, 128, 131, 300}) {
    std::vector<std::uint8_t> row(400);
    mask.visible_row({0, 0, 400, 400}, q, 0, row);
    for (std::int64_t k = 0; k < 400; ++k) {
      const bool expected = (k <= q && k > q - 128) || k < 4;
      REQUIRE(row[static_cast<std::size_t>(k)] == (expected ? 1 : 0));
    }
  }
}

TEST_CASE("random expressions have the value of their independent meaning") {
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    CAPTURE(seed);
    RandomSource random(seed);
    const RandomExpression expression = random.expression(5);
    const std::string& text = expression.text;
    CAPTURE(text);
    if (text.size() > 4000) continue;
    const MaskExpression mask = MaskExpression::parse(text);
    for (int i = 0; i < 20; ++i) {
      const Point point{random.scope(), random.integer(0, 130), random.integer(0, 130)};
      const std::optional<std::int64_t> expected = expression.meaning(point);
      if (expected) {
        REQUIRE(mask.visible(point.scope, point.q, point.k) == (*expected != 0));
      } else {
        REQUIRE_THROWS_AS(mask.visible(point.scope, point.q, point.k), Error);
      }
    }
  }
}

TEST_CASE("a row has the values and the error of its elements") {
  int rows_with_error = 0;
  for (std::uint32_t seed = 0; seed < 5000; ++seed) {
    CAPTURE(seed);
    RandomSource random(seed);
    const std::string text = random.expression(5).text;
    CAPTURE(text);
    if (text.size() > 4000) continue;
    const MaskExpression mask = MaskExpression::parse(text);
    const Point first{random.scope(), random.integer(0, 130), random.integer(0, 130)};
    const auto keys = static_cast<std::size_t>(random.integer(0, 150));
    const Row expected = row_element_by_element(mask, first, keys);
    REQUIRE(row_at_once(mask, first, keys) == expected);
    if (!expected.error.empty()) ++rows_with_error;
  }
  CHECK(rows_with_error > 100);  // the test has seen both outcomes
  CHECK(rows_with_error < 4000);
}

TEST_CASE("parsing the same text again gives the same answers") {
  RandomSource random(11);
  for (int i = 0; i < 50; ++i) {
    const std::string text = random.expression(4).text;
    CAPTURE(text);
    const Point first{random.scope(), random.integer(0, 130), 0};
    const Row once = row_at_once(MaskExpression::parse(text), first, 100);
    CHECK(row_at_once(MaskExpression::parse(text), first, 100) == once);
  }
}

}  // namespace flashscope::expression
