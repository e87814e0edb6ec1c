// `flashscope lesson list`: the lessons there are, and how far one has come in each.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "lessons/engine/course.h"
#include "lessons/engine/progress.h"
#include "sim/error.h"
#include "sim/scenario/problem_json.h"
#include "viz/terminal/lesson_steps.h"
#include "viz/terminal/lesson_text.h"
#include "viz/terminal/lesson_verbs.h"

namespace flashscope::terminal {
namespace {

namespace fs = std::filesystem;
using lessons::Lesson;
using lessons::LessonProgress;

struct Entry {
  std::string file;
  Lesson lesson;
  std::string broken;  // why it can't be read; else empty
};

Entry read(const std::string& which) {
  try {
    return {which, lessons::load_lesson(which), ""};
  } catch (const Error& error) {
    return {which, {}, error.what()};
  }
}

std::vector<Entry> course() {
  std::vector<Entry> entries;
  for (const lessons::CourseFile& file : lessons::course_files()) {
    entries.push_back(read(std::string(file.file)));
  }
  return entries;
}

// Markdown files, by name; README.md is about a folder, not a lesson.
std::vector<Entry> files_of(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> paths;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const fs::path& path = at->path();
    if (path.extension() == ".md" && path.filename() != "README.md") paths.push_back(path.string());
  }
  if (failed) throw Error(fmt::format("--folder {}: {}", folder, failed.message()));
  if (paths.empty()) throw Error(fmt::format("--folder {}: there is no .md file in it", folder));
  std::sort(paths.begin(), paths.end());
  std::vector<Entry> entries;
  for (const std::string& path : paths) entries.push_back(read(path));
  return entries;
}

// "finished, 5 of 6 right", "at step 4 of 12"; empty before the first step.
std::string progress_text(const Lesson& lesson, const LessonProgress& progress) {
  if (progress.finished) {
    std::string text = styled("✓", Style::good) + " finished";
    if (progress.asked > 0) text += fmt::format(", {} of {} right", progress.right, progress.asked);
    return text;
  }
  if (progress.block == 0) return "";
  const auto steps = steps_of(lesson);
  return fmt::format("at step {} of {}", step_of_block(steps, progress.block) + 1, steps.size());
}

std::string needs_text(const std::vector<int>& needs) {
  return needs.empty() ? "" : fmt::format("Needs {}. ", fmt::join(needs, ", "));
}

std::string entry_text(const Entry& entry, bool of_course, const LessonProgress& progress) {
  constexpr int kNumberColumns = 4;
  const std::string indent(kNumberColumns, ' ');
  if (!entry.broken.empty()) {
    return paragraph(entry.broken, styled("  ! ", Style::bad), indent);
  }
  const Lesson& lesson = entry.lesson;
  const std::string number =
      of_course && lesson.number > 0 ? pad_left(std::to_string(lesson.number), 2) + "  " : indent;
  const std::string right = progress_text(lesson, progress);
  const std::string minutes = fmt::format("{} min", lesson.minutes);
  std::string head = styled(number, Style::number) + styled(lesson.title, Style::title) + "  " +
                     styled(minutes, Style::dim);
  const int room = text_width() - display_width(head) - display_width(right);
  if (!right.empty()) {
    head += room >= 2 ? std::string(static_cast<std::size_t>(room), ' ') + right
                      : "\n" + indent + right;
  }
  std::string about = needs_text(lesson.needs);
  if (!of_course) about += entry.file + ": ";
  return head + "\n" + paragraph(about + lesson.about, indent, indent, Style::dim);
}

Json to_json(const Entry& entry, const LessonProgress& progress) {
  if (!entry.broken.empty()) return {{"file", entry.file}, {"broken", entry.broken}};
  const Lesson& lesson = entry.lesson;
  const auto steps = steps_of(lesson);
  const bool begun = progress.finished || progress.block > 0;
  return {{"file", entry.file},
          {"number", lesson.number > 0 ? Json(lesson.number) : Json(nullptr)},
          {"name", lesson.name},
          {"title", lesson.title},
          {"minutes", lesson.minutes},
          {"about", lesson.about},
          {"needs", lesson.needs},
          {"steps", steps.size()},
          {"progress",
           {{"step", begun ? step_of_block(steps, progress.block) + 1 : 0},
            {"finished", progress.finished},
            {"right", progress.right},
            {"asked", progress.asked}}}};
}

}  // namespace

int list_lessons(const LessonListOptions& options) {
  const bool of_course = options.folder.empty();
  const std::vector<Entry> entries = of_course ? course() : files_of(options.folder);
  lessons::Progress progress(lessons::Progress::default_file());
  print_note(progress.note());
  if (options.json) {
    Json list = Json::array();
    for (const Entry& entry : entries) {
      list.push_back(to_json(entry, progress.of(entry.lesson.name)));
    }
    const Json json = {{"schema", "flashscope.lesson_list/1"}, {"lessons", list}};
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return 0;
  }
  std::string text;
  for (const Entry& entry : entries) {
    text += entry_text(entry, of_course, progress.of(entry.lesson.name));
  }
  fmt::print("{}\n{}\n", text,
             of_course ? "Begin with: flashscope lesson take 1"
                       : "Begin with: flashscope lesson take FILE");
  return 0;
}

}  // namespace flashscope::terminal
