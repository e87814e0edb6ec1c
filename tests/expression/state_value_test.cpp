// What state expressions are worth on a state made by hand, and on random ones. Messages are in
// state_error_test.cpp; operators shared with masks bind as in parser_test.cpp.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/error.h"
#include "tests/expression/random_expression.h"
#include "tests/expression/sample_state.h"

using namespace flashscope::expression;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double value(const std::string& text) {
  return StateExpression::parse(text, SampleState::vocabulary()).value(SampleState());
}

bool condition(const std::string& text) {
  return StateExpression::parse(text, SampleState::vocabulary()).condition(SampleState());
}

StateValue evaluate(const std::string& text) {
  return StateExpression::parse(text, SampleState::vocabulary()).evaluate(SampleState());
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("numbers have fractions, exponents and infinity") {
  CHECK(value("1.5") == 1.5);
  CHECK(value(".25") == 0.25);
  CHECK(value("1e-3") == 1e-3);
  CHECK(value("2E+2 + 1e2") == 300);
  CHECK(value("0xe-3") == 11);  // not an exponent
  CHECK(value("-inf") == -kInfinity);
  CHECK(value("9007199254740991 - 1") == 9007199254740990);
}

TEST_CASE("division is real; // and % round towards minus infinity") {
  CHECK(value("7 / 2") == 3.5);
  CHECK(value("7 // 2") == 3);
  CHECK(value("-7 // 2") == -4);
  CHECK(value("-7 % 3") == 2);
  CHECK(value("7 % -3") == -2);
  CHECK(value("-7.5 % 2") == 0.5);
  CHECK(value("9007199254740991 // 9007199254740992") == 0);
  CHECK(value("1 / 0") == kInfinity);
  CHECK(std::isnan(value("0 / 0")));
  CHECK(std::isnan(value("1 % 0")));
}

TEST_CASE("bit operators and shifts work on whole numbers") {
  CHECK(value("6 & 3 | 8 ^ 1") == 11);
  CHECK(value("1 << 40 >> 38") == 4);
  CHECK(value("-5 >> 1") == -3);
}

TEST_CASE("scalars and words") {
  CHECK(value("kv_tile * x") == -5);
  CHECK(condition("tile_class == full"));
  CHECK_FALSE(condition("tile_class == partial"));
  CHECK(condition("kv_tile > 1 and not x > 0"));
}

TEST_CASE("elements of vectors and tiles") {
  CHECK(value("l[1]") == 5);
  CHECK(value("S[2, 3]") == 32);
  CHECK(value("O[1,0]") == 0.5);
  CHECK(value("S[kv_tile, kv_tile - 1]") == 12);
  CHECK(value("l [ 0 ]") == 4);
  CHECK(value("(S - l)[1, 2]") == 16);
  CHECK(value("(l * 2)[2]") == 12);
  CHECK(value("T[2, 0]") == 6);
  CHECK(value("-l[0] + S[0, 1]") == 6);
}

TEST_CASE("rows by their place in the whole tensor") {
  CHECK(value("row(101).l") == 5);
  CHECK(value("row(102).O[0]") == 1);
  CHECK(value("row(50 * kv_tile).S[3]") == 30);
  CHECK(value("max(row(101).S)") == 31);
  CHECK(value("sum(S - row(101).S)") == 0);
  CHECK(evaluate("row(101).S").numbers == Numbers{1, 11, 21, 31});
  CHECK(value("row(100) . l") == 4);
}

TEST_CASE("a row that is in another tile makes a condition false") {
  CHECK_FALSE(condition("row(7).l > 0"));
  CHECK_FALSE(condition("!(row(7).l > 0)"));
  CHECK_FALSE(condition("P[0, 0] == 0"));
  CHECK(condition("kv_tile == 2 || row(7).l > 0"));
  CHECK_THROWS_AS(value("row(7).l"), flashscope::Error);
}

TEST_CASE("operators go element by element, numbers and vectors spread") {
  CHECK(evaluate("l + 1").numbers == Numbers{5, 6, 7});
  CHECK(evaluate("1 - l").numbers == Numbers{-3, -4, -5});
  const StateValue difference = evaluate("S - l");
  CHECK(difference.rows == 3);
  CHECK(difference.columns == 4);
  CHECK_FALSE(difference.is_scalar);
  CHECK(difference.at(2, 3) == 26);
  CHECK(evaluate("l - S").at(2, 3) == -26);
  CHECK(evaluate("O").numbers == Numbers{0, -1, 0.5, -0.5, 1, 0});
  CHECK(evaluate("l == 5").numbers == Numbers{0, 1, 0});
  CHECK(evaluate("l > 4 && l < 6").numbers == Numbers{0, 1, 0});
  CHECK(evaluate("l > 4 ? l : 0").numbers == Numbers{0, 5, 6});
  CHECK(evaluate("max(l, 5)").numbers == Numbers{5, 5, 6});
  CHECK(evaluate("row(102).O + l").at(1, 0) == 6);
  CHECK(evaluate("kv_tile > 5 ? S : l").numbers == Numbers{4, 5, 6});
  CHECK(evaluate("7").is_scalar);
}

TEST_CASE("reductions make one number of a tile") {
  CHECK(value("max(S) - min(S)") == 32);
  CHECK(value("sum(S)") == 192);
  CHECK(value("sum(l * l)") == 77);
  CHECK(value("count(S > 20)") == 5);
  CHECK(value("count(S)") == 11);
  CHECK(condition("any(S == 31)"));
  CHECK_FALSE(condition("any(S == 33)"));
  CHECK(condition("all(S < 33)"));
  CHECK_FALSE(condition("all(S)"));
  CHECK(value("max(3)") == 3);
  CHECK(evaluate("l - max(l)").numbers == Numbers{-2, -1, 0});
  CHECK(value("sum(exp(ln(l)))") == doctest::Approx(15));
  CHECK(value("max(abs(O))") == 1);
}

TEST_CASE("NaN compares false, is found, and is not hidden by max") {
  CHECK_FALSE(condition("m[2] == m[2]"));
  CHECK_FALSE(condition("m[2] < inf"));
  CHECK(condition("m[2] != m[2]"));
  CHECK(evaluate("isnan(m)").numbers == Numbers{0, 0, 1});
  CHECK(evaluate("isinf(m)").numbers == Numbers{1, 0, 0});
  CHECK(std::isnan(value("max(m)")));
  CHECK(std::isnan(value("min(m[2], 1)")));
  CHECK(std::isnan(value("max(1, m[2])")));
  CHECK(value("exp(m[0])") == 0);
}

TEST_CASE("a tile that holds nothing yet") {
  CHECK_FALSE(condition("any(P > 0)"));
  CHECK(condition("all(P > 0)"));
  CHECK(value("sum(P - l)") == 0);
  CHECK(value("count(S + e)") == 0);
  CHECK(value("max(P)") == -kInfinity);
  CHECK(evaluate("P").numbers.empty());
}

TEST_CASE("&&, || and ?: leave out what a number has decided") {
  CHECK_FALSE(condition("kv_tile > 5 && l[99] > 0"));
  CHECK(condition("kv_tile < 5 || l[99] > 0"));
  CHECK(value("kv_tile > 5 ? l[99] : 1") == 1);
  CHECK(evaluate("0 && l").numbers == Numbers{0, 0, 0});
}

TEST_CASE("an expression says what it reads") {
  const auto expression = StateExpression::parse("x > 0 && any(S > l) || row(kv_tile).m > x",
                                                 SampleState::vocabulary());
  CHECK(expression.scalars_used() == std::vector<int>{0, 2});
  CHECK(expression.tiles_used() == std::vector<int>{0, 1, 2});
  CHECK(StateExpression::parse("full", SampleState::vocabulary()).scalars_used().empty());
}

TEST_CASE("long tiles in either order agree with a loop") {
  struct LongState : StateView {
    std::vector<float> numbers;
    bool by_columns = true;
    std::int64_t rows = 0, columns = 0;
    double scalar(int) const override { return 0.25; }
    TileRef tile(int index) const override {
      if (index == 1) return {numbers.data(), rows, 1, 1, 0, true};
      return by_columns ? TileRef{numbers.data(), rows, columns, 1, rows, false}
                        : TileRef{numbers.data(), rows, columns, columns, 1, false};
    }
    std::optional<std::int64_t> local_row(int, std::int64_t row) const override { return row; }
  } state;
  const StateVocabulary vocabulary{{"x"}, {"S", "m"}, {}};
  for (const auto& [rows, columns] : {std::pair{1, 300}, {130, 5}, {257, 129}, {128, 128}}) {
    for (const bool by_columns : {true, false}) {
      state.rows = rows;
      state.columns = columns;
      state.by_columns = by_columns;
      state.numbers.clear();
      for (int n = 0; n < rows * columns; ++n) {
        state.numbers.push_back(static_cast<float>(n * 7919 % 1000) / 8);
      }
      double sum = 0, largest = -kInfinity, above = 0;
      for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
          const double term =
              double{state.tile(0).at(r, c)} * 0.25 - double{state.tile(1).at(r, 0)};
          sum += term;
          largest = std::max(largest, term);
          above += term > 0 ? 1 : 0;
        }
      }
      const auto check = [&](const char* text, double expected) {
        CHECK(StateExpression::parse(text, vocabulary).value(state) == expected);
      };
      check("sum(S * x - m)", sum);  // exact: multiples of 1/32 below 2^53
      check("max(S * x - m)", largest);
      check("-min(m - x * S)", largest);
      check("count(S * x > m)", above);
      check("any(S * x - m > 0)", above > 0);
      check("all(S * x - m > 0)", above == rows * columns);
    }
  }
}

