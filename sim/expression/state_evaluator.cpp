// See state_evaluator.h.
#include "sim/expression/state_evaluator.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/expression/expression_error.h"

namespace flashscope::expression {
namespace {

using Kind = StateEvaluator::Kind;
using Bound = StateEvaluator::Bound;

constexpr double kLargestIndex = 9007199254740992;  // 2^53

std::string shape_text(const Bound& a) {
  switch (a.kind) {
    case Kind::vector:
      return fmt::format("{} rows", a.rows);
    case Kind::row:
      return fmt::format("{} columns", a.columns);
    default:
      return fmt::format("{} x {}", a.rows, a.columns);
  }
}

}  // namespace

Error StateEvaluator::error(const StateStep& at, const std::string& message) const {
  return error_at(text_, at.position, message);
}

NotThere StateEvaluator::not_there(const StateStep& at, const std::string& message) const {
  return NotThere(error(at, message).what());
}

const Bound& StateEvaluator::bind(int index) {
  const StateStep& step = step_at(index);
  Bound& result = bound_at(index);
  switch (step.kind) {
    case StateStep::Kind::number:
      result.number = step.number;
      break;
    case StateStep::Kind::scalar:
      result.number = view_.scalar(step.index);
      break;
    case StateStep::Kind::tile:
      result = bind_tile(step);
      break;
    case StateStep::Kind::operation:
      result = step.operation == Operator::member        ? bind_member(step)
               : step.operation == Operator::element     ? bind_element(step)
               : step.operation == Operator::conditional ? bind_conditional(step)
                                                         : bind_operation(step);
      break;
  }
  return result;
}

Bound StateEvaluator::bind_tile(const StateStep& step) const {
  const TileRef tile = view_.tile(step.index);
  Bound result{.kind = tile.is_vector ? Kind::vector : Kind::tile,
               .rows = tile.rows,
               .columns = tile.columns,
               .tile = tile,
               .along_rows = tile.is_vector || tile.row_stride <= tile.column_stride};
  if (tile.is_vector) result.tile.column_stride = 0;
  return result;
}

Bound StateEvaluator::bind_member(const StateStep& step) {
  const StateStep& tile_step = step_at(step.operands[0]);
  const Bound& whole = bind(step.operands[0]);
  const std::int64_t global_row = bind_whole_number(step.operands[1], "a row number");
  if (whole.empty()) throw not_there(tile_step, "this tile holds nothing yet");
  const auto local_row = view_.local_row(tile_step.index, global_row);
  if (!local_row || *local_row < 0 || *local_row >= whole.rows) {
    throw not_there(tile_step, fmt::format("row {} is not in the current tile", global_row));
  }
  if (whole.kind == Kind::vector) return {.number = whole.tile.at(*local_row, 0)};
  Bound result = whole;
  result.kind = Kind::row;
  result.rows = 1;
  result.tile.data += *local_row * whole.tile.row_stride;
  result.tile.row_stride = 0;
  result.along_rows = false;
  return result;
}

Bound StateEvaluator::bind_element(const StateStep& step) {
  const Bound operand = bind(step.operands[0]);
  const bool has_two = step.operand_count == 3;
  if (operand.kind == Kind::scalar) throw error(step, "only a tile has elements; this is a number");
  if (has_two && operand.kind == Kind::vector) {
    throw error(step, "this is a vector, with one number per row: write one index");
  }
  if (has_two && operand.kind == Kind::row) {
    throw error(step, "row(...) has chosen the row already: write one index, the column");
  }
  if (!has_two && operand.kind == Kind::tile) {
    throw error(step, fmt::format("this tile is {}: write two indices, [row, column]",
                                  shape_text(operand)));
  }
  std::int64_t row = 0, column = 0;
  if (operand.empty()) {
    throw not_there(step_at(step.operands[0]), "this tile holds nothing yet");
  }
  if (operand.kind != Kind::row) row = bind_index(step.operands[1], operand.rows, "row");
  if (operand.kind != Kind::vector) {
    column = bind_index(step.operands[has_two ? 2 : 1], operand.columns, "column");
  }
  Bound result;
  fill(step.operands[0], row, column, true, {&result.number, 1});
  return result;
}

std::int64_t StateEvaluator::bind_whole_number(int index, const char* what) {
  const Bound& operand = bind(index);
  if (operand.kind != Kind::scalar) {
    throw error(step_at(index), fmt::format("{} must be a number, not a tile", what));
  }
  if (!(std::abs(operand.number) <= kLargestIndex) ||
      operand.number != std::trunc(operand.number)) {
    throw error(step_at(index),
                fmt::format("{} must be a whole number, not {}", what, operand.number));
  }
  return static_cast<std::int64_t>(operand.number);
}

std::int64_t StateEvaluator::bind_index(int index, std::int64_t size, const char* what) {
  const std::int64_t value = bind_whole_number(index, "an index");
  if (value < 0 || value >= size) {
    throw error(step_at(index), fmt::format("{} {} is out of range: this tile has {}s 0 to {}",
                                            what, value, what, size - 1));
  }
  return value;
}

Bound StateEvaluator::bind_conditional(const StateStep& step) {
  const Bound& condition = bind(step.operands[0]);
  if (condition.kind == Kind::scalar) {
    const int chosen = step.operands[condition.number != 0 ? 1 : 2];
    Bound result = bind(chosen);
    result.source = chosen;
    return result;
  }
  bind(step.operands[1]);
  bind(step.operands[2]);
  return common_shape(step);
}

Bound StateEvaluator::bind_operation(const StateStep& step) {
  const Bound& first = bind(step.operands[0]);
  if (is_reduction(step.operation)) return {.number = reduce(step)};
  const bool is_and = step.operation == Operator::logical_and;
  const bool is_or = step.operation == Operator::logical_or;
  // What is certain to be a tile stays one, whatever the number on its left.
  if ((is_and || is_or) && first.kind == Kind::scalar && step.shape != StateStep::Shape::tile &&
      (first.number != 0) == is_or) {
    return {.number = is_or ? 1.0 : 0.0};
  }
  if (step.operand_count == 2) bind(step.operands[1]);
  Bound result = common_shape(step);
  if (result.kind == Kind::scalar) result.number = apply_to_numbers(step);
  return result;
}

// The shape of an element-wise result. Each operand is a number, or has as many rows (columns) as
// the others, or has none of its own.
Bound StateEvaluator::common_shape(const StateStep& step) const {
  Bound result;
  for (int i = 0; i < step.operand_count; ++i) {
    const Bound& operand = bound_at(step.operands[static_cast<std::size_t>(i)]);
    if (operand.kind == Kind::scalar) continue;
    if (result.kind == Kind::scalar) {
      result = operand;
      continue;
    }
    const bool both_rows = result.kind != Kind::row && operand.kind != Kind::row;
    const bool both_columns = result.kind != Kind::vector && operand.kind != Kind::vector;
    const bool fits = (!both_rows || result.rows == operand.rows) &&
                      (!both_columns || result.columns == operand.columns);
    if (!fits && !result.empty() && !operand.empty()) {
      throw error(step, fmt::format("shapes that don't fit together: {} and {}", shape_text(result),
                                    shape_text(operand)));
    }
    if (result.kind != operand.kind) {
      if (result.kind != Kind::tile) result.along_rows = operand.along_rows;
      result.kind = Kind::tile;
    }
    const bool nothing = result.empty() || operand.empty();
    result.rows = nothing ? 0 : std::max(result.rows, operand.rows);
    result.columns = nothing ? 0 : std::max(result.columns, operand.columns);
  }
  result.source = -1;
  return result;
}

double StateEvaluator::apply_to_numbers(const StateStep& step) const {
  double result = bound_at(step.operands[0]).number;
  const double second = step.operand_count == 2 ? bound_at(step.operands[1]).number : 0;
  check(step, apply_to_lanes(step.operation, {&result, 1}, second));
  return result;
}

}  // namespace flashscope::expression
