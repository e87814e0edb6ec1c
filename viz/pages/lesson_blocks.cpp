// Quizzes and tasks; see lesson_blocks.h.
#include "viz/pages/lesson_blocks.h"

#include <fmt/format.h>

#include "viz/pages/prose_html.h"
#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

std::string command_html(const std::string& command) {
  return fmt::format("<p class=\"command\"><code>{}</code></p>\n", escaped(command));
}

// How to open what a scenario or its solution is; with its table, where it has one of its own.
std::string scenario_html(const ProblemOptions& options) {
  if (!options.table) return command_html(debug_command(options));
  ProblemOptions with_file = options;
  with_file.table.reset();
  with_file.algorithm = "mine.alg";
  return fmt::format(
      "<details><summary>The table: save it as mine.alg</summary><pre class=\"block\" "
      "tabindex=\"0\"><code>{}</code></pre></details>\n{}",
      escaped(*options.table), command_html(debug_command(with_file)));
}

std::string place_html(const lessons::Place& place) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (place.op) add(fmt::format("op {}", *place.op));
  if (place.q_tile) add(fmt::format("q tile {}", *place.q_tile));
  if (place.kv_tile) add(fmt::format("kv tile {}", *place.kv_tile));
  if (place.head) add(fmt::format("head {}", *place.head));
  if (place.batch) add(fmt::format("batch {}", *place.batch));
  if (place.split) add(fmt::format("split {}", *place.split));
  if (place.after) add("behind " + place.after->text);
  if (place.before) add("before " + place.before->text);
  if (place.when) add("where " + place.when->text);
  if (place.end) add("the end");
  return text.empty() ? "" : fmt::format("<p>Go to: <code>{}</code></p>\n", escaped(text));
}

std::string solution_html(const lessons::TaskBlock& task, lessons::Stage& stage) {
  std::string html;
  for (const lessons::TableEdit& edit : task.solution.edits) {
    html +=
        edit.to.empty()
            ? fmt::format("<p>Take out the line <code>{}</code>.</p>\n", escaped(edit.line.text))
            : fmt::format("<p>Write <code>{}</code> in place of <code>{}</code>.</p>\n",
                          escaped(edit.to), escaped(edit.line.text));
  }
  if (!task.solution.given.empty() || !task.solution.edits.empty()) {
    html += scenario_html(lessons::changed_options(stage.options(), task.solution));
  }
  html += place_html(task.solution_place);
  if (!task.why.empty()) html += "<p>" + text_html(task.why) + "</p>\n";
  return html;
}

}  // namespace

std::string debug_command(const ProblemOptions& options) {
  std::string command = "flashscope debug";
  for (const std::string& word : problem_arguments(options)) (command += ' ') += shell_word(word);
  return command;
}

// What was wrong stands in templates, which no browser shows; which option is right, in an
// attribute that the script reads. Without scripts the answer can be unfolded.
std::string quiz_html(const lessons::QuizBlock& quiz, lessons::Stage& stage,
                      const std::string& id) {
  const lessons::ShownQuiz shown = stage.quiz(quiz);
  std::string html = fmt::format(
      "<div class=\"quiz\" id=\"{0}\" data-right=\"{1}\"><fieldset><legend>{2}</legend>\n", id,
      shown.right, text_html(quiz.question));
  for (std::size_t n = 0; n < shown.options.size(); ++n) {
    const lessons::ShownOption& option = shown.options[n];
    html += fmt::format(
        "<label for=\"{0}-{1}\"><input type=\"radio\" name=\"{0}\" id=\"{0}-{1}\" value=\"{1}\"> "
        "<span>{2}</span></label>\n",
        id, n, text_html(lessons::parse_inline(option.text)));
    if (!option.why.empty()) {
      html += fmt::format("<template data-option=\"{}\">{}</template>\n", n,
                          text_html(lessons::parse_inline(option.why)));
    }
  }
  if (!quiz.why.empty()) {
    html += fmt::format("<template data-option=\"all\">{}</template>\n", text_html(quiz.why));
  }
  html += fmt::format(
      "<button type=\"button\" hidden>Check</button>\n"
      "<div class=\"feedback\" role=\"status\" aria-live=\"polite\"></div>\n"
      "<noscript><details><summary>The answer</summary><p><strong>{}</strong></p><p>{}</p>"
      "</details></noscript>\n</fieldset></div>\n",
      text_html(lessons::parse_inline(shown.options[shown.right].text)), text_html(quiz.why));
  return html;
}

std::string task_html(const lessons::TaskBlock& task, lessons::Stage& stage,
                      const std::string& lesson) {
  std::string html = fmt::format("<div class=\"task\"><p class=\"task-name\">Task</p><p>{}</p>\n",
                                 text_html(task.text));
  html += fmt::format("<p class=\"note\">Done when <code>{}</code>. The program notices:</p>\n",
                      escaped(task.until.text));
  html += command_html("flashscope lesson take " + shell_word(lesson));
  if (stage.has_scenario()) {
    html += "<p class=\"note\">Or alone, in the debugger:</p>\n" + scenario_html(stage.options());
  }
  if (!task.hint.empty()) {
    html += fmt::format("<details><summary>A hint</summary><p>{}</p></details>\n",
                        text_html(task.hint));
  }
  if (const std::string solution = solution_html(task, stage); !solution.empty()) {
    html += fmt::format("<details><summary>A solution</summary>\n{}</details>\n", solution);
  }
  return html + "</div>\n";
}

}  // namespace flashscope::pages
