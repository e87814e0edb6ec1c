// See lesson_steps.h.
#include "viz/terminal/lesson_steps.h"

#include <fmt/format.h>

namespace flashscope::terminal {

std::vector<LessonStep> steps_of(const lessons::Lesson& lesson) {
  std::vector<LessonStep> steps;
  std::size_t begin = 0;
  bool visible = false;  // whether the blocks since `begin` show anything
  for (std::size_t n = 0; n < lesson.blocks.size(); ++n) {
    const lessons::Block& block = lesson.blocks[n];
    const bool silent = std::holds_alternative<lessons::ScenarioBlock>(block) ||
                        std::holds_alternative<lessons::ExpectBlock>(block);
    visible = visible || !silent;
    if (silent || std::holds_alternative<lessons::Prose>(block)) continue;
    steps.push_back({begin, n + 1});
    begin = n + 1;
    visible = false;
  }
  if (visible) {
    steps.push_back({begin, lesson.blocks.size()});
  } else if (!steps.empty()) {
    steps.back().end = lesson.blocks.size();
  }
  return steps;
}

std::size_t step_of_block(const std::vector<LessonStep>& steps, int block) {
  for (std::size_t n = 0; n < steps.size(); ++n) {
    if (block < static_cast<int>(steps[n].end)) return n;
  }
  return steps.empty() ? 0 : steps.size() - 1;
}

std::string lesson_heading(const lessons::Lesson& lesson) {
  return lesson.number > 0 ? fmt::format("Lesson {} · {}", lesson.number, lesson.title)
                           : lesson.title;
}

}  // namespace flashscope::terminal
