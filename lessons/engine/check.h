// Whether a lesson holds: every stop reached, every expect true, one right answer to every quiz,
// every task solvable and not solved from the start, every figure drawn, every number of the prose
// covered.
#pragma once

#include <string>
#include <vector>

#include "lessons/engine/lesson.h"

namespace flashscope::lessons {

struct CheckReport {
  struct Finding {
    int line = 0;
    std::string reason;
  };
  std::vector<Finding> mistakes;
  std::vector<Finding> hints;  // numbers in the prose that no expect covers, missing sections
  int stops = 0, quizzes = 0, expects = 0, tasks = 0, figures = 0;
};

// Never throws for what a lesson says; a block that fails does not hide the ones behind it.
CheckReport check(const Lesson& lesson);

}  // namespace flashscope::lessons
