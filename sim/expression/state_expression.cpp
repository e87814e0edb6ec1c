// See state_expression.h.
#include "sim/expression/state_expression.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/expression/expression_error.h"
#include "sim/expression/state_evaluator.h"

namespace flashscope::expression {
namespace {

constexpr std::size_t kLongestSuggestion = 40;

// Reductions that make a number of a tile: with what was written, while that is short.
std::string suggestion(const std::string& text, std::string_view first, std::string_view second) {
  const std::string argument = text.size() <= kLongestSuggestion ? text : "...";
  return fmt::format("write {}({}) or {}({})", first, argument, second, argument);
}

Error tile_as_condition(const std::string& text, std::size_t position) {
  return error_at(text, position,
                  fmt::format("a condition must be one number, but this is a tile; {}",
                              suggestion(text, "any", "all")));
}

}  // namespace

StateExpression::StateExpression(std::string_view text, const StateVocabulary& vocabulary)
    : text_(text), steps_(parse_state_steps(text_, vocabulary)) {}

StateExpression StateExpression::parse(std::string_view text, const StateVocabulary& vocabulary) {
  return {text, vocabulary};
}

StateExpression StateExpression::parse_condition(std::string_view text,
                                                 const StateVocabulary& vocabulary) {
  StateExpression expression(text, vocabulary);
  const StateStep& whole = expression.steps_.back();
  if (whole.shape == StateStep::Shape::tile) {
    throw tile_as_condition(expression.text_, whole.position);
  }
  return expression;
}

double StateExpression::value(const StateView& view) const {
  StateEvaluator evaluator(text_, steps_, view);
  const StateEvaluator::Bound& whole = evaluator.bind();
  if (whole.kind == StateEvaluator::Kind::scalar) return whole.number;
  throw error_at(
      text_, steps_.back().position,
      fmt::format("one number is wanted, but this is a tile; {}", suggestion(text_, "max", "sum")));
}

bool StateExpression::condition(const StateView& view) const {
  try {
    StateEvaluator evaluator(text_, steps_, view);
    const StateEvaluator::Bound& whole = evaluator.bind();
    if (whole.kind == StateEvaluator::Kind::scalar) return whole.number != 0;
  } catch (const NotThere&) {
    return false;
  }
  throw tile_as_condition(text_, steps_.back().position);
}

StateValue StateExpression::evaluate(const StateView& view) const {
  StateEvaluator evaluator(text_, steps_, view);
  const StateEvaluator::Bound& whole = evaluator.bind();
  StateValue result{.is_scalar = whole.kind == StateEvaluator::Kind::scalar,
                    .rows = whole.rows,
                    .columns = whole.columns,
                    .numbers = {}};
  result.numbers.resize(static_cast<std::size_t>(whole.rows * whole.columns));
  for_each_run(whole.rows, whole.columns, false,
               [&](std::int64_t row, std::int64_t column, std::size_t count) {
                 double* first = result.numbers.data() + row * whole.columns + column;
                 evaluator.fill(row, column, false, {first, count});
                 return true;
               });
  return result;
}

std::vector<int> StateExpression::used(StateStep::Kind kind) const {
  std::vector<int> indices;
  for (const StateStep& step : steps_) {
    if (step.kind == kind) indices.push_back(step.index);
  }
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

}  // namespace flashscope::expression
