// How far a reader has come, kept in one small file of the user's:
// $XDG_STATE_HOME/flashscope/lessons.json or ~/.local/state/flashscope/lessons.json.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace flashscope::lessons {

struct LessonProgress {
  int block = 0;  // the next one to read
  bool finished = false;
  int right = 0, asked = 0;     // quizzes answered right at the first try, and in all
  std::map<int, bool> answers;  // line of the quiz or task -> right at the first try
  // The answer to a quiz, or whether a task was solved; the first one counts. A task that was left
  // open may be solved later.
  void answer(int line, bool is_right, bool is_quiz);
  friend bool operator==(const LessonProgress&, const LessonProgress&) = default;
};

class Progress {
 public:
  static std::filesystem::path default_file();  // empty when there is no home
  // A file that is not there is an empty one; a damaged one is set aside as FILE.damaged and told
  // in `note`, and so is one that can't be read. An empty path: nothing is kept.
  explicit Progress(std::filesystem::path file);

  LessonProgress& of(const std::string& lesson_name);
  const std::filesystem::path& file() const { return file_; }
  const std::string& note() const { return note_; }
  // Only lessons that of() was asked for are written: others in the file stay as another program
  // may have left them in the meantime. Throws Error when it can't be written.
  void keep() const;

 private:
  std::filesystem::path file_;
  std::map<std::string, LessonProgress> lessons_;
  std::set<std::string> asked_for_;
  std::string note_;
};

}  // namespace flashscope::lessons
