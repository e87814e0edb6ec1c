// `flashscope lesson take`: where to begin, and what is said at the end.
#include <optional>

#include <fmt/format.h>

#include "lessons/engine/course.h"
#include "lessons/engine/progress.h"
#include "sim/error.h"
#include "viz/terminal/lesson_reader.h"
#include "viz/terminal/lesson_text.h"
#include "viz/terminal/lesson_verbs.h"

namespace flashscope::terminal {
namespace {

using lessons::TaskBlock;

std::string kept_text(const LessonReader& reader, const lessons::Progress& progress) {
  return reader.is_kept() ? fmt::format("Progress is kept in {}.", progress.file().string())
                          : "Progress is not kept.";
}

void say_goodbye(const LessonReader& reader, const std::string& which,
                 const lessons::Progress& progress) {
  fmt::print("\n{}", paragraph(fmt::format("Stopped at step {} of {}. flashscope lesson take {} "
                                           "goes on from there. {}",
                                           reader.step() + 1, reader.steps().size(), which,
                                           kept_text(reader, progress)),
                               "", "", Style::dim));
}

// The next lesson of the course that is not finished: behind this one, else from the beginning. One
// that can't be read is not among them.
std::string next_lesson(const lessons::Lesson& lesson, lessons::Progress& progress) {
  if (lesson.number == 0) return "";
  std::optional<lessons::Lesson> first, behind;
  for (const lessons::CourseFile& file : lessons::course_files()) {
    try {
      lessons::Lesson other = lessons::parse_lesson(std::string(file.text), std::string(file.file));
      if (other.name == lesson.name || progress.of(other.name).finished) continue;
      std::optional<lessons::Lesson>& place = other.number > lesson.number ? behind : first;
      if (!place) place = std::move(other);
    } catch (const Error&) {
      continue;
    }
  }
  const std::optional<lessons::Lesson>& next = behind ? behind : first;
  return next ? fmt::format("Next: {}, flashscope lesson take {}.", next->title, next->number)
              : "That was the last one: you have finished the course.";
}

void say_score(const LessonReader& reader, const lessons::Lesson& lesson,
               lessons::Progress& progress) {
  const lessons::LessonProgress& mine = progress.of(lesson.name);
  int tasks = 0, solved = 0;
  for (const lessons::Block& block : lesson.blocks) {
    const auto* const task = std::get_if<TaskBlock>(&block);
    if (task == nullptr) continue;
    ++tasks;
    const auto answer = mine.answers.find(task->line);
    solved += answer != mine.answers.end() && answer->second ? 1 : 0;
  }
  std::string text = "Finished.";
  if (mine.asked > 0)
    text += fmt::format(" {} of {} right at the first try.", mine.right, mine.asked);
  if (tasks > 0) {
    text += fmt::format(" {} of {} task{} solved.", solved, tasks, tasks == 1 ? "" : "s");
  }
  fmt::print("\n{}", paragraph(text, styled("✓ ", Style::good), "  ", Style::title));
  fmt::print("{}", paragraph(next_lesson(lesson, progress), "  ", "  "));
  fmt::print("{}", paragraph(kept_text(reader, progress), "  ", "  ", Style::dim));
}

}  // namespace

int take_lesson(const LessonTakeOptions& options) {
  const lessons::Lesson lesson = lessons::load_lesson(options.lesson);
  lessons::Progress progress(lessons::Progress::default_file());
  print_note(progress.note());
  lessons::LessonProgress& mine = progress.of(lesson.name);
  if (options.again) mine = {};
  LessonReader reader(lesson, progress);
  const auto steps = static_cast<std::int64_t>(reader.steps().size());
  if (steps == 0) throw Error(fmt::format("{}: the lesson has nothing to read", lesson.file));
  std::size_t first = mine.finished ? 0 : step_of_block(reader.steps(), mine.block);
  if (options.from) {
    if (*options.from < 1 || *options.from > steps) {
      throw Error(fmt::format("--from {}: the lesson has steps 1 to {}", *options.from, steps));
    }
    first = static_cast<std::size_t>(*options.from - 1);
  } else if (first > 0) {
    fmt::print("{}", paragraph(fmt::format("You were at step {}; --again begins anew.", first + 1),
                               "", "", Style::dim));
  }
  if (reader.read(first)) {
    say_score(reader, lesson, progress);
  } else {
    say_goodbye(reader, options.lesson, progress);
  }
  return 0;
}

}  // namespace flashscope::terminal
