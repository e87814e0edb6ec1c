// Somebody who reads a lesson: step by step at a terminal or from a pipe, with quizzes to answer,
// tasks to solve, and the debugger's commands at any place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lessons/engine/progress.h"
#include "lessons/engine/stage.h"
#include "viz/terminal/lesson_input.h"
#include "viz/terminal/lesson_steps.h"
#include "viz/terminal/lesson_trial.h"

namespace flashscope::terminal {

class LessonReader {
 public:
  LessonReader(const lessons::Lesson& lesson, lessons::Progress& progress)
      : lesson_(lesson),
        steps_(steps_of(lesson)),
        progress_(progress),
        stage_(lesson),
        trial_(stage_) {}

  const std::vector<LessonStep>& steps() const { return steps_; }
  // From a step on. Whether the reader came to the end. Progress is kept behind every step; that it
  // can't be is a note. Throws Error "FILE:LINE: …" where the lesson is broken.
  bool read(std::size_t first);
  // The step that the reader stands at.
  std::size_t step() const { return now_; }
  bool is_kept() const { return is_kept_ && !progress_.file().empty(); }

 private:
  enum class Move : std::uint8_t { on, back, quit };
  Move show_step(std::size_t n);
  // Everything that a step shows before somebody has to answer.
  std::string step_text(std::size_t n);
  // One screen after the other. Nothing: all were read.
  std::optional<Move> read_screens(const std::string& text);
  Move wait();  // for Enter
  Move ask(const lessons::QuizBlock& quiz, const lessons::ShownQuiz& shown);
  Move work_on(const lessons::TaskBlock& task);
  std::string task_state(const lessons::TaskBlock& task);
  // A line that means the same everywhere. True: it is done, and `move` says whether to leave.
  bool common(const std::string& typed, std::optional<Move>& move);
  void help();
  void execute(const std::string& command);
  void answered(int line, bool right, bool is_quiz);
  void keep();
  void enter(std::size_t block);

  const lessons::Lesson& lesson_;
  std::vector<LessonStep> steps_;
  lessons::Progress& progress_;
  lessons::Stage stage_;
  LessonTrial trial_;
  LessonInput input_;
  std::size_t next_block_ = 0;               // that the stage has not entered
  std::size_t now_ = 0;                      // step
  std::optional<lessons::ShownQuiz> shown_;  // of the step, when it ends in a quiz
  std::string preface_;                      // before the first step
  bool is_kept_ = true;
};

}  // namespace flashscope::terminal
