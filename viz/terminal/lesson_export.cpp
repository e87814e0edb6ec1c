// `flashscope lesson export`: lessons as HTML pages. All pages are made before the first one is
// written.
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lessons/engine/course.h"
#include "sim/error.h"
#include "sim/io/write_file.h"
#include "viz/pages/page.h"
#include "viz/terminal/lesson_verbs.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

namespace fs = std::filesystem;

// "03-online-softmax.html" for 03-online-softmax.md.
std::string page_name(const lessons::Lesson& lesson) {
  return fs::path(lesson.file).filename().replace_extension(".html").string();
}

int export_course(const std::string& folder, bool teacher) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("--out {}: {}", folder, failed.message()));
  std::vector<lessons::Lesson> course;
  pages::LessonPageOptions options;
  options.teacher = teacher;
  for (const lessons::CourseFile& file : lessons::course_files()) {
    const lessons::Lesson& lesson =
        course.emplace_back(lessons::load_lesson(std::string(file.file)));
    options.course.push_back({lesson.number, page_name(lesson), lesson.title});
  }
  std::vector<std::pair<std::string, std::string>> pages;  // path, text
  const auto add = [&](const std::string& file, std::string text) {
    const std::string path = (fs::path(folder) / file).string();
    io::require_writable(path);
    pages.emplace_back(path, std::move(text));
  };
  add(pages::kIndexFile, pages::index_page(course, options.course));
  ProgressBar bar("exporting");
  for (const lessons::Lesson& lesson : course) {
    add(page_name(lesson), pages::lesson_page(lesson, options));
    bar.update(static_cast<std::int64_t>(pages.size()) - 1,
               static_cast<std::int64_t>(course.size()));
  }
  for (const auto& [path, text] : pages) {
    io::write_text(path, text);
    fmt::print("{}\n", path);
  }
  return 0;
}

}  // namespace

int export_lessons(const LessonExportOptions& options) {
  if (options.all) {
    if (!options.lesson.empty()) {
      throw Error(fmt::format("lesson export: --all or lesson {}, not both", options.lesson));
    }
    if (options.out.empty()) throw Error("lesson export --all: name a folder with --out");
    return export_course(options.out, options.teacher);
  }
  if (options.lesson.empty()) throw Error("lesson export: which lesson? or --all --out FOLDER");
  const lessons::Lesson lesson = lessons::load_lesson(options.lesson);
  const std::string path = options.out.empty() ? page_name(lesson) : options.out;
  io::require_writable(path);
  pages::LessonPageOptions page;
  page.teacher = options.teacher;
  io::write_text(path, pages::lesson_page(lesson, page));
  fmt::print("{}\n", path);
  return 0;
}

}  // namespace flashscope::terminal
