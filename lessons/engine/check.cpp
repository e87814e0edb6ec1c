// Carrying out a whole lesson and noting what fails; see check.h.
#include "lessons/engine/check.h"

#include <fmt/format.h>

#include "lessons/engine/check_prose.h"
#include "lessons/engine/figure.h"
#include "lessons/engine/message.h"
#include "lessons/engine/stage.h"

namespace flashscope::lessons {
namespace {

// " (4,800,000,000,000)": a stated number without its unit.
std::string in_plain(const std::string& says) {
  const auto stated = parse_stated(says);
  if (!stated) return "";
  const std::string plain = format_value(stated->value, Unit::none, 6);
  return says.starts_with(plain) ? "" : fmt::format(" ({})", plain);
}

class Checker {
 public:
  explicit Checker(const Lesson& lesson) : lesson_(lesson), stage_(lesson), prose_(lesson) {}

  CheckReport run() {
    for (std::size_t n = 0; n < lesson_.blocks.size(); ++n) {
      noting([&] { stage_.enter(n); });
      std::visit([&](const auto& block) { noting([&] { look_at(block, n); }); }, lesson_.blocks[n]);
    }
    report_.hints = prose_.hints();
    return std::move(report_);
  }

 private:
  template <typename Action>
  void noting(Action action) {
    try {
      action();
    } catch (const LessonError& error) {
      note(error.line(), error.reason());
    } catch (const Error& error) {
      note(0, error.what());
    }
  }
  void note(int line, const std::string& reason) {
    report_.mistakes.push_back({line, one_line(reason)});
  }

  void look_at(const Prose&, std::size_t) {}
  void look_at(const ScenarioBlock&, std::size_t) {}

  void look_at(const StopBlock& stop, std::size_t) {
    ++report_.stops;
    stage_.values(stop);
    if (stage_.has_scenario()) check_view(stop);
  }

  void look_at(const QuizBlock& quiz, std::size_t) {
    ++report_.quizzes;
    stage_.quiz(quiz);
  }

  void look_at(const ExpectBlock& expect, std::size_t block) {
    ++report_.expects;
    if (expect.says && !prose_.says(block, expect.says->text)) {
      note(expect.says->line,
           fmt::format("the prose of this section does not say '{}' before it", expect.says->text));
    }
    std::string found;
    if (stage_.expect(expect, found)) return;
    if (expect.holds) {
      note(expect.holds->line, fmt::format("'{}' does not hold", expect.holds->text));
    } else {
      note(expect.says->line, fmt::format("the prose says '{}'{}, but {} is {}", expect.says->text,
                                          in_plain(expect.says->text), expect.is->text, found));
    }
  }

  void look_at(const TaskBlock& task, std::size_t) {
    ++report_.tasks;
    if (stage_.done_at_start(task)) {
      note(task.until.line,
           fmt::format("task: '{}' holds before anything is done", task.until.text));
    }
    if (!stage_.solved(task)) {
      note(task.line, fmt::format("task: its solution does not make '{}' hold", task.until.text));
    }
  }

  void look_at(const FigureBlock& figure, std::size_t) {
    ++report_.figures;
    make_figure(figure, stage_);
  }

  // Rows and the buffer that a stop wants to be looked at.
  void check_view(const StopBlock& stop) {
    const Program& program = stage_.debugger().program();
    const std::int64_t rows = program.problem().q_len * program.group();
    for (const std::int64_t row : stop.rows) {
      if (row >= 0 && row < rows) continue;
      note(stop.place.line, fmt::format("row {}: there are rows 0 to {}", row, rows - 1));
    }
    if (stop.tile.empty() || program.algorithm().find(stop.tile, false) >= 0) return;
    note(stop.place.line,
         fmt::format("tile-panel '{}': the table keeps no such tile on chip", stop.tile));
  }

  const Lesson& lesson_;
  CheckReport report_;
  Stage stage_;
  ProseCheck prose_;
};

}  // namespace

CheckReport check(const Lesson& lesson) { return Checker(lesson).run(); }

}  // namespace flashscope::lessons
