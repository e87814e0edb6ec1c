// Expressions of a lesson: the debugger's, and NAME.fact besides.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/engine/facts.h"
#include "sim/debugger/debugger.h"

namespace flashscope::lessons {

// A parsed expression, for evaluating it at many places. Every Error is one line,
// "EXPRESSION: reason".
class LessonExpression {
 public:
  // `program`: whose tiles it may name; null: none. `facts` must outlive the expression. Throws
  // Error for what is wrong at any place; facts themselves are computed later.
  LessonExpression(const std::string& text, const Facts& facts, const Program* program);

  // Whether it looks at a place, beyond facts.
  bool reads_state() const;

  // Where a debugger stands. Tiles are as the last op left them, also where the next op is another
  // q tile's or work item's and finds the chip empty; i, j and the like are the next op's. Without
  // a debugger, what looks at a place is an Error.
  double value(const Debugger* debugger) const;
  bool condition(const Debugger* debugger) const;  // not there: false
  expression::StateValue evaluate(const Debugger* debugger) const;
  // In a state that somebody else looks at.
  double value(const expression::StateView& state) const;

 private:
  struct UsedFact {
    const ScenarioFacts* scenario = nullptr;
    std::string_view fact;
  };
  class View;
  class BehindView;
  template <typename Action>
  auto at_place(const Debugger* debugger, Action action) const;

  std::string text_;
  std::vector<UsedFact> used_;  // behind the session's scalars
  int session_scalars_ = 0;
  std::optional<expression::StateExpression> parsed_;
};

// `debugger` may be null: then only facts have values, and tiles are an Error.
double evaluate(const std::string& expression, const Facts& facts, const Debugger* debugger);
bool holds(const std::string& condition, const Facts& facts, const Debugger* debugger);

// A number as a quiz, a figure or the prose shows it: "2.18 GB", "1.553", "12.5 %", "4.2 x".
// `digits` are significant ones, those before the point never cut off ("16,384"); 0: a whole number
// with all its digits. A value of 0.125 is 12.5 percent; microseconds grow into ms and s.
std::string format_value(double value, Unit unit, int digits);

// The number that a text states: "2,181,038,080", "1.553", "6.6 GB", "12.5 %" (0.125), "4x",
// "21 times", "163 KiB", "2.4 ms" (2400, in microseconds), "312 TFLOP/s", "1.4 GHz", "2 million",
// "64 rows". `tolerance`: half a unit of its last digit; behind "~" or "about", of the last one
// that is not a zero.
struct StatedNumber {
  double value = 0, tolerance = 0;
  Unit unit = Unit::none;
  bool agrees(double other) const;
};
std::optional<StatedNumber> parse_stated(std::string_view text);

}  // namespace flashscope::lessons
