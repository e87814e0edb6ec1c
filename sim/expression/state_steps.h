// The checked form of a state expression: the syntax tree laid out flat, operands before what uses
// them, with names sorted into scalars, tiles and plain numbers. Mistakes that show without the
// state are found here; values are state_evaluator.h's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/expression/ast.h"
#include "sim/expression/state_view.h"

namespace flashscope::expression {

struct StateStep {
  // What is known of the value without the state. A row of a tile is a number when that is a
  // vector.
  enum class Shape : std::uint8_t { scalar, tile, unknown };
  enum class Kind : std::uint8_t { number, scalar, tile, operation };

  Kind kind = Kind::number;
  Operator operation = Operator::negate;  // of an operation
  Shape shape = Shape::scalar;
  double number = 0;              // of a number
  int index = 0;                  // of a scalar or tile: in the StateVocabulary
  std::array<int, 3> operands{};  // of an operation: earlier steps
  int operand_count = 0;
  std::size_t position = 0;  // in the text, for errors
};

// Makes one number of a tile.
constexpr bool is_reduction(Operator operation) {
  return operation >= Operator::any && operation <= Operator::count;
}

using StateSteps = std::vector<StateStep>;  // the last one is the whole expression

// Throws Error with a caret (state_expression.h says on what). A member `row(r).m` becomes an
// operation with the operands m, r.
StateSteps parse_state_steps(std::string_view text, const StateVocabulary& vocabulary);

}  // namespace flashscope::expression
