// See tree_builder.h.
#include "sim/expression/tree_builder.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sim/expression/expression_error.h"
#include "sim/expression/literal.h"

namespace flashscope::expression {
namespace {

struct Sign {
  std::string_view text;
  Operator operation;
  int precedence;  // binds tighter when larger; the table in parser.h
};

constexpr int kLoosest = 0;
constexpr int kEqualityPrecedence = 7;
constexpr int kComparisonPrecedence = 8;

constexpr std::array<Sign, 21> kInfixOperators{{
    {"||", Operator::logical_or, 1},
    {"or", Operator::logical_or, 1},
    {"&&", Operator::logical_and, 2},
    {"and", Operator::logical_and, 2},
    {"|", Operator::bit_or, 4},
    {"^", Operator::bit_xor, 5},
    {"&", Operator::bit_and, 6},
    {"==", Operator::equal, kEqualityPrecedence},
    {"!=", Operator::not_equal, kEqualityPrecedence},
    {"<", Operator::less, kComparisonPrecedence},
    {"<=", Operator::less_equal, kComparisonPrecedence},
    {">", Operator::greater, kComparisonPrecedence},
    {">=", Operator::greater_equal, kComparisonPrecedence},
    {"<<", Operator::shift_left, 9},
    {">>", Operator::shift_right, 9},
    {"+", Operator::add, 10},
    {"-", Operator::subtract, 10},
    {"*", Operator::multiply, 11},
    {"/", Operator::divide, 11},
    {"//", Operator::divide, 11},
    {"%", Operator::modulo, 11},
}};

constexpr std::array<Sign, 3> kPrefixOperators{{
    {"not", Operator::logical_not, 3},  // loose as in Python: `not q == k` negates the comparison
    {"!", Operator::logical_not, 12},
    {"-", Operator::negate, 12},
}};

const Sign& find_sign(std::span<const Sign> signs, std::string_view text) {
  const auto found =
      std::find_if(signs.begin(), signs.end(), [&](const Sign& sign) { return sign.text == text; });
  assert(found != signs.end());  // the grammar only lets through what is in the tables
  return *found;
}

bool is_comparison(Operator operation) {
  return operation >= Operator::less && operation <= Operator::not_equal;
}

std::uint64_t variable_bit(std::size_t index) { return index < 64 ? std::uint64_t{1} << index : 0; }

}  // namespace

Error TreeBuilder::error(std::size_t position, const std::string& message) const {
  return error_at(text_, position, message);
}

void TreeBuilder::begin_expression(std::size_t begin, std::size_t /*end*/) {
  if (expression_starts_.size() >= kMaxHeight) {
    throw error(begin, fmt::format("nested more than {} levels deep; simplify it", kMaxHeight));
  }
  expression_starts_.push_back(operators_.size());
}

void TreeBuilder::end_expression(std::size_t /*begin*/, std::size_t /*end*/) {
  reduce_down_to(expression_starts_.back(), kLoosest);
  expression_starts_.pop_back();
}

void TreeBuilder::add_literal(std::size_t begin, std::size_t end) {
  auto node = std::make_unique<Node>();
  if (vocabulary_.is_real) {
    node->number = real_literal(text_, begin, end);
  } else {
    node->literal = integer_literal(text_, begin, end);
  }
  node->position = begin;
  values_.push_back({std::move(node), begin, end, false});
}

std::size_t TreeBuilder::find_variable(std::size_t begin, std::size_t end) const {
  const auto& names = vocabulary_.variables;
  const auto found = std::find(names.begin(), names.end(), token(begin, end));
  if (found == names.end()) {
    const std::string_view name = token(begin, end);
    const std::string_view owner = name.substr(0, name.find('.'));
    if (owner != name && std::find(names.begin(), names.end(), owner) != names.end()) {
      throw error(begin + owner.size(),
                  vocabulary_.is_real ? "only row(...) is followed by a name, as in row(200).m"
                                      : "expected an operator or the end, found `.`; names stand "
                                        "for single numbers here");
    }
    throw error(begin, unknown_message("name", name, names));
  }
  return static_cast<std::size_t>(std::distance(names.begin(), found));
}

void TreeBuilder::add_variable(std::size_t begin, std::size_t end) {
  auto node = std::make_unique<Node>();
  node->kind = Node::Kind::variable;
  node->variable = find_variable(begin, end);
  node->variables = variable_bit(node->variable);
  node->position = begin;
  values_.push_back({std::move(node), begin, end, false});
}

void TreeBuilder::add_prefix_operator(std::size_t begin, std::size_t end) {
  const Sign& sign = find_sign(kPrefixOperators, token(begin, end));
  operators_.push_back({sign.operation, sign.precedence, 1, begin, end});
}

void TreeBuilder::add_infix_operator(std::size_t begin, std::size_t end) {
  const Sign& sign = find_sign(kInfixOperators, token(begin, end));
  const bool is_real_divide = vocabulary_.is_real && token(begin, end) == "/";
  // All infix operators group from the left: what binds as tightly and stands before goes first.
  reduce_down_to(expression_starts_.back(), sign.precedence);
  operators_.push_back(
      {is_real_divide ? Operator::real_divide : sign.operation, sign.precedence, 2, begin, end});
}

void TreeBuilder::close_group(std::size_t begin, std::size_t end) {
  Value& value = values_.back();
  value.begin = begin;
  value.end = end;
  value.in_parentheses = true;
}

void TreeBuilder::open_call(std::size_t begin, std::size_t end) {
  std::string_view name = token(begin, end);
  name = name.substr(0, name.find_first_of(" ("));
  std::vector<std::string_view> names;
  for (const Function& function : vocabulary_.functions) {
    if (function.name == name) {
      calls_.push_back({&function, values_.size()});
      return;
    }
    if (names.empty() || names.back() != function.name) names.push_back(function.name);
  }
  throw error(begin, unknown_message("function", name, names));
}

void TreeBuilder::close_call(std::size_t begin, std::size_t end) {
  const OpenCall call = calls_.back();
  calls_.pop_back();
  const std::size_t arguments = values_.size() - call.first_argument;
  const Function* functions_end = vocabulary_.functions.data() + vocabulary_.functions.size();
  std::string accepted;
  std::size_t most = 0;
  for (const Function* function = call.function;
       function != functions_end && function->name == call.function->name; ++function) {
    if (function->arguments == arguments) {
      combine(function->operation, arguments, begin, begin, end);
      return;
    }
    most = function->arguments;
    accepted += fmt::format("{}{}", accepted.empty() ? "" : " or ", most);
  }
  throw error(begin, fmt::format("{} takes {} argument{}, not {}", call.function->name, accepted,
                                 most == 1 ? "" : "s", arguments));
}

void TreeBuilder::check_postfix(std::size_t begin, std::size_t end) {
  if (vocabulary_.is_real) return;
  throw error(begin, fmt::format("expected an operator or the end, found `{}`; names stand for "
                                 "single numbers here",
                                 token(begin, end)));
}

void TreeBuilder::open_index(std::size_t begin, std::size_t end) {
  check_postfix(begin, end);
  calls_.push_back({nullptr, values_.size()});
}

void TreeBuilder::close_index(std::size_t begin, std::size_t end) {
  const std::size_t indices = values_.size() - calls_.back().first_argument;
  calls_.pop_back();
  if (indices > 2) throw error(begin, "at most two indices: [row, column]");
  const std::size_t operand_begin = values_[values_.size() - 1 - indices].begin;
  combine(Operator::element, 1 + indices, begin, operand_begin, end);
}

void TreeBuilder::add_member(std::size_t begin, std::size_t end) {
  const std::size_t variable = find_variable(begin, end);
  Node& node = combine(Operator::member, 1, begin, values_.back().begin, end);
  node.variable = variable;
  node.variables |= variable_bit(variable);
}

void TreeBuilder::add_question(std::size_t /*begin*/, std::size_t /*end*/) {
  reduce_down_to(expression_starts_.back(), kLoosest);
}

void TreeBuilder::close_conditional(std::size_t begin, std::size_t end) {
  combine(Operator::conditional, 3, begin, values_[values_.size() - 3].begin, end);
}

std::unique_ptr<const Node> TreeBuilder::finish() {
  assert(values_.size() == 1 && operators_.empty());
  return std::move(values_.back().node);
}

// Applies the pending operators from the last one back, to index `pending` at most, while they bind
// at least as tightly as `precedence`.
void TreeBuilder::reduce_down_to(std::size_t pending, int precedence) {
  while (operators_.size() > pending && operators_.back().precedence >= precedence) {
    const PendingOperator top = operators_.back();
    operators_.pop_back();
    if (is_comparison(top.operation)) reject_chained_comparison(top);
    const Value& first = values_[values_.size() - top.operands];
    const std::size_t begin = std::min(first.begin, top.begin);
    combine(top.operation, top.operands, top.begin, begin, values_.back().end);
  }
}

// C would read `0<=k<4` as (0<=k)<4, which is always true; Python as two comparisons.
void TreeBuilder::reject_chained_comparison(const PendingOperator& comparison) const {
  const auto is_open_comparison = [](const Value& value) {
    return !value.in_parentheses && value.node->kind == Node::Kind::operation &&
           is_comparison(value.node->operation);
  };
  const Value& left = values_[values_.size() - 2];
  const Value& right = values_.back();
  std::size_t middle_begin = right.begin;
  std::size_t middle_end = right.end;
  if (is_open_comparison(left)) {
    const std::size_t sign = left.node->position;
    middle_begin = text_.find_first_not_of(' ', sign + (text_[sign + 1] == '=' ? 2 : 1));
    middle_end = left.end;
  } else if (is_open_comparison(right)) {
    middle_end = text_.find_last_not_of(' ', right.node->position - 1) + 1;
  } else {
    return;
  }
  throw error(comparison.begin,
              fmt::format("comparisons do not chain; write `{} && {}`, or add parentheses",
                          token(left.begin, middle_end), token(middle_begin, right.end)));
}

// Replaces the last values by one operation on them.
Node& TreeBuilder::combine(Operator operation, std::size_t operand_count, std::size_t position,
                           std::size_t begin, std::size_t end) {
  auto node = std::make_unique<Node>();
  Node& combined = *node;
  node->kind = Node::Kind::operation;
  node->operation = operation;
  node->position = position;
  const auto first = values_.end() - static_cast<std::ptrdiff_t>(operand_count);
  for (auto value = first; value != values_.end(); ++value) {
    node->height = std::max(node->height, value->node->height + 1);
    node->variables |= value->node->variables;
    node->operands.push_back(std::move(value->node));
  }
  values_.erase(first, values_.end());
  if (node->height > kMaxHeight) {
    throw error(position, fmt::format("nested more than {} levels deep; simplify it", kMaxHeight));
  }
  values_.push_back({std::move(node), begin, end, false});
  return combined;
}

}  // namespace flashscope::expression
