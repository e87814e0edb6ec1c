// What the grammar accepts and how operators bind. Wrong input is in parser_error_test.cpp.
#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/expression/ast.h"
#include "sim/expression/mask_expression.h"

using flashscope::expression::kMaxHeight;
using flashscope::expression::MaskExpression;

namespace {

constexpr std::int64_t kQ = 9;
constexpr std::int64_t kK = 4;

// The value of an expression is only visible as zero or not, so it is compared.
bool has_value(std::string_view text, std::int64_t value) {
  const std::string comparison = fmt::format("({}) == (0 {:+})", text, value);
  return MaskExpression::parse(comparison).visible({1, 2, 32, 64}, kQ, kK);
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

}  // namespace

// The compiler is the reference: the same characters are C++ and a mask.
#define CHECK_AS_IN_CPP(expression)                                           \
  do {                                                                        \
    const std::int64_t q = kQ, k = kK, b = 1, h = 2, q_len = 32, kv_len = 64; \
    static_cast<void>(q + k + b + h + q_len + kv_len);                        \
    CHECK_MESSAGE(has_value(#expression, (expression)), #expression);         \
  } while (false)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"  // precedence without parentheses is the point
TEST_CASE("operators bind as in C") {
  CHECK_AS_IN_CPP(1 + 2 * 3);
  CHECK_AS_IN_CPP((1 + 2) * 3);
  CHECK_AS_IN_CPP(20 - 5 - 3);
  CHECK_AS_IN_CPP(100 / 5 / 2 * 3 % 7);
  CHECK_AS_IN_CPP(q - k * 2 + 1 << 2 >> 1);
  CHECK_AS_IN_CPP(1 << 2 + 1);
  CHECK_AS_IN_CPP(-q + k);
  CHECK_AS_IN_CPP(-q * -k - -1);
  CHECK_AS_IN_CPP(!q + 1);
  CHECK_AS_IN_CPP(!!q);
  CHECK_AS_IN_CPP(q & 1 == 0);
  CHECK_AS_IN_CPP(q | 6 ^ 3 & 10);
  CHECK_AS_IN_CPP(q ^ k | q & k);
  CHECK_AS_IN_CPP((q > k) == (1 > 0) ? 1 : 0);
  CHECK_AS_IN_CPP(q >= k && q - k < 128 || k < 4);
  CHECK_AS_IN_CPP(1 || 0 && 0);
  CHECK_AS_IN_CPP(0 && 0 || 1);
  CHECK_AS_IN_CPP(q < k ? 1 : k < 3 ? 2 : 3);
  CHECK_AS_IN_CPP(0 ? 1 : 0 || 7);
  CHECK_AS_IN_CPP((q ? 2 : 3) + 1);
  CHECK_AS_IN_CPP(1 ? 0 ? 5 : 6 : 7);
  CHECK_AS_IN_CPP(b + h * q_len - kv_len);
  CHECK_AS_IN_CPP(0x1F + 0xa);
  CHECK_AS_IN_CPP(1 != 2 && 2 <= 2 && 3 >= 4);
}
#pragma GCC diagnostic pop

TEST_CASE("Python's words mean what they mean in Python") {
  CHECK(has_value("1 or 0 and 0", 1));
  CHECK(has_value("not 1 == 2", 1));  // not (1 == 2); C's ! would compare 0 with 2
  CHECK(has_value("!1 == 2", 0));
  CHECK(has_value("not 0 and 0", 0));
  CHECK(has_value("not not 3", 1));
  CHECK(has_value("17 // 5", 3));
  CHECK(has_value("1 and(2)", 1));
  CHECK(has_value("not(0)", 1));
}

TEST_CASE("functions and spaces") {
  CHECK(has_value("min(q,k)", 4));
  CHECK(has_value("max ( q , k ) + 1", 10));
  CHECK(has_value("abs(k-q)", 5));
  CHECK(has_value("min(max(1, 2), abs(-7) ? 3 : 4)", 2));
  CHECK(has_value("  1+1  ", 2));
  CHECK(has_value("007", 7));
}

TEST_CASE("parse keeps the text and says whether batch and head occur") {
  const MaskExpression mask = MaskExpression::parse("q >= k + b");
  CHECK(mask.text() == "q >= k + b");
  CHECK(mask.uses_batch());
  CHECK_FALSE(mask.uses_head());
  CHECK(MaskExpression::parse("min(h, k)").uses_head());
  CHECK_FALSE(MaskExpression::parse("q_len").uses_batch());
}

TEST_CASE("expressions up to the depth limit work") {
  CHECK(has_value(repeated("(", kMaxHeight - 2) + "5" + repeated(")", kMaxHeight - 2), 5));
  CHECK(has_value(repeated("-", kMaxHeight - 3) + "5", kMaxHeight % 2 == 0 ? -5 : 5));
  CHECK(has_value(repeated("1+", kMaxHeight - 3) + "1", kMaxHeight - 2));
}
