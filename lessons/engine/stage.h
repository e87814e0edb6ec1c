// Where a lesson is played: its scenarios, a debugger on the open one, and what its blocks come to
// there. The check, the terminal and the export stand on this; the window has a session of its own
// and uses the functions below it.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "lessons/engine/evaluate.h"
#include "lessons/engine/places.h"
#include "sim/error.h"

namespace flashscope::lessons {

// A block that can't be carried out. what() is "FILE:LINE: reason", or "line LINE: reason" from
// whatever does not know the file.
class LessonError : public Error {
 public:
  LessonError(const std::string& file, int line, const std::string& reason);
  int line() const { return line_; }
  const std::string& reason() const { return reason_; }

 private:
  int line_;
  std::string reason_;
};

struct ShownOption {
  std::string text;
  bool right = false;
  std::string why;
};
struct ShownQuiz {
  std::vector<ShownOption> options;  // in the order to show, the same every time
  std::size_t right = 0;
};
// Throws LessonError unless exactly one option is right and all read differently. Without a
// debugger, options may only name facts.
ShownQuiz show_quiz(const QuizBlock& quiz, const Facts& facts, const Debugger* debugger);
inline ShownQuiz show_quiz(const QuizBlock& quiz, const Facts& facts, const Debugger& debugger) {
  return show_quiz(quiz, facts, &debugger);
}

// What a change makes of a scenario: the options that it names, and its edits of the table.
// Throws Error.
ProblemOptions changed_options(const ProblemOptions& options, const ScenarioChange& change);

struct ShownValue {
  std::string expression, value;  // "l[0]", "1.553"; a tile: its first numbers
};

class Stage {
 public:
  explicit Stage(const Lesson& lesson);  // must outlive the stage
  ~Stage();

  // Carries out the block at an index: defines and opens scenarios, moves to stops. Prose, quizzes,
  // expects, tasks and figures change nothing. Blocks are entered in order, from the first one;
  // entering an earlier one starts anew from there. A scenario that is opened, or gone back to,
  // begins at its first op. Throws LessonError; the next block can be entered all the same.
  void enter(std::size_t block);

  const Lesson& lesson() const { return lesson_; }
  bool has_scenario() const { return facts_.has_here(); }
  const Facts& facts() const { return facts_; }
  // These need a scenario that is open, else they throw Error. Its data is made on the first call.
  Debugger& debugger();
  const Scenario& scenario();
  const ProblemOptions& options() const;
  // An expression where the lesson stands. Throws Error, without a line.
  double value(const std::string& expression);
  std::int64_t position() const;           // of the debugger; makes no data
  std::int64_t previous_position() const;  // of the stop before the one entered last; 0 at first

  // A quiz or an expect at its own place; the stage stays where it is. Throw LessonError.
  ShownQuiz quiz(const QuizBlock& quiz);
  bool expect(const ExpectBlock& expect, std::string& found);  // found: the value in words
  std::vector<ShownValue> values(const StopBlock& stop);
  // Whether a task's condition holds for whoever has changed nothing, and for its solution.
  bool done_at_start(const TaskBlock& task);
  bool solved(const TaskBlock& task);

  // While one lives, its time counts as the lesson's. Throws LessonError at the line once all that
  // has been computed for the lesson has taken too long.
  class Timing {
   public:
    Timing(Stage& stage, int line);
    ~Timing();
    Timing(const Timing&) = delete;
    Timing& operator=(const Timing&) = delete;

   private:
    Stage& stage_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

 private:
  struct World;
  World& world();
  const Program* open_program() const;  // null when no scenario is open
  const Debugger* debugger_for(const LessonExpression& expression);
  bool holds_here(const std::string& condition);
  void open(const ScenarioBlock& block);
  void throw_in_table(const ScenarioChange& change, std::string_view message) const;
  void carry_out(const Block& block);
  template <typename Action>
  auto at_line(int line, Action action);
  template <typename Action>
  auto at_place(const Place& place, int line, Action action);

  const Lesson& lesson_;
  Facts facts_;
  std::unique_ptr<World> world_;  // of the open scenario, once it is looked at
  std::size_t next_block_ = 0;
  std::chrono::steady_clock::duration computed_{};  // how long
  int timings_ = 0;                                 // that live; only the outermost counts
  bool has_stopped_ = false;                        // in the open scenario
  std::int64_t previous_position_ = 0;
};

}  // namespace flashscope::lessons
