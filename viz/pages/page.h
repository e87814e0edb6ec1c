// Lessons and walks as one HTML file each: text, figures, quizzes and a player over recorded ops,
// with everything inside, so that it works offline on any laptop or phone.
#pragma once

#include <string>

#include "lessons/engine/lesson.h"
#include "sim/scenario/scenario.h"
#include "viz/views/walker.h"

namespace flashscope::pages {

// The whole file, UTF-8. Throws Error "FILE:LINE: …" where the lesson does not hold.
std::string lesson_page(const lessons::Lesson& lesson);

// A player over the ops that `flashscope walk` would print with these options. `command`: what the
// user typed, shown on the page. Throws Error as Walker does, and for more ops than a page takes.
std::string walk_page(const Scenario& scenario, const Program& program,
                      const views::WalkOptions& options, const std::string& command);

}  // namespace flashscope::pages
