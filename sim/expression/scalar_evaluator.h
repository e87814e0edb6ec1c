// The value of an expression at one point. Reports a fault instead of throwing: the caller knows
// the text and the names that belong into a message.
#pragma once

#include <cstdint>
#include <span>

#include "sim/expression/arithmetic.h"
#include "sim/expression/ast.h"

namespace flashscope::expression {

struct Outcome {
  std::int64_t value = 0;
  Fault fault = Fault::none;
  const Node* culprit = nullptr;  // the operation at fault
};

// `&&`, `||` and `?:` evaluate only what they need. variables[i]: variable i of the vocabulary.
Outcome evaluate(const Node& node, std::span<const std::int64_t> variables);

}  // namespace flashscope::expression
