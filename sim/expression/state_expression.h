// Expressions over the state of a simulation, such as `any(alpha < 1e-3) && kv_tile > 2`: for
// breakpoints, watches, printing and quizzes. The language is that of masks (parser.h) on real
// numbers and tiles; values are doubles, integers exact up to 2^53. Besides the masks' operators:
//
//   1.5  1e-3  inf            numbers
//   a / b                     does not round; // and % round towards minus infinity, as in masks
//   m[3]  S[2, 5]             elements, counted from 0 within the tile
//   row(200).m                row 200 of the whole tensor, which must be in the current tile: a
//                             number of a vector, a row of a tile (row(200).O[3] is an element)
//   any all max min sum count of a tile: one number. count: of elements that are not zero
//   max(a, b) min(a, b) abs exp ln isnan isinf: element by element
//
// Operators work element by element. A number meets every element of a tile; a vector's entry every
// element of its row; a row every row. & | ^ << >> want whole numbers. As in IEEE 754, dividing by
// zero gives inf or NaN, and a NaN compares false (only != is true); max and min of a NaN are NaN.
// `&&`, `||` and `?:` evaluate only what they need when what decides is a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/expression/state_steps.h"
#include "sim/expression/state_view.h"

namespace flashscope::expression {

// A number (rows = columns = 1) or a copied tile.
struct StateValue {
  bool is_scalar = true;
  std::int64_t rows = 1, columns = 1;
  std::vector<double> numbers;  // (rows x columns), row by row

  double at(std::int64_t row, std::int64_t column) const {
    return numbers[static_cast<std::size_t>(row * columns + column)];
  }
};

// Immutable after parse(); safe to share between threads. Every Error is one line, then the text
// with a caret under the place.
class StateExpression {
 public:
  // Throws Error on a mistake that shows without the state: syntax, unknown names (with the
  // nearest), wrong numbers of arguments, elements of a number, and the like.
  static StateExpression parse(std::string_view text, const StateVocabulary& vocabulary);
  // Also refuses what is certain to be a tile, and suggests any() or all().
  static StateExpression parse_condition(std::string_view text, const StateVocabulary& vocabulary);

  const std::string& text() const { return text_; }

  // These throw Error on an index out of range, shapes that don't fit together, or operands that an
  // operator can't take. Something that is not there now (a row(...) in another tile, an element of
  // a tile that holds nothing yet) is an Error of value() and evaluate(), and makes the whole
  // condition() false. A tile that holds nothing makes what is computed of it element by element
  // empty: any() is false, all() is true, sum() and count() are 0, max() is -inf, min() is inf.
  double value(const StateView& view) const;    // of a number; a tile is an Error
  bool condition(const StateView& view) const;  // value() is not zero
  StateValue evaluate(const StateView& view) const;

  // Indices in the vocabulary, ascending: while none of these changes, neither does the value. (A
  // row(...) also depends on which tile is current.)
  std::vector<int> scalars_used() const { return used(StateStep::Kind::scalar); }
  std::vector<int> tiles_used() const { return used(StateStep::Kind::tile); }

 private:
  StateExpression(std::string_view text, const StateVocabulary& vocabulary);
  std::vector<int> used(StateStep::Kind kind) const;

  std::string text_;
  StateSteps steps_;
};

}  // namespace flashscope::expression
