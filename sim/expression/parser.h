// Text to syntax tree. The grammar is that of C's expressions with Python's words:
//
//   loosest   c ? a : b
//             || or
//             && and
//             not
//             |
//             ^
//             &
//             == !=
//             < <= > >=
//             << >>
//             + -
//             * / // %
//             - !            (in front of a value)
//   tightest  x[i]  x[i, j]  x.name
//
// Values: decimal and 0x literals, names, calls such as min(a, b), parentheses. As in C, and unlike
// Python, `q & 1 == 0` is `q & (1 == 0)`. Comparisons do not chain. Over a real vocabulary literals
// may have a fraction and an exponent, and `/` does not round; only there are x[i] and x.name
// known. What names mean, and the arithmetic, is left to the evaluators; no tree has more than
// kMaxHeight levels.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "sim/expression/ast.h"

namespace flashscope::expression {

constexpr std::size_t kMaxTextLength = 4096;

struct Function {
  std::string_view name;
  Operator operation;
  std::size_t arguments;
};

// The names an expression may use. Functions of one name that differ in their number of arguments
// stand side by side, fewest first.
struct Vocabulary {
  std::span<const std::string_view> variables;
  std::span<const Function> functions;
  bool is_real = false;  // real numbers and tiles instead of integers
};

// Throws Error (see expression_error.h for its shape) when the text is not an expression over the
// vocabulary, is too long or too deeply nested, or holds a literal above 2^63 - 1 (real: that a
// double can't hold).
std::unique_ptr<const Node> parse_expression(std::string_view text, const Vocabulary& vocabulary);

}  // namespace flashscope::expression