TEST_CASE("on small integers, state expressions and masks agree") {
  const StateVocabulary vocabulary{{"b", "h", "q", "k", "q_len", "kv_len"}, {}, {}};
  struct PointState : StateView {
    Point point;
    double scalar(int index) const override {
      const std::int64_t values[] = {point.scope.batch, point.scope.head,  point.q,
                                     point.k,           point.scope.q_len, point.scope.kv_len};
      return static_cast<double>(values[index]);
    }
    TileRef tile(int) const override { return {}; }
    std::optional<std::int64_t> local_row(int, std::int64_t) const override { return {}; }
  } state;
  RandomSource random(7);
  int compared = 0;
  for (int n = 0; n < 20'000; ++n) {
    RandomExpression random_expression = random.expression(3);
    std::string text = random_expression.text;
    if (text.find("<<") != std::string::npos || text.find("92233") != std::string::npos) continue;
    for (std::size_t at = 0; (at = text.find(" / ", at)) != std::string::npos;) {
      text.replace(at, 3, " // ");
    }
    state.point = {random.scope(), random.integer(0, 200), random.integer(0, 200)};
    const auto expected = random_expression.meaning(state.point);
    if (!expected) continue;
    CAPTURE(text);
    CHECK(StateExpression::parse(text, vocabulary).value(state) == static_cast<double>(*expected));
    ++compared;
  }
  CHECK(compared > 10'000);
}
