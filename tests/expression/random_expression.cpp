// See random_expression.h.
#include "tests/expression/random_expression.h"

#include <array>
#include <limits>
#include <string_view>

namespace flashscope::expression {
namespace {

__extension__ using Wide = __int128;  // every operation on two 64-bit values is exact in it
using Value = std::optional<std::int64_t>;

Value narrow(Wide wide) {
  if (wide < std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  if (wide > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(wide);
}

Value divide(Wide a, Wide b) {
  if (b == 0) return std::nullopt;
  Wide quotient = a / b;
  while (quotient * b > a && b > 0) --quotient;
  while (quotient * b < a && b < 0) --quotient;
  return narrow(quotient);
}

// From the definition a = (a / b) * b + a % b.
Value modulo(Wide a, Wide b) {
  if (b == 0) return std::nullopt;
  Wide remainder = a % b;
  if (b > 0)
    while (remainder < 0) remainder += b;
  if (b < 0)
    while (remainder > 0) remainder += b;
  return narrow(remainder);
}

Value shift(std::string_view sign, Wide a, Wide count) {
  if (count < 0 || count > 63) return std::nullopt;
  const Wide power = Wide{1} << static_cast<int>(count);
  return sign == "<<" ? narrow(a * power) : divide(a, power);
}

Value calculate(std::string_view sign, std::int64_t a, std::int64_t b) {
  if (sign == "+") return narrow(Wide{a} + b);
  if (sign == "-") return narrow(Wide{a} - b);
  if (sign == "*") return narrow(Wide{a} * b);
  if (sign == "/" || sign == "//") return divide(a, b);
  if (sign == "%") return modulo(a, b);
  if (sign == "<<" || sign == ">>") return shift(sign, a, b);
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  if (sign == ">") return a > b;
  if (sign == ">=") return a >= b;
  if (sign == "&") return a & b;
  if (sign == "|") return a | b;
  if (sign == "^") return a ^ b;
  if (sign == "min") return a < b ? a : b;
  return a < b ? b : a;  // max
}

constexpr std::array<std::string_view, 23> kSigns{"+",  "-",  "*",   "/",  "//", "%",   "<<", ">>",
                                                  "==", "!=", "<",   "<=", ">",  ">=",  "&",  "|",
                                                  "^",  "&&", "and", "||", "or", "min", "max"};

Meaning short_circuit(bool is_and, const Meaning& left, const Meaning& right) {
  return [=](const Point& point) -> Value {
    const Value first = left(point);
    if (!first) return std::nullopt;
    if ((*first != 0) != is_and) return !is_and;
    const Value second = right(point);
    if (!second) return std::nullopt;
    return *second != 0;
  };
}

}  // namespace

std::int64_t RandomSource::integer(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
}

RandomExpression RandomSource::leaf() {
  switch (integer(0, 13)) {
    case 0:
      return {"b", [](const Point& point) { return point.scope.batch; }};
    case 1:
      return {"h", [](const Point& point) { return point.scope.head; }};
    case 2:
      return {"q_len", [](const Point& point) { return point.scope.q_len; }};
    case 3:
      return {"kv_len", [](const Point& point) { return point.scope.kv_len; }};
    case 4:
    case 5:
    case 6:
      return {"q", [](const Point& point) { return point.q; }};
    case 7:
    case 8:
    case 9:
      return {"k", [](const Point& point) { return point.k; }};
    default:
      break;
  }
  const bool is_huge = integer(0, 15) == 0;
  const std::int64_t literal = is_huge ? std::numeric_limits<std::int64_t>::max() - integer(0, 3)
                               : integer(0, 2) == 0 ? std::int64_t{1} << integer(0, 8)
                                                    : integer(0, 70);
  return {std::to_string(literal), [literal](const Point&) { return literal; }};
}

RandomExpression RandomSource::unary(int levels) {
  const RandomExpression operand = expression(levels - 1);
  const Meaning value = operand.meaning;
  switch (integer(0, 3)) {
    case 0:
      return {"(-" + operand.text + ")", [value](const Point& point) -> Value {
                const Value a = value(point);
                return a ? narrow(-Wide{*a}) : a;
              }};
    case 1:
      return {"abs(" + operand.text + ")", [value](const Point& point) -> Value {
                const Value a = value(point);
                return a ? narrow(*a < 0 ? -Wide{*a} : Wide{*a}) : a;
              }};
    default:
      return {(integer(0, 1) == 0 ? "(!" : "(not ") + operand.text + ")",
              [value](const Point& point) -> Value {
                const Value a = value(point);
                return a ? Value(*a == 0) : a;
              }};
  }
}

RandomExpression RandomSource::binary(int levels) {
  const RandomExpression left = expression(levels - 1);
  const RandomExpression right = expression(levels - 1);
  const auto last = static_cast<std::int64_t>(kSigns.size()) - 1;
  const std::string sign(kSigns[static_cast<std::size_t>(integer(0, last))]);
  const bool is_call = sign == "min" || sign == "max";
  const std::string text = is_call ? sign + "(" + left.text + ", " + right.text + ")"
                                   : "(" + left.text + " " + sign + " " + right.text + ")";
  if (sign == "&&" || sign == "and")
    return {text, short_circuit(true, left.meaning, right.meaning)};
  if (sign == "||" || sign == "or")
    return {text, short_circuit(false, left.meaning, right.meaning)};
  return {text, [sign, a = left.meaning, b = right.meaning](const Point& point) -> Value {
            const Value first = a(point);
            const Value second = b(point);
            return first && second ? calculate(sign, *first, *second) : std::nullopt;
          }};
}

RandomExpression RandomSource::conditional(int levels) {
  const RandomExpression condition = expression(levels - 1);
  const RandomExpression first = expression(levels - 1);
  const RandomExpression second = expression(levels - 1);
  return {"(" + condition.text + " ? " + first.text + " : " + second.text + ")",
          [c = condition.meaning, a = first.meaning, b = second.meaning](const Point& point) {
            const Value chosen = c(point);
            return !chosen ? chosen : *chosen != 0 ? a(point) : b(point);
          }};
}

RandomExpression RandomSource::expression(int levels) {
  if (levels <= 1) return leaf();
  switch (integer(0, 9)) {
    case 0:
      return leaf();
    case 1:
      return unary(levels);
    case 2:
      return conditional(levels);
    default:
      return binary(levels);
  }
}

MaskScope RandomSource::scope() {
  return {integer(0, 3), integer(0, 7), integer(0, 200), integer(0, 200)};
}

IndexRange RandomSource::range(std::int64_t longest) {
  const std::int64_t begin = integer(0, 150);
  return {begin, begin + integer(0, longest)};
}

}  // namespace flashscope::expression
