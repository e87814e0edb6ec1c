// Lessons and walks as one HTML file each: text, figures, quizzes and a player over recorded ops,
// with everything inside, so that it works offline on any laptop or phone. A course is a folder of
// such files with an index.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lessons/engine/lesson.h"
#include "sim/scenario/scenario.h"
#include "viz/views/walker.h"

namespace flashscope::pages {

// A lesson's page among those of a course, which lie in one folder.
struct CoursePage {
  int lesson = 0;     // its number
  std::string file;   // "03-online-softmax.html"
  std::string title;  // inline Markdown
};
inline constexpr const char* kIndexFile = "index.html";

struct LessonPageOptions {
  bool teacher = false;  // with the notes for the teacher, folded
  // All pages, in their order: leads from this one to those before and behind it, to the lessons
  // that it needs and to the index. Empty: it stands alone.
  std::vector<CoursePage> course;
};

// The whole file, UTF-8. Throws Error "FILE:LINE: …" where the lesson does not hold.
std::string lesson_page(const lessons::Lesson& lesson, const LessonPageOptions& options = {});

// What kIndexFile holds: what each lesson is about, how long it takes, what it needs. `course` has
// the pages of `lessons`, one each.
std::string index_page(std::span<const lessons::Lesson> lessons,
                       const std::vector<CoursePage>& course);

// A player over the ops that `flashscope walk` would print with these options. `command`: what the
// user typed, shown on the page. Throws Error as Walker does, and for more ops than a page takes.
std::string walk_page(const Scenario& scenario, const Program& program,
                      const views::WalkOptions& options, const std::string& command);

}  // namespace flashscope::pages
