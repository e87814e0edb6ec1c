// See state_steps.h.
#include "sim/expression/state_steps.h"

#include <limits>
#include <memory>

#include <fmt/format.h>

#include "sim/expression/expression_error.h"
#include "sim/expression/parser.h"

namespace flashscope::expression {
namespace {

using Shape = StateStep::Shape;

constexpr std::array<Function, 14> kFunctions{{{"any", Operator::any, 1},
                                               {"all", Operator::all, 1},
                                               {"max", Operator::largest, 1},
                                               {"max", Operator::maximum, 2},
                                               {"min", Operator::smallest, 1},
                                               {"min", Operator::minimum, 2},
                                               {"sum", Operator::sum, 1},
                                               {"count", Operator::count, 1},
                                               {"abs", Operator::absolute, 1},
                                               {"exp", Operator::exponential, 1},
                                               {"ln", Operator::logarithm, 1},
                                               {"isnan", Operator::is_nan, 1},
                                               {"isinf", Operator::is_infinite, 1},
                                               {"row", Operator::row, 1}}};

bool is_operation(const Node& node, Operator operation) {
  return node.kind == Node::Kind::operation && node.operation == operation;
}

class StepBuilder {
 public:
  StepBuilder(std::string_view text, const StateVocabulary& vocabulary)
      : text_(text), vocabulary_(vocabulary) {
    names_.insert(names_.end(), vocabulary.scalars.begin(), vocabulary.scalars.end());
    names_.insert(names_.end(), vocabulary.tiles.begin(), vocabulary.tiles.end());
    for (const NamedNumber& word : vocabulary.words) names_.push_back(word.name);
    names_.push_back("inf");
  }

  StateSteps build() {
    const std::unique_ptr<const Node> root = parse_expression(text_, {names_, kFunctions, true});
    add(*root);
    return std::move(steps_);
  }

 private:
  // Each of these adds a step, after those of its operands, and returns its index.
  int add(const Node& node) {
    if (node.kind == Node::Kind::literal) return push({.number = node.number}, node);
    if (node.kind == Node::Kind::variable) return add_name(node);
    switch (node.operation) {
      case Operator::row:
        throw error_at(text_, node.position, "row(...) is one row of a tile; name it: row(200).m");
      case Operator::member:
        return add_member(node);
      case Operator::element:
        return add_element(node);
      default:
        return add_operation(node);
    }
  }

  int add_name(const Node& node) {
    std::size_t index = node.variable;
    if (index < vocabulary_.scalars.size()) {
      return push({.kind = StateStep::Kind::scalar, .index = static_cast<int>(index)}, node);
    }
    index -= vocabulary_.scalars.size();
    if (index < vocabulary_.tiles.size()) {
      return push(
          {.kind = StateStep::Kind::tile, .shape = Shape::tile, .index = static_cast<int>(index)},
          node);
    }
    index -= vocabulary_.tiles.size();
    const bool is_word = index < vocabulary_.words.size();
    return push({.number = is_word ? vocabulary_.words[index].number
                                   : std::numeric_limits<double>::infinity()},
                node);
  }

  int add_member(const Node& node) {
    const Node& row = *node.operands[0];
    if (!is_operation(row, Operator::row)) {
      throw error_at(text_, node.position, "only row(...) is followed by a name, as in row(200).m");
    }
    const int tile = add_name(node);
    if (steps_.back().kind != StateStep::Kind::tile) {
      throw error_at(text_, node.position,
                     fmt::format("'{}' is a single number and has no rows", names_[node.variable]));
    }
    const int row_number = add(*row.operands[0]);
    require_number(row_number, "a row number");
    return push({.kind = StateStep::Kind::operation,
                 .operation = Operator::member,
                 .shape = Shape::unknown,
                 .operands = {tile, row_number},
                 .operand_count = 2},
                node);
  }

  int add_element(const Node& node) {
    StateStep step{.kind = StateStep::Kind::operation, .operation = Operator::element};
    step.operands[0] = add(*node.operands[0]);
    step.operand_count = static_cast<int>(node.operands.size());
    if (steps_.back().shape == Shape::scalar) {
      throw error_at(text_, node.position, "only a tile has elements; this is a single number");
    }
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      step.operands[i] = add(*node.operands[i]);
      require_number(step.operands[i], "an index");
    }
    return push(step, node);
  }

  int add_operation(const Node& node) {
    StateStep step{.kind = StateStep::Kind::operation, .operation = node.operation};
    step.operand_count = static_cast<int>(node.operands.size());
    bool any_tile = false, any_unknown = false;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      step.operands[i] = add(*node.operands[i]);
      const Shape shape = steps_.back().shape;
      // A number decides which branch of a conditional counts: either may be a tile.
      const bool is_branch = node.operation == Operator::conditional && i > 0;
      any_tile |= shape == Shape::tile && !is_branch;
      any_unknown |= shape == Shape::unknown || (is_branch && shape == Shape::tile);
    }
    if (!is_reduction(node.operation)) {
      step.shape = any_tile ? Shape::tile : any_unknown ? Shape::unknown : Shape::scalar;
    }
    return push(step, node);
  }

  void require_number(int step, std::string_view what) const {
    const StateStep& operand = steps_[static_cast<std::size_t>(step)];
    if (operand.shape != Shape::tile) return;
    throw error_at(text_, operand.position, fmt::format("{} must be a number, not a tile", what));
  }

  int push(StateStep step, const Node& node) {
    step.position = node.position;
    steps_.push_back(step);
    return static_cast<int>(steps_.size()) - 1;
  }

  std::string_view text_;
  const StateVocabulary& vocabulary_;
  std::vector<std::string_view> names_;  // scalars, tiles, words, inf
  StateSteps steps_;
};

}  // namespace

StateSteps parse_state_steps(std::string_view text, const StateVocabulary& vocabulary) {
  return StepBuilder(text, vocabulary).build();
}

}  // namespace flashscope::expression
