// How a lesson is cut into what a reader sees at a time.
#pragma once

#include <string>
#include <vector>

#include "lessons/engine/lesson.h"

namespace flashscope::terminal {

// A lesson is read in steps: each ends behind a stop, quiz, task or figure, or where the lesson
// does. Blocks [begin, end).
struct LessonStep {
  std::size_t begin = 0, end = 0;
};
std::vector<LessonStep> steps_of(const lessons::Lesson& lesson);
// Index of the step that holds a block; the last one beyond all.
std::size_t step_of_block(const std::vector<LessonStep>& steps, int block);

// "Lesson 3 · The online softmax"; without a number only the title.
std::string lesson_heading(const lessons::Lesson& lesson);

}  // namespace flashscope::terminal
