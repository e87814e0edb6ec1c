// The lessons there are: those of the course, which are part of the program, and files of one's
// own.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lessons/engine/lesson.h"

namespace flashscope::lessons {

struct CourseFile {
  std::string_view file;  // "03-online-softmax.md"
  std::string_view text;
};
std::span<const CourseFile> course_files();  // ascending by number

// "3", "online-softmax", "03-online-softmax.md", or the path of a file. Throws Error, with the
// nearest names, when there is none; parse_lesson()'s when it is broken.
Lesson load_lesson(const std::string& which);

}  // namespace flashscope::lessons
