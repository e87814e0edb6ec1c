// One lesson as a page: its blocks in reading order, carried out on a stage.
#include <algorithm>

#include <fmt/format.h>

#include "lessons/engine/course.h"
#include "lessons/engine/figure.h"
#include "lessons/engine/stage.h"
#include "sim/error.h"
#include "viz/pages/course_html.h"
#include "viz/pages/document.h"
#include "viz/pages/figure_html.h"
#include "viz/pages/lesson_blocks.h"
#include "viz/pages/page.h"
#include "viz/pages/prose_html.h"
#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

using lessons::ExpectBlock;
using lessons::FigureBlock;
using lessons::Lesson;
using lessons::LessonError;
using lessons::Prose;
using lessons::QuizBlock;
using lessons::ScenarioBlock;
using lessons::StopBlock;
using lessons::TaskBlock;

bool is_of_course(const Lesson& lesson) {
  return std::ranges::any_of(lessons::course_files(), [&](const lessons::CourseFile& file) {
    return file.text == lesson.source;
  });
}

class LessonWriter {
 public:
  LessonWriter(const Lesson& lesson, const LessonPageOptions& options)
      : lesson_(lesson),
        options_(options),
        // A lesson of the course goes by its name, another by its file.
        which_(is_of_course(lesson) ? lesson.name : lesson.file),
        stage_(lesson) {}

  DocumentParts write() {
    for (std::size_t n = 0; n < lesson_.blocks.size(); ++n) {
      stage_.enter(n);
      std::visit([this](const auto& block) { add(block); }, lesson_.blocks[n]);
    }
    if (options_.teacher && !lesson_.teacher.empty()) {
      body_ += fmt::format(
          "<details class=\"teacher\"><summary>For the teacher</summary>\n{}</details>\n",
          prose_.html(lesson_.teacher));
    }
    DocumentParts page;
    page.title = plain_title(lesson_.title);
    page.description = plain_title(lesson_.about);
    page.has_quizzes = quizzes_ > 0;
    page.body = head() + "<div class=\"lesson\">\n" + contents() +
                fmt::format("<main data-lesson=\"{}\">\n", escaped(lesson_.name)) + body_ +
                turn_html(lesson_.number, options_.course) +
                "</main>\n</div>\n<footer><p>Every number and figure of this page was computed by "
                "FlashScope when it was written. Bytes are those between HBM and SRAM, without a "
                "cache.</p></footer>\n";
    return page;
  }

 private:
  void add(const Prose& prose) { body_ += prose_.html(prose.blocks); }
  void add(const ScenarioBlock&) {}
  void add(const ExpectBlock&) {}  // for the check, not for readers

  void add(const StopBlock& stop) {
    // Ids of headings have no underscore.
    const std::string id = fmt::format("stop_{}", ++stops_);
    try {
      body_ += stop_html(stop, stage_, id, std::min(prose_.next_level(), 5), tables_);
    } catch (const LessonError&) {
      throw;
    } catch (const Error& error) {
      throw LessonError(lesson_.file, stop.place.line, error.what());
    }
  }
  void add(const QuizBlock& quiz) {
    body_ += quiz_html(quiz, stage_, fmt::format("quiz_{}", ++quizzes_));
  }
  void add(const TaskBlock& task) { body_ += task_html(task, stage_, which_); }
  void add(const FigureBlock& figure) {
    body_ += figure_html(make_figure(figure, stage_), fmt::format("figure_{}", ++figures_));
  }

  std::string head() const {
    return fmt::format(
        "<header class=\"page-head\"><h1>{}</h1>\n<p class=\"lead\">{}</p>\n<p class=\"facts\">{}"
        "{}</p>\n</header>\n",
        title_html(lesson_.title), title_html(lesson_.about), facts_html(lesson_, options_.course),
        quizzes_ > 0 ? "<span class=\"progress\"></span>" : "");
  }

  std::string contents() const {
    std::string html = "<nav aria-label=\"Contents\"><ol>";
    for (const ProseWriter::Heading& heading : prose_.headings()) {
      if (heading.level != 2) continue;
      html += fmt::format("<li><a href=\"#{}\">{}</a></li>", heading.id, heading.html);
    }
    return html + "</ol></nav>\n";
  }

  const Lesson& lesson_;
  const LessonPageOptions& options_;
  std::string which_;
  lessons::Stage stage_;
  ProseWriter prose_;
  TablesShown tables_;
  std::string body_;
  int stops_ = 0, quizzes_ = 0, figures_ = 0;
};

}  // namespace

std::string lesson_page(const lessons::Lesson& lesson, const LessonPageOptions& options) {
  return document(LessonWriter(lesson, options).write());
}

}  // namespace flashscope::pages
