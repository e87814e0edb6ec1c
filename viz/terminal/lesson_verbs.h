// The verbs of `flashscope lesson`, one file each. Every function returns the exit code and throws
// Error for a mistake of the user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flashscope::terminal {

struct LessonListOptions {
  std::string folder;  // of files of one's own; empty: the course
  bool json = false;
};
int list_lessons(const LessonListOptions& options);

struct LessonShowOptions {
  std::string lesson;
  bool answers = false, teacher = false;
};
int show_lesson(const LessonShowOptions& options);

struct LessonTakeOptions {
  std::string lesson;
  std::optional<std::int64_t> from;  // a step, from 1; else where the reader stopped
  bool again = false;                // forget what was answered
};
int take_lesson(const LessonTakeOptions& options);

struct LessonCheckOptions {
  std::vector<std::string> lessons;  // empty: the course
  bool json = false;
};
int check_lessons(const LessonCheckOptions& options);

struct LessonExportOptions {
  std::string lesson;  // empty: all of the course
  bool all = false;
  bool teacher = false;  // with the notes for the teacher
  std::string out;       // a file; with `all` a folder, which is made
};
int export_lessons(const LessonExportOptions& options);

}  // namespace flashscope::terminal
