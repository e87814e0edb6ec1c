// `flashscope lesson list`: the lessons there are, and how far one has come in each.
#include <algorithm>
#include <filesystem>
#include <set>
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

// "✓ finished, 5 of 6 right", "at step 4 of 12", or shorter; empty before the first step.
std::string progress_text(const Lesson& lesson, const LessonProgress& progress, bool shorter) {
  if (progress.finished) {
    std::string text = styled("✓", Style::good);
    if (!shorter) text += " finished";
    if (progress.asked == 0) return text;
    return text + fmt::format("{} {} of {}{}", shorter ? "" : ",", progress.right, progress.asked,
                              shorter ? "" : " right");
  }
  if (progress.block == 0) return "";
  const auto steps = steps_of(lesson);
  const std::size_t step = step_of_block(steps, progress.block) + 1;
  return shorter ? fmt::format("step {}", step)
                 : fmt::format("at step {} of {}", step, steps.size());
}

// Lessons to know first, of those that there are.
std::string needs_text(const Lesson& lesson, const std::set<int>& known) {
  std::vector<int> needs;
  for (const int number : lesson.needs) {
    if (known.contains(number)) needs.push_back(number);
  }
  return needs.empty() ? "" : fmt::format("  needs {}", fmt::join(needs, ", "));
}

// As many whole words as fit into a line, and "…" where there are more.
std::string cut_at_word(const std::string& text, int columns) {
  if (display_width(text) <= columns) return text;
  std::string cut;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string longer = text.substr(0, end);
    if (display_width(longer) + 2 > columns) break;
    cut = longer;
    begin = end + 1;
  }
  while (!cut.empty() && std::string_view(",;:").find(cut.back()) != std::string_view::npos) {
    cut.pop_back();
  }
  return cut + " …";
}

// Two lines: the title with what it needs and how far one is, and what it is about.
std::string entry_text(const Entry& entry, bool of_course, const std::set<int>& known,
                       const LessonProgress& progress) {
  constexpr int kNumberColumns = 4;
  const std::string indent(kNumberColumns, ' ');
  if (!entry.broken.empty()) {
    return paragraph(entry.broken, styled("  ! ", Style::bad), indent);
  }
  const Lesson& lesson = entry.lesson;
  const std::string number =
      of_course && lesson.number > 0 ? pad_left(std::to_string(lesson.number), 2) + "  " : indent;
  const std::string about_it =
      styled(fmt::format("  {} min{}", lesson.minutes, needs_text(lesson, known)), Style::dim);
  std::string right = progress_text(lesson, progress, false);
  const auto room_for = [&](const std::string& title) {
    return text_width() - kNumberColumns - display_width(title) - display_width(about_it) -
           display_width(right);
  };
  if (room_for(lesson.title) < 2) right = progress_text(lesson, progress, true);
  const int title_columns =
      std::max(room_for("") - (right.empty() ? 0 : 2), 8);  // of a very long one, the beginning
  const std::string title = cut_at_word(lesson.title, title_columns);
  std::string head = styled(number, Style::number) + styled(title, Style::title) + about_it;
  if (!right.empty()) {
    head += std::string(static_cast<std::size_t>(std::max(room_for(title), 2)), ' ') + right;
  }
  const std::string about = (of_course ? "" : entry.file + ": ") + lesson.about;
  return head + "\n" + indent +
         styled(cut_at_word(about, text_width() - kNumberColumns), Style::dim) + "\n";
}

std::set<int> numbers_of(const std::vector<Entry>& entries) {
  std::set<int> numbers;
  for (const Entry& entry : entries) numbers.insert(entry.lesson.number);
  return numbers;
}

// What to take up next: the first lesson that is not finished.
std::string footer(const std::vector<Entry>& entries, bool of_course, lessons::Progress& progress) {
  if (!of_course) return "Begin with: flashscope lesson take FILE";
  bool begun = false;
  int next = 0;
  for (const Entry& entry : entries) {
    if (!entry.broken.empty()) continue;
    const LessonProgress& mine = progress.of(entry.lesson.name);
    begun = begun || mine.finished || mine.block > 0;
    if (!mine.finished && next == 0) next = entry.lesson.number;
  }
  if (next == 0) return "You have finished all of them.";
  return fmt::format("{}: flashscope lesson take {}", begun ? "Next" : "Begin with", next);
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
  const std::set<int> known = numbers_of(of_course ? entries : course());
  std::string text;
  for (const Entry& entry : entries) {
    text += entry_text(entry, of_course, known, progress.of(entry.lesson.name));
  }
  fmt::print("{}\n{}\n", text, footer(entries, of_course, progress));
  return 0;
}

}  // namespace flashscope::terminal
