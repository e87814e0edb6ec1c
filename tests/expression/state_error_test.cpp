// What a person reads after a mistake in a state expression: found while parsing where it shows
// there, else while evaluating.
#include <string>

#include <doctest/doctest.h>

#include "sim/error.h"
#include "tests/expression/sample_state.h"

using flashscope::Error;
using namespace flashscope::expression;

namespace {

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string parse_error(const std::string& text) {
  return error_of([&] { StateExpression::parse(text, SampleState::vocabulary()); });
}

// Of a text that parses.
std::string value_error(const std::string& text) {
  const auto expression = StateExpression::parse(text, SampleState::vocabulary());
  return error_of([&] { expression.value(SampleState()); });
}

std::string first_line(const std::string& message) { return message.substr(0, message.find('\n')); }

}  // namespace

TEST_CASE("unknown names and functions of a state expression are shown with the nearest") {
  CHECK(
      parse_error("kv_tlie > 2") ==
      "unknown name 'kv_tlie'; did you mean 'kv_tile'? known: kv_tile, tile_class, x, m, l, S, O, "
      "w, P, e, T, empty, partial, full, inf\n"
      "  kv_tlie > 2\n"
      "  ^");
  CHECK(
      first_line(parse_error("an(S)")) ==
      "unknown function 'an'; did you mean 'any'? known: any, all, max, min, sum, count, abs, exp, "
      "ln, isnan, isinf, row");
  CHECK(first_line(parse_error("row(2).mm")).starts_with("unknown name 'mm'; did you mean 'm'?"));
}

TEST_CASE("wrong numbers of arguments and indices") {
  CHECK(first_line(parse_error("max(1, 2, 3)")) == "max takes 1 or 2 arguments, not 3");
  CHECK(first_line(parse_error("any(S, l)")) == "any takes 1 argument, not 2");
  CHECK(first_line(parse_error("S[1, 2, 3]")) == "at most two indices: [row, column]");
  CHECK(value_error("l[0, 1]") ==
        "this is a vector, with one number per row: write one index\n"
        "  l[0, 1]\n"
        "   ^");
  CHECK(first_line(value_error("S[1]")) == "this tile is 3 x 4: write two indices, [row, column]");
  CHECK(first_line(value_error("row(100).S[1, 2]")) ==
        "row(...) has chosen the row already: write one index, the column");
}

TEST_CASE("numbers have no elements and no rows") {
  CHECK(parse_error("1 + kv_tile[3]") ==
        "only a tile has elements; this is a single number\n"
        "  1 + kv_tile[3]\n"
        "             ^");
  CHECK(first_line(value_error("row(100).l[0]")) == "only a tile has elements; this is a number");
  CHECK(first_line(parse_error("row(2).x")) == "'x' is a single number and has no rows");
  CHECK(first_line(parse_error("S.m")) == "only row(...) is followed by a name, as in row(200).m");
  CHECK(first_line(parse_error("row(2) > 3")) ==
        "row(...) is one row of a tile; name it: row(200).m");
  CHECK(first_line(parse_error("l[w]")) == "an index must be a number, not a tile");
  CHECK(first_line(parse_error("row(l).m")) == "a row number must be a number, not a tile");
}

TEST_CASE("indices are checked against the tile") {
  CHECK(value_error("l[1 + 2]") ==
        "row 3 is out of range: this tile has rows 0 to 2\n"
        "  l[1 + 2]\n"
        "      ^");
  CHECK(first_line(value_error("S[0, -1]")) ==
        "column -1 is out of range: this tile has columns 0 to 3");
  CHECK(first_line(value_error("l[0.5]")) == "an index must be a whole number, not 0.5");
  CHECK(first_line(value_error("row(m[2]).l")) == "a row number must be a whole number, not nan");
  CHECK(first_line(value_error("row(103).l")) == "row 103 is not in the current tile");
  CHECK(first_line(value_error("e[0]")) == "this tile holds nothing yet");
}

TEST_CASE("shapes that don't fit together are both shown") {
  CHECK(value_error("sum(S - O)") ==
        "shapes that don't fit together: 3 x 4 and 3 x 2\n"
        "  sum(S - O)\n"
        "        ^");
  CHECK(first_line(value_error("sum(S * w)")) ==
        "shapes that don't fit together: 3 x 4 and 4 rows");
  CHECK(first_line(value_error("sum(S * row(100).O)")) ==
        "shapes that don't fit together: 3 x 4 and 2 columns");
}

TEST_CASE("a tile is no condition: any() and all() are suggested") {
  CHECK(error_of([] { StateExpression::parse_condition("S > 3", SampleState::vocabulary()); }) ==
        "a condition must be one number, but this is a tile; write any(S > 3) or all(S > 3)\n"
        "  S > 3\n"
        "    ^");
  const auto row = StateExpression::parse_condition("row(100).S > 3", SampleState::vocabulary());
  CHECK(first_line(error_of([&] { row.condition(SampleState()); })) ==
        "a condition must be one number, but this is a tile; write any(row(100).S > 3) or "
        "all(row(100).S > 3)");
  CHECK(first_line(value_error("S")) ==
        "one number is wanted, but this is a tile; write max(S) or sum(S)");
}

TEST_CASE("bit operators refuse fractions") {
  CHECK(value_error("x & 1") ==
        "this operator takes whole numbers of at most 53 bits\n"
        "  x & 1\n"
        "    ^");
  CHECK(first_line(value_error("1 << 64")) == "shift by a count outside 0..63");
  CHECK(first_line(value_error("sum(O | 1)")) ==
        "this operator takes whole numbers of at most 53 bits");
}

TEST_CASE("numbers that are none, and brackets that do not close") {
  CHECK(first_line(parse_error("1.5.2")) ==
        "not a number; write it like 12, 0.5, 1e-3, 0xff or inf");
  CHECK(first_line(parse_error("1e999")) ==
        "number does not fit in a double (about 1e-307 to 1e308)");
  CHECK(first_line(parse_error("l[1")) ==
        "expected an operator, `,` or `]`, but the text ends here");
  CHECK(first_line(parse_error("l[]")) == "expected a value, found `]`");
  CHECK(first_line(parse_error("row(2).")) == "expected a name, but the text ends here");
  CHECK(first_line(parse_error("0 < l < 5")) ==
        "comparisons do not chain; write `0 < l && l < 5`, or add parentheses");
}
