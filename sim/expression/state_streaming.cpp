// The second half of state_evaluator.h: elements of bound steps, run by run, and the reductions
// that read them.
#include <algorithm>
#include <limits>

#include "sim/expression/state_evaluator.h"

namespace flashscope::expression {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void copy_elements(const TileRef& tile, std::int64_t row, std::int64_t column, bool along_rows,
                   std::span<double> out) {
  const std::int64_t stride = along_rows ? tile.row_stride : tile.column_stride;
  const float* first = tile.data + row * tile.row_stride + column * tile.column_stride;
  if (stride == 0) {
    std::fill(out.begin(), out.end(), *first);
  } else if (stride == 1) {
    for (std::size_t n = 0; n < out.size(); ++n) out[n] = first[n];
  } else {
    for (std::size_t n = 0; n < out.size(); ++n)
      out[n] = first[static_cast<std::int64_t>(n) * stride];
  }
}

}  // namespace

void StateEvaluator::check(const StateStep& step, LaneFault fault) const {
  switch (fault) {
    case LaneFault::none:
      return;
    case LaneFault::not_whole:
      throw error(step, "this operator takes whole numbers of at most 53 bits");
    case LaneFault::shift_count:
      throw error(step, "shift by a count outside 0..63");
  }
}

void StateEvaluator::fill(int index, std::int64_t row, std::int64_t column, bool along_rows,
                          std::span<double> out) const {
  const Bound& result = bound_at(index);
  if (result.kind == Kind::scalar) {
    std::fill(out.begin(), out.end(), result.number);
  } else if (result.source >= 0) {
    fill(result.source, row, column, along_rows, out);
  } else if (step_at(index).kind == StateStep::Kind::tile ||
             step_at(index).operation == Operator::member) {
    copy_elements(result.tile, row, column, along_rows, out);
  } else {
    fill_operation(step_at(index), row, column, along_rows, out);
  }
}

void StateEvaluator::fill_operation(const StateStep& step, std::int64_t row, std::int64_t column,
                                    bool along_rows, std::span<double> out) const {
  fill(step.operands[0], row, column, along_rows, out);
  if (step.operand_count == 1) {
    check(step, apply_to_lanes(step.operation, out, 0.0));
    return;
  }
  const Bound& right = bound_at(step.operands[1]);
  if (step.operand_count == 2 && right.kind == Kind::scalar) {
    check(step, apply_to_lanes(step.operation, out, right.number));
    return;
  }
  Lanes second;
  fill(step.operands[1], row, column, along_rows, {second.data(), out.size()});
  if (step.operand_count == 2) {
    check(step, apply_to_lanes(step.operation, out, second.data()));
    return;
  }
  Lanes third;
  fill(step.operands[2], row, column, along_rows, {third.data(), out.size()});
  select_lanes(out, second.data(), third.data());
}

double StateEvaluator::reduce(const StateStep& step) const {
  const int operand = step.operands[0];
  const Bound& tile = bound_at(operand);
  Lanes lanes;
  if (step.operation == Operator::any || step.operation == Operator::all ||
      step.operation == Operator::count) {
    std::int64_t nonzero = 0, seen = 0;
    for_each_run(tile.rows, tile.columns, tile.along_rows,
                 [&](std::int64_t row, std::int64_t column, std::size_t count) {
                   const std::span<double> run(lanes.data(), count);
                   fill(operand, row, column, tile.along_rows, run);
                   nonzero += count_nonzero(run);
                   seen += static_cast<std::int64_t>(count);
                   if (step.operation == Operator::any) return nonzero == 0;
                   return step.operation == Operator::count || nonzero == seen;
                 });
    if (step.operation == Operator::count) return static_cast<double>(nonzero);
    return (step.operation == Operator::any ? nonzero > 0 : nonzero == seen) ? 1 : 0;
  }
  const Operator combine = step.operation == Operator::sum       ? Operator::add
                           : step.operation == Operator::largest ? Operator::maximum
                                                                 : Operator::minimum;
  const double start = combine == Operator::add       ? 0
                       : combine == Operator::maximum ? -kInfinity
                                                      : kInfinity;
  Lanes partial;  // one result per lane, so that the loops over lanes are vector instructions
  partial.fill(start);
  for_each_run(tile.rows, tile.columns, tile.along_rows,
               [&](std::int64_t row, std::int64_t column, std::size_t count) {
                 fill(operand, row, column, tile.along_rows, {lanes.data(), count});
                 apply_to_lanes(combine, {partial.data(), count}, lanes.data());
                 return true;
               });
  double result = start;
  for (const double lane : partial) apply_to_lanes(combine, {&result, 1}, lane);
  return result;
}

}  // namespace flashscope::expression
