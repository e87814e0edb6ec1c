// The lessons there are: the course, and those beside a file of one's own; see lesson_player.h.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "lessons/engine/course.h"
#include "sim/error.h"
#include "viz/window/lesson_player.h"

namespace flashscope::window {
namespace {

using namespace lessons;

// Of a folder's lessons: as many and as large as a list is good for.
constexpr std::size_t kMostOwn = 100;
constexpr std::uintmax_t kLargestOwn = 1 << 20;  // bytes

LessonPlayer::Entry entry_of(std::string text, const std::string& file) {
  LessonPlayer::Entry entry;
  entry.file = file;
  try {
    const Lesson lesson = parse_lesson(std::move(text), file);
    entry.number = lesson.number;
    entry.minutes = lesson.minutes;
    entry.name = lesson.name;
    entry.title = lesson.title;
    entry.about = lesson.about;
  } catch (const Error& error) {
    entry.title = std::filesystem::path(file).filename().string();
    entry.error = error.what();
  }
  return entry;
}

}  // namespace

void LessonPlayer::read_course() {
  for (const CourseFile& file : course_files()) {
    course_.push_back(entry_of(std::string(file.text), std::string(file.file)));
  }
  mark_course();
}

// Other Markdown files of the folder are no lessons, and left out; a broken lesson says so.
void LessonPlayer::read_own(const std::filesystem::path& folder) {
  own_.clear();
  own_folder_ = folder;
  std::error_code failed;
  for (std::filesystem::directory_iterator file(folder, failed), end; !failed && file != end;
       file.increment(failed)) {
    if (own_.size() == kMostOwn) break;
    std::error_code ignored;
    if (file->path().extension() != ".md" || !file->is_regular_file(ignored) ||
        file->file_size(ignored) > kLargestOwn) {
      continue;
    }
    std::ifstream stream(file->path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (text.find("\n[lesson]") == std::string::npos) continue;
    own_.push_back(entry_of(std::move(text), file->path().string()));
  }
  std::ranges::sort(own_, {}, &Entry::file);
  mark_course();
}

void LessonPlayer::mark_course() {
  Progress progress = progress_;  // asking for a lesson makes an entry
  for (std::vector<Entry>* list : {&course_, &own_}) {
    for (Entry& entry : *list) {
      const LessonProgress& mine = progress.of(entry.name);
      entry.finished = mine.finished;
      entry.begun = mine != LessonProgress();
    }
  }
}

}  // namespace flashscope::window
