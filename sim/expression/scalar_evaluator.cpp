// See scalar_evaluator.h.
#include "sim/expression/scalar_evaluator.h"

namespace flashscope::expression {
namespace {

Outcome truth_of(const Node& node, std::span<const std::int64_t> variables) {
  Outcome outcome = evaluate(node, variables);
  outcome.value = outcome.value != 0;
  return outcome;
}

}  // namespace

Outcome evaluate(const Node& node, std::span<const std::int64_t> variables) {
  if (node.kind == Node::Kind::literal) return {node.literal};
  if (node.kind == Node::Kind::variable) return {variables[node.variable]};
  const Outcome first = evaluate(*node.operands[0], variables);
  if (first.fault != Fault::none) return first;
  switch (node.operation) {
    case Operator::logical_and:
      return first.value == 0 ? Outcome{0} : truth_of(*node.operands[1], variables);
    case Operator::logical_or:
      return first.value != 0 ? Outcome{1} : truth_of(*node.operands[1], variables);
    case Operator::conditional:
      return evaluate(*node.operands[first.value != 0 ? 1 : 2], variables);
    default:
      break;
  }
  Outcome second;
  if (node.operands.size() == 2) second = evaluate(*node.operands[1], variables);
  if (second.fault != Fault::none) return second;
  const Checked result = apply(node.operation, first.value, second.value);
  return {result.value, result.fault, result.fault == Fault::none ? nullptr : &node};
}

}  // namespace flashscope::expression
