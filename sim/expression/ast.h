// The syntax tree of an expression: what was written, not what it means for a kind of value.
// Evaluators (mask integers, intervals, simulator state) walk it; names are resolved to indices by
// the parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace flashscope::expression {

enum class Operator : std::uint8_t {
  negate,
  logical_not,
  absolute,
  multiply,
  divide,
  modulo,
  add,
  subtract,
  shift_left,
  shift_right,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  bit_and,
  bit_xor,
  bit_or,
  minimum,
  maximum,
  // The three that do not evaluate all of their operands:
  logical_and,
  logical_or,
  conditional,
  // Only over real numbers and tiles (state_expression.h), never in a mask:
  real_divide,
  exponential,
  logarithm,
  is_nan,
  is_infinite,
  any,
  all,
  largest,
  smallest,
  sum,
  count,
  row,      // row(operand), only as the operand of a member
  member,   // operand.name: Node::variable is the name
  element,  // operand[index] or operand[index, index]
};

// Trees higher than this are rejected by the parser, so that walking one recursively is safe.
constexpr int kMaxHeight = 200;

struct Node {
  enum class Kind : std::uint8_t { literal, variable, operation };

  Kind kind = Kind::literal;
  std::int64_t literal = 0;               // of a literal
  double number = 0;                      // of a literal, where the Vocabulary is real
  std::size_t variable = 0;               // of a variable or member: its index in the Vocabulary
  Operator operation = Operator::negate;  // of an operation
  std::vector<std::unique_ptr<const Node>> operands;

  std::size_t position = 0;     // where in the text an error in this node is shown
  int height = 1;               // levels of this tree
  std::uint64_t variables = 0;  // bit i < 64 is set when variable i occurs in this tree

  bool uses(std::size_t index) const { return (variables >> index & 1) != 0; }
};

}  // namespace flashscope::expression
