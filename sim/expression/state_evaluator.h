// Evaluates a checked state expression on one view. First every step is bound: numbers are
// computed, tiles are found and shapes fitted together. What remains are tiles computed element by
// element; they are never stored but produced lane by lane for whoever reads them, a reduction or a
// copy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/error.h"
#include "sim/expression/state_lanes.h"
#include "sim/expression/state_steps.h"
#include "sim/expression/state_view.h"

namespace flashscope::expression {

// What the expression asks for is not there now: another tile is current, or this one is empty.
class NotThere : public Error {
 public:
  using Error::Error;
};

class StateEvaluator {
 public:
  // All three must outlive the evaluator. One evaluator is one evaluation.
  StateEvaluator(std::string_view text, const StateSteps& steps, const StateView& view)
      : text_(text), steps_(steps), view_(view), bound_(steps.size()) {}

  enum class Kind : std::uint8_t { scalar, vector, row, tile };  // vector: a number per row

  // A step that was needed. Coordinates of a vector's missing column or a row's missing row are
  // ignored, so that any coordinates of a shape it fits into will do.
  struct Bound {
    Kind kind = Kind::scalar;
    double number = 0;  // of a scalar
    std::int64_t rows = 1, columns = 1;
    TileRef tile = {};       // of a tile that lies somewhere
    bool along_rows = true;  // whether lanes that run down the rows read faster
    int source = -1;         // the step that is this one's value, when another is
    bool empty() const { return rows == 0 || columns == 0; }
  };

  // The whole expression. Throws Error (state_expression.h), NotThere among them.
  const Bound& bind() { return bind(static_cast<int>(steps_.size()) - 1); }

  // Elements of the whole expression, after bind(): (row, column) and those after it, down the rows
  // or along the columns.
  void fill(std::int64_t row, std::int64_t column, bool along_rows, std::span<double> out) const {
    fill(static_cast<int>(steps_.size()) - 1, row, column, along_rows, out);
  }

 private:
  const StateStep& step_at(int index) const { return steps_[static_cast<std::size_t>(index)]; }
  Bound& bound_at(int index) { return bound_[static_cast<std::size_t>(index)]; }
  const Bound& bound_at(int index) const { return bound_[static_cast<std::size_t>(index)]; }
  Error error(const StateStep& at, const std::string& message) const;
  NotThere not_there(const StateStep& at, const std::string& message) const;

  const Bound& bind(int index);
  Bound bind_tile(const StateStep& step) const;
  Bound bind_member(const StateStep& step);
  Bound bind_element(const StateStep& step);
  Bound bind_conditional(const StateStep& step);
  Bound bind_operation(const StateStep& step);
  std::int64_t bind_whole_number(int index, const char* what);
  std::int64_t bind_index(int index, std::int64_t size, const char* what);
  Bound common_shape(const StateStep& step) const;
  double apply_to_numbers(const StateStep& step) const;
  double reduce(const StateStep& step) const;

  void fill(int index, std::int64_t row, std::int64_t column, bool along_rows,
            std::span<double> out) const;
  void fill_operation(const StateStep& step, std::int64_t row, std::int64_t column, bool along_rows,
                      std::span<double> out) const;
  void check(const StateStep& step, LaneFault fault) const;

  std::string_view text_;
  const StateSteps& steps_;
  const StateView& view_;
  std::vector<Bound> bound_;
};

// Calls visit(row, column, count) for runs of at most kMaxLanes elements that cover the shape, down
// the rows or along the columns, until it returns false.
template <typename Visit>
void for_each_run(std::int64_t rows, std::int64_t columns, bool along_rows, Visit visit) {
  const std::int64_t length = along_rows ? rows : columns;
  const std::int64_t lines = along_rows ? columns : rows;
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t begin = 0; begin < length; begin += kMaxLanes) {
      const std::int64_t count = std::min<std::int64_t>(kMaxLanes, length - begin);
      const bool goes_on = along_rows ? visit(begin, line, static_cast<std::size_t>(count))
                                      : visit(line, begin, static_cast<std::size_t>(count));
      if (!goes_on) return;
    }
  }
}

}  // namespace flashscope::expression
