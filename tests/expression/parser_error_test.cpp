// What a person reads after a typing mistake: the message, the text and the caret, character by
// character. Faults while evaluating are in evaluation_test.cpp.
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "sim/error.h"
#include "sim/expression/mask_expression.h"
#include "sim/expression/parser.h"

using flashscope::Error;
using flashscope::expression::kMaxTextLength;
using flashscope::expression::MaskExpression;

namespace {

std::string error_of(std::string_view text) {
  try {
    MaskExpression::parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

std::string repeated(std::string_view part, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += part;
  return text;
}

}  // namespace

TEST_CASE("an unknown name is shown with the known ones and a caret") {
  CHECK(error_of("q >= w") ==
        "unknown name 'w'; known: b, h, q, k, q_len, kv_len\n"
        "  q >= w\n"
        "       ^");
  CHECK(first_line(error_of("qlen > 3")) ==
        "unknown name 'qlen'; did you mean 'q_len'? known: b, h, q, k, q_len, kv_len");
  CHECK(first_line(error_of("kvlen")).find("did you mean 'kv_len'?") != std::string::npos);
  CHECK(error_of("1 + mix(q, k)") ==
        "unknown function 'mix'; did you mean 'min'? known: min, max, abs\n"
        "  1 + mix(q, k)\n"
        "      ^");
}

TEST_CASE("a single = suggests ==") {
  CHECK(error_of("q = k") ==
        "expected an operator or the end, found `=`; to compare, write `==`\n"
        "  q = k\n"
        "    ^");
}

TEST_CASE("comparisons written the wrong way round are shown the right way") {
  CHECK(first_line(error_of("q => k")).ends_with("found `=`; write `>=`"));
  CHECK(first_line(error_of("q =< k")).ends_with("found `=`; write `<=`"));
}

TEST_CASE("chained comparisons are rejected with what to write instead") {
  CHECK(error_of("0<=k<4") ==
        "comparisons do not chain; write `0<=k && k<4`, or add parentheses\n"
        "  0<=k<4\n"
        "      ^");
  CHECK(first_line(error_of("q == k < 4")) ==
        "comparisons do not chain; write `q == k && k < 4`, or add parentheses");
  CHECK(first_line(error_of("0 < -(k) <= q+1")) ==
        "comparisons do not chain; write `0 < -(k) && -(k) <= q+1`, or add parentheses");
  CHECK(error_of("(0<=k)<4") == "no error");
  CHECK(error_of("0<=(k<4)") == "no error");
}

TEST_CASE("syntax errors say what is missing where") {
  CHECK(error_of("q >=") ==
        "expected a value, but the text ends here\n"
        "  q >=\n"
        "      ^");
  CHECK(first_line(error_of("")) == "expected a value, but the text ends here");
  CHECK(first_line(error_of("q >= )")) == "expected a value, found `)`");
  CHECK(first_line(error_of("q k")) == "expected an operator or the end, found `k`");
  CHECK(first_line(error_of("(q + k")) == "expected an operator or `)`, but the text ends here");
  CHECK(first_line(error_of("q + k)")) == "expected an operator or the end, found `)`");
  CHECK(first_line(error_of("min(q, k")) ==
        "expected an operator, `,` or `)`, but the text ends here");
  CHECK(first_line(error_of("q ? k")) ==
        "expected an operator or the `:` of `? :`, but the text ends here");
  CHECK(first_line(error_of("and q")) == "expected a value, found `a`");
  CHECK(first_line(error_of("min()")) == "expected a value, found `)`");
}

TEST_CASE("the number of arguments is checked") {
  CHECK(error_of("k + min(q)") ==
        "min takes 2 arguments, not 1\n"
        "  k + min(q)\n"
        "      ^");
  CHECK(first_line(error_of("abs(q, k)")) == "abs takes 1 argument, not 2");
}

TEST_CASE("numbers that are none or too large are rejected") {
  CHECK(error_of("9223372036854775807") == "no error");
  CHECK(error_of("k < 9223372036854775808") ==
        "number does not fit in 64 bits; the largest is 9223372036854775807\n"
        "  k < 9223372036854775808\n"
        "      ^");
  const std::string not_integer = "not an integer; write digits, or 0x and hexadecimal digits";
  for (const char* text : {"1.5", "12ab", "0x", "0xfg", "1e3"}) {
    CHECK(first_line(error_of(text)) == not_integer);
  }
}

TEST_CASE("bytes that are not plain ASCII are named and never printed") {
  CHECK(error_of("q \x1b[31m k") ==
        "byte 0x1b is not allowed; write plain ASCII on one line\n"
        "  q ?[31m k\n"
        "    ^");
  CHECK(first_line(error_of("q \xe2\x89\xa5 k")) ==
        "byte 0xe2 is not allowed; write plain ASCII on one line");
  CHECK(first_line(error_of("q\n>= k")) ==
        "byte 0x0a is not allowed; write plain ASCII on one line");
  CHECK(first_line(error_of(std::string_view("q\0", 2))) ==
        "byte 0x00 is not allowed; write plain ASCII on one line");
}

TEST_CASE("nesting beyond the limit is an error, not a crash") {
  const std::string message = "nested more than 200 levels deep; simplify it";
  for (const char* part :
       {"(", "-", "min(", "abs(", "1?", "1?1:", "!", "not ", "1+", "1<<(", "-("}) {
    CAPTURE(part);
    const std::size_t times = (kMaxTextLength - 2000) / std::string_view(part).size();
    CHECK(first_line(error_of(repeated(part, times) + "1")) == message);
  }
}

TEST_CASE("long texts are refused and errors show only a part of them") {
  const std::string message = error_of(std::string(1'000'000, '-'));
  CHECK(first_line(message) == "the expression has 1000000 characters; at most 4096 are allowed");
  CHECK(message.size() < 300);
  CHECK(error_of(repeated("k+", 100) + "w" + repeated("+q", 100)).size() < 300);
  CHECK(error_of(repeated(" ", 500) + std::string(3000, 'w')).size() < 300);
  CHECK(error_of(repeated("q+", 50) + "w") ==
        "unknown name 'w'; known: b, h, q, k, q_len, kv_len\n"
        "  ..." +
            repeated("q+", 30) +
            "w\n"
            "  " +
            std::string(63, ' ') + "^");
}
