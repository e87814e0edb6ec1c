// See mask_expression.h: gives the tree walkers the variables of a mask and words their faults.
#include "sim/expression/mask_expression.h"

#include <algorithm>
#include <array>
#include <cassert>

#include <fmt/format.h>

#include "sim/expression/block_evaluator.h"
#include "sim/expression/expression_error.h"
#include "sim/expression/parser.h"
#include "sim/expression/scalar_evaluator.h"

namespace flashscope::expression {
namespace {

constexpr std::array<std::string_view, 6> kVariables{"b", "h", "q", "k", "q_len", "kv_len"};
constexpr std::size_t kBatch = 0;  // indices in kVariables
constexpr std::size_t kHead = 1;
constexpr std::size_t kKey = 3;

constexpr std::array<Function, 3> kFunctions{
    {{"min", Operator::minimum, 2}, {"max", Operator::maximum, 2}, {"abs", Operator::absolute, 1}}};

using Values = std::array<std::int64_t, kVariables.size()>;  // in the order of kVariables

Values values_at(const MaskScope& scope, std::int64_t q, std::int64_t k) {
  return {scope.batch, scope.head, q, k, scope.q_len, scope.kv_len};
}

std::string_view words(Fault fault) {
  switch (fault) {
    case Fault::overflow:
      return "result does not fit in 64 bits";
    case Fault::division_by_zero:
      return "division by zero";
    case Fault::shift_count:
      return "shift by a count outside 0..63";
    case Fault::none:
      break;
  }
  assert(false);
  return "";
}

}  // namespace

MaskExpression MaskExpression::parse(std::string_view text) {
  MaskExpression expression;
  expression.root_ = parse_expression(text, {kVariables, kFunctions});
  expression.text_ = text;
  expression.uses_batch_ = expression.root_->uses(kBatch);
  expression.uses_head_ = expression.root_->uses(kHead);
  return expression;
}

bool MaskExpression::visible(const MaskScope& scope, std::int64_t q, std::int64_t k) const {
  const Outcome outcome = evaluate(*root_, values_at(scope, q, k));
  if (outcome.fault != Fault::none) {
    throw error_at(text_, outcome.culprit->position,
                   fmt::format("mask: {} at q = {}, k = {}", words(outcome.fault), q, k));
  }
  return outcome.value != 0;
}

void MaskExpression::visible_row(const MaskScope& scope, std::int64_t q, std::int64_t k_begin,
                                 std::span<std::uint8_t> out) const {
  Values values = values_at(scope, q, k_begin);
  Block block;
  while (!out.empty()) {
    const std::int64_t k = values[kKey];
    const std::size_t count = std::min(out.size(), kBlockLanes);
    if (evaluate_block(*root_, values, kKey, block)) {
      for (std::size_t n = 0; n < count; ++n) out[n] = block[n] != 0;
    } else {
      for (std::size_t n = 0; n < count; ++n) {
        out[n] = visible(scope, q, k + static_cast<std::int64_t>(n));
      }
    }
    values[kKey] += static_cast<std::int64_t>(count);
    out = out.subspan(count);
  }
}

std::optional<Interval> MaskExpression::bounds(const MaskScope& scope, IndexRange q,
                                               IndexRange k) const {
  assert(!q.empty() && !k.empty());
  const Values low = values_at(scope, q.begin, k.begin);
  const Values high = values_at(scope, q.end - 1, k.end - 1);
  std::array<Interval, kVariables.size()> variables;
  for (std::size_t i = 0; i < variables.size(); ++i) variables[i] = {low[i], high[i]};
  return bounds_of(*root_, variables);
}

Verdict MaskExpression::classify(const MaskScope& scope, IndexRange q, IndexRange k) const {
  if (q.empty() || k.empty()) return Verdict::none;
  const std::optional<Interval> value = bounds(scope, q, k);
  if (!value) return Verdict::some;
  if (!value->contains(0)) return Verdict::all;
  return value->low == value->high ? Verdict::none : Verdict::some;
}

}  // namespace flashscope::expression
