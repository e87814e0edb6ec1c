// See course.h. The course's files are embedded: cmake/embed_lessons.cmake makes course_files().
#include "lessons/engine/course.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/file_bytes.h"
#include "sim/io/message_text.h"

namespace flashscope::lessons {
namespace {

std::string_view without_ending(std::string_view file) { return file.substr(0, file.rfind(".md")); }

std::string_view number_of(std::string_view file) { return file.substr(0, file.find('-')); }

std::string_view name_of(std::string_view file) {
  return without_ending(file.substr(file.find('-') + 1));
}

// "3" and "03" are the same lesson.
bool is_number(std::string_view which, std::string_view file) {
  const auto value = [](std::string_view text) {
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : -1;
  };
  return value(which) >= 0 && value(which) == value(number_of(file));
}

// A file in this folder goes before the course's of that name: its author is working on it.
bool is_path(const std::string& which) {
  if (which.find('/') != std::string::npos) return true;
  std::error_code ignored;
  return which.ends_with(".md") && std::filesystem::exists(which, ignored);
}

Lesson load_file(const std::string& path) {
  const io::FileBytes bytes = io::map_file(path);
  return parse_lesson({reinterpret_cast<const char*>(bytes.data.get()), bytes.size_bytes}, path);
}

}  // namespace

Lesson load_lesson(const std::string& which) {
  if (is_path(which)) return load_file(which);
  std::vector<std::string> names;
  for (const CourseFile& course : course_files()) {
    if (which == course.file || which == without_ending(course.file) ||
        which == name_of(course.file) || is_number(which, course.file)) {
      return parse_lesson(std::string(course.text), std::string(course.file));
    }
    names.emplace_back(name_of(course.file));
  }
  throw Error(fmt::format("there is no lesson {}; {}", io::quoted_name(which),
                          names.empty() ? "this program was built without the course; name a file"
                                        : nearest_name(which, names)));
}

}  // namespace flashscope::lessons
