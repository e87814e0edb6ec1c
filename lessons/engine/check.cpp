// Carrying out a whole lesson and noting what fails; see check.h.
#include "lessons/engine/check.h"

#include <algorithm>

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
      const Block& block = lesson_.blocks[n];
      const int line = line_of(block);
      const bool entered = noting(line, [&] { stage_.enter(n); });
      if (const auto* scenario = std::get_if<ScenarioBlock>(&block)) {
        if (!entered) lost_.push_back(scenario->name.text);
        if (scenario->opens) nothing_open_ = !entered;
      }
      std::visit([&](const auto& each) { noting(line, [&] { look_at(each, n, entered); }); },
                 block);
    }
    report_.hints = prose_.hints();
    return std::move(report_);
  }

 private:
  // Whether it went well. What fails only because of a scenario that was told already is not told.
  template <typename Action>
  bool noting(int line, Action action) {
    try {
      action();
      return true;
    } catch (const LessonError& error) {
      if (!follows(error.reason())) note(error.line(), error.reason());
    } catch (const Error& error) {
      if (!follows(error.what())) note(line, error.what());
    }
    return false;
  }
  bool follows(std::string_view reason) const {
    if (nothing_open_ && reason.find("no scenario is open") != std::string_view::npos) return true;
    return std::any_of(lost_.begin(), lost_.end(), [&](const std::string& name) {
      return reason.find(fmt::format("there is no scenario '{}'", name)) != std::string_view::npos;
    });
  }
  static int line_of(const Block& block) {
    if (const auto* scenario = std::get_if<ScenarioBlock>(&block)) return scenario->name.line;
    if (const auto* stop = std::get_if<StopBlock>(&block)) return stop->place.line;
    if (const auto* quiz = std::get_if<QuizBlock>(&block)) return quiz->line;
    if (const auto* expect = std::get_if<ExpectBlock>(&block)) return expect->line;
    if (const auto* task = std::get_if<TaskBlock>(&block)) return task->line;
    if (const auto* figure = std::get_if<FigureBlock>(&block)) return figure->line;
    return 1;
  }
  void note(int line, const std::string& reason) {
    report_.mistakes.push_back({line, one_line(reason)});
  }

  void look_at(const Prose&, std::size_t, bool) {}
  void look_at(const ScenarioBlock&, std::size_t, bool) {}

  void look_at(const StopBlock& stop, std::size_t, bool entered) {
    ++report_.stops;
    if (!entered) return;
    // The search goes round; what lies behind the reader is no place that is reached.
    if (stage_.position() < stage_.previous_position()) {
      note(stop.place.line,
           "stop: the place lies before the stop before it, and is not reached again from there; "
           "change their order, or open the scenario anew");
    }
    stage_.values(stop);
    if (stage_.has_scenario()) check_view(stop);
  }

  void look_at(const QuizBlock& quiz, std::size_t, bool) {
    ++report_.quizzes;
    stage_.quiz(quiz);
  }

  void look_at(const ExpectBlock& expect, std::size_t block, bool) {
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

  void look_at(const TaskBlock& task, std::size_t, bool) {
    ++report_.tasks;
    if (stage_.done_at_start(task)) {
      note(task.until.line,
           fmt::format("task: '{}' holds before anything is done", task.until.text));
    }
    if (!stage_.solved(task)) {
      note(task.line, fmt::format("task: its solution does not make '{}' hold", task.until.text));
    }
  }

  void look_at(const FigureBlock& figure, std::size_t, bool) {
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
  std::vector<std::string> lost_;  // scenarios that could not be made
  bool nothing_open_ = false;      // because of one of them
};

}  // namespace

CheckReport check(const Lesson& lesson) { return Checker(lesson).run(); }

}  // namespace flashscope::lessons
