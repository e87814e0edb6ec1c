// Builds the syntax tree while the grammar in parser.cpp recognises the text from left to right:
// operator precedence is resolved here, by the shunting-yard method (E. W. Dijkstra, 1961), so that
// the grammar stays flat. Knows nothing about the parser library.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/error.h"
#include "sim/expression/parser.h"

namespace flashscope::expression {

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const Vocabulary& vocabulary)
      : text_(text), vocabulary_(vocabulary) {}

  std::string_view text() const { return text_; }

  // Each of these has recognised text[begin, end). Every expression, also one in parentheses and an
  // argument, is begun and ended.
  void begin_expression(std::size_t begin, std::size_t end);
  void end_expression(std::size_t begin, std::size_t end);
  void add_literal(std::size_t begin, std::size_t end);
  void add_variable(std::size_t begin, std::size_t end);
  void add_prefix_operator(std::size_t begin, std::size_t end);
  void add_infix_operator(std::size_t begin, std::size_t end);
  void close_group(std::size_t begin, std::size_t end);        // (…)
  void open_call(std::size_t begin, std::size_t end);          // name(
  void close_call(std::size_t begin, std::size_t end);         // name(…)
  void open_index(std::size_t begin, std::size_t end);         // [
  void close_index(std::size_t begin, std::size_t end);        // […]
  void check_postfix(std::size_t begin, std::size_t end);      // a [ or . may stand here
  void add_member(std::size_t begin, std::size_t end);         // the name after a .
  void add_question(std::size_t begin, std::size_t end);       // the ? after a condition
  void close_conditional(std::size_t begin, std::size_t end);  // ? … : …

  std::unique_ptr<const Node> finish();

 private:
  struct Value {
    std::unique_ptr<const Node> node;
    std::size_t begin, end;  // its text, with parentheses
    bool in_parentheses;
  };
  struct PendingOperator {
    Operator operation;
    int precedence;
    std::size_t operands;
    std::size_t begin, end;  // its text
  };
  struct OpenCall {
    const Function* function;    // the first of its name; null for an index
    std::size_t first_argument;  // index in values_
  };

  std::string_view token(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }
  Error error(std::size_t position, const std::string& message) const;
  void reduce_down_to(std::size_t pending, int precedence);
  void reject_chained_comparison(const PendingOperator& comparison) const;
  Node& combine(Operator operation, std::size_t operand_count, std::size_t position,
                std::size_t begin, std::size_t end);
  std::size_t find_variable(std::size_t begin, std::size_t end) const;

  std::string_view text_;
  const Vocabulary& vocabulary_;
  std::vector<Value> values_;
  std::vector<PendingOperator> operators_;
  std::vector<std::size_t> expression_starts_;  // operators_.size() when each open one began
  std::vector<OpenCall> calls_;
};

}  // namespace flashscope::expression
