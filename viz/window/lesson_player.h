// A lesson in the window: what has been read and answered, and what its blocks come to. Figures and
// quizzes are computed on a stage of the lesson's own; the session that the user sees is the
// window's, which the app moves as this class says. Draws nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lessons/engine/figure.h"
#include "lessons/engine/lesson.h"
#include "lessons/engine/progress.h"
#include "lessons/engine/stage.h"
#include "viz/views/formula.h"

namespace flashscope::window {

// What stands below one heading of the second level: the unit that is read at a time.
struct LessonSection {
  struct Item {
    std::size_t block = 0;           // of Lesson::blocks
    std::size_t begin = 0, end = 0;  // of a Prose: these of its text blocks
  };
  std::string title;
  std::vector<Item> items;
  // The scenario that the section begins in: a block of the lesson; nothing: it has none.
  std::optional<std::size_t> scenario;
};

// An op that a stop shows in words, as `walk` does.
struct WalkedOp {
  std::int64_t op = 0;
  // Of the first op that is shown of a step: where it is, and the bytes that had passed before it.
  std::string place;
  std::int64_t load_bytes = 0, store_bytes = 0;
  std::string statement;
  std::int64_t copied_bytes = 0;  // by this op
  std::vector<views::Change> changes;
};

class LessonPlayer {
 public:
  // What a block comes to, and what the reader has done with it.
  struct Played {
    bool ready = false;                   // computed
    std::string error;                    // "FILE:LINE: …", where it can't be
    std::optional<std::size_t> scenario;  // the block of the scenario that is open here
    ProblemOptions options;               // a scenario's
    std::string refused;                  // why the session did not open it
    std::int64_t position = 0;            // a stop's
    // Where the stop's last op was the last one of a work item or q tile: the place that the panels
    // show, which is the next one.
    std::string next_place;
    std::vector<WalkedOp> walk;
    std::int64_t walk_left_out = 0;           // ops before those, too many to show
    std::vector<lessons::ShownValue> values;  // a stop's; an open task's: what its condition sees
    std::optional<lessons::ShownQuiz> quiz;
    std::optional<lessons::Figure> figure;

    bool visited = false;             // a stop
    std::vector<std::size_t> chosen;  // options of a quiz, in the order they were tried
    bool done = false;                // a quiz: its answer is known; a task: its condition held
    bool hinted = false;              // a task
  };

  // One of the course.
  struct Entry {
    int number = 0, minutes = 0;
    std::string file, name, title, about;  // file: for open()
    std::string error;                     // why it can't be taken
    bool begun = false, finished = false;
  };

  // `progress`: the file that keeps how far the reader came; empty: nothing is kept.
  explicit LessonPlayer(const std::filesystem::path& progress);
  ~LessonPlayer();
  LessonPlayer(const LessonPlayer&) = delete;
  LessonPlayer& operator=(const LessonPlayer&) = delete;

  const std::vector<Entry>& course() const { return course_; }
  // Lessons in the folder of the file that was opened last, by their names; empty before.
  const std::vector<Entry>& own() const { return own_; }
  const std::filesystem::path& own_folder() const { return own_folder_; }
  // Of the lesson that is open, or was open last.
  const lessons::LessonProgress& progress() const { return shown_progress_; }
  // What went wrong with the file of the progress, or "".
  const std::string& note() const { return note_; }

  // "3", a name, or a file; goes on where the reader stopped. Throws Error, and then all is as
  // before.
  void open(const std::string& which);
  void close();
  bool is_open() const { return lesson_ != nullptr; }
  // The rest needs a lesson that is open.
  const lessons::Lesson& lesson() const { return *lesson_; }
  const std::vector<LessonSection>& sections() const { return sections_; }
  std::size_t section() const { return section_; }
  void show_section(std::size_t section);
  // The last section is read: the lesson has its tick, and is closed.
  void finish();
  // The title of the one that was finished last, until another is opened; or "".
  const std::string& finished_title() const { return finished_title_; }

  const Played& played(std::size_t block) const { return played_[block]; }
  // Whether what follows a block is held back until its question is answered.
  bool holds_back(std::size_t block) const;
  // Computes blocks up to the end of the section, for about so long; returns whether work is left.
  bool work(double seconds);

  // Quizzes and tasks, by their blocks.
  void choose(std::size_t block, std::size_t option);
  void show_answer(std::size_t block);
  void show_hint(std::size_t block);

  // The next stop of the section that is not held back; nothing: there is none.
  std::optional<std::size_t> next_stop() const;

  // What the app is to do with the window's session.
  //
  // The section has begun, and its scenario is computed: open it. Says so once.
  std::optional<std::size_t> take_scenario();
  // Whether these settings are what the scenario has (sets by hand are not looked at).
  bool is_scenario(std::size_t block, const ProblemOptions& options) const;
  // The app has opened it, as these settings.
  void scenario_opened(std::size_t block, const ProblemOptions& options);
  // The session can't have it: too large, for example.
  void scenario_refused(std::size_t block, const std::string& why);
  std::optional<std::size_t> opened_scenario() const { return opened_; }
  void stop_visited(std::size_t block);
  // The stop that the reader went to last.
  std::optional<std::size_t> last_stop() const { return last_stop_; }
  // Looks whether a task of the section is done. The versions are a Context's: nothing is evaluated
  // twice.
  void watch(const ProblemOptions& options, const Debugger& debugger, std::uint64_t program_version,
             std::uint64_t state_version);

 private:
  void divide();
  void read_course();
  void read_own(const std::filesystem::path& folder);
  void mark_course();
  void compute(std::size_t block);
  void compute_walk(const lessons::StopBlock& stop, Played& played, std::int64_t from);
  std::size_t section_end() const;
  int first_block(std::size_t section) const;
  void keep();
  lessons::LessonProgress& mine() { return progress_.of(lesson_->name); }
  // The first answer to a question counts; later ones change nothing.
  void answered(int line, bool right, bool is_quiz);

  lessons::Progress progress_;
  lessons::LessonProgress shown_progress_;
  std::string note_;
  std::vector<Entry> course_, own_;
  std::filesystem::path own_folder_;

  std::unique_ptr<lessons::Lesson> lesson_;
  std::unique_ptr<lessons::Stage> stage_;
  std::vector<LessonSection> sections_;
  std::vector<Played> played_;  // of the lesson's blocks
  std::size_t next_block_ = 0;  // the first one that is not computed
  std::size_t section_ = 0;
  std::string finished_title_;
  // The lesson's scenarios as they are known at a task, "here" being what the reader made of it.
  struct TaskFacts {
    std::size_t block = 0;
    lessons::Facts facts;
    std::uint64_t program_version = 0;  // of "here"
    bool usable = false;                // the reader's settings make a scenario
  };
  bool is_done(TaskFacts& task, const ProblemOptions& options, const Debugger& debugger,
               std::uint64_t program_version);
  std::vector<TaskFacts> tasks_;

  std::optional<std::size_t> wanted_scenario_, opened_;
  std::string opened_options_;
  std::optional<std::size_t> last_stop_;
  std::uint64_t watched_program_ = 0, watched_state_ = 0;
  std::size_t watched_section_ = 0;
};

}  // namespace flashscope::window
