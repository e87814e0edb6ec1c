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

int export_course(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("--out {}: {}", folder, failed.message()));
  std::vector<std::pair<std::string, std::string>> pages;  // path, text
  const auto files = lessons::course_files();
  ProgressBar bar("exporting");
  for (const lessons::CourseFile& file : files) {
    const lessons::Lesson lesson = lessons::load_lesson(std::string(file.file));
    const std::string path = (fs::path(folder) / page_name(lesson)).string();
    io::require_writable(path);
    pages.emplace_back(path, pages::lesson_page(lesson));
    bar.update(static_cast<std::int64_t>(pages.size()), static_cast<std::int64_t>(files.size()));
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
    return export_course(options.out);
  }
  if (options.lesson.empty()) throw Error("lesson export: which lesson? or --all --out FOLDER");
  const lessons::Lesson lesson = lessons::load_lesson(options.lesson);
  const std::string path = options.out.empty() ? page_name(lesson) : options.out;
  io::require_writable(path);
  io::write_text(path, pages::lesson_page(lesson));
  fmt::print("{}\n", path);
  return 0;
}

}  // namespace flashscope::terminal
