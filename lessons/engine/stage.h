// Where a lesson is played: its scenarios, a debugger on the open one, and what its blocks come to
// there. The check, the terminal and the export stand on this; the window has a session of its own
// and uses the functions below it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lessons/engine/evaluate.h"
#include "lessons/engine/places.h"

namespace flashscope::lessons {

struct ShownOption {
  std::string text;
  bool right = false;
  std::string why;
};
struct ShownQuiz {
  std::vector<ShownOption> options;  // in the order to show, the same every time
  std::size_t right = 0;
};
// Throws Error "FILE:LINE: …" unless exactly one option is right and all read differently.
ShownQuiz show_quiz(const QuizBlock& quiz, const Facts& facts, const Debugger& debugger);

struct ShownValue {
  std::string expression, value;  // "l[0]", "1.553"; a tile: its first numbers
};

class Stage {
 public:
  explicit Stage(const Lesson& lesson);  // must outlive the stage
  ~Stage();

  // Carries out the block at an index: defines and opens scenarios, moves to stops. Prose, quizzes,
  // expects, tasks and figures change nothing. Blocks are entered in order, from the first one;
  // entering an earlier one starts anew from there. Throws Error "FILE:LINE: …".
  void enter(std::size_t block);

  bool has_scenario() const;
  const Facts& facts() const { return facts_; }
  // These need a scenario that is open. Its data is made on the first call.
  Debugger& debugger();
  const Scenario& scenario();
  const ProblemOptions& options() const;
  std::int64_t previous_position() const;  // of the stop before the one entered last; 0 at first

  // A quiz or an expect at its own place; the stage stays where it is.
  ShownQuiz quiz(const QuizBlock& quiz);
  bool expect(const ExpectBlock& expect, std::string& found);  // found: the value in words
  std::vector<ShownValue> values(const StopBlock& stop);

 private:
  struct World;
  const Lesson& lesson_;
  Facts facts_;
  std::unique_ptr<World> world_;
  std::size_t next_block_ = 0;
};

}  // namespace flashscope::lessons
