// `flashscope lesson show`: a whole lesson as text. Nothing is printed unless all of it could be
// made.
#include <fmt/format.h>

#include "lessons/engine/course.h"
#include "viz/terminal/lesson_blocks.h"
#include "viz/terminal/lesson_figure.h"
#include "viz/terminal/lesson_steps.h"
#include "viz/terminal/lesson_text.h"
#include "viz/terminal/lesson_verbs.h"

namespace flashscope::terminal {
namespace {

class LessonPrinter {
 public:
  LessonPrinter(const lessons::Lesson& lesson, bool answers) : stage_(lesson), answers_(answers) {}

  std::string text(std::size_t n, const lessons::Block& block) {
    stage_.enter(n);
    return std::visit([this](const auto& each) { return text_of(each); }, block);
  }

 private:
  std::string text_of(const lessons::Prose& prose) { return markdown_text(prose.blocks); }
  std::string text_of(const lessons::ScenarioBlock& scenario) {
    return scenario.opens ? scenario_text(stage_) : "";
  }
  std::string text_of(const lessons::StopBlock& stop) { return stop_text(stop, stage_); }
  std::string text_of(const lessons::QuizBlock& quiz) {
    const lessons::ShownQuiz shown = stage_.quiz(quiz);
    std::string text = quiz_text(quiz, shown);
    if (answers_) text += "\n" + quiz_answer_text(quiz, shown);
    return text;
  }
  std::string text_of(const lessons::ExpectBlock&) { return ""; }
  std::string text_of(const lessons::TaskBlock& task) {
    std::string text = task_text(task);
    if (answers_) text += hint_text(task) + solution_text(task) + remark("", task.why);
    return text;
  }
  std::string text_of(const lessons::FigureBlock& figure) {
    return figure_text(lessons::make_figure(figure, stage_));
  }

  lessons::Stage stage_;
  bool answers_;
};

}  // namespace

int show_lesson(const LessonShowOptions& options) {
  const lessons::Lesson lesson = lessons::load_lesson(options.lesson);
  std::string text = ruled(lesson_heading(lesson), fmt::format("{} min", lesson.minutes)) +
                     paragraph(lesson.about, "   ", "   ", Style::dim);
  LessonPrinter printer(lesson, options.answers);
  for (std::size_t n = 0; n < lesson.blocks.size(); ++n) {
    const std::string block = printer.text(n, lesson.blocks[n]);
    if (!block.empty()) text += "\n" + block;
  }
  if (options.teacher) {
    text += "\n" + ruled("For the teacher", "") + "\n";
    text += lesson.teacher.empty() ? "The lesson has no such section.\n"
                                   : markdown_text(lesson.teacher);
  }
  fmt::print("{}", text);
  return 0;
}

}  // namespace flashscope::terminal
