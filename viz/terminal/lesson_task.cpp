// Working on a task; see lesson_reader.h.
#include <utility>

#include <fmt/format.h>

#include "viz/terminal/lesson_blocks.h"
#include "viz/terminal/lesson_busy.h"
#include "viz/terminal/lesson_reader.h"
#include "viz/terminal/lesson_text.h"

namespace flashscope::terminal {
namespace {

using lessons::TaskBlock;

constexpr const char* kHardBlank = "\u00a0";  // that no line is broken at

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

// What the task's condition looks at, and the condition.
std::string LessonReader::task_state(const TaskBlock& task) {
  constexpr int kLabelColumns = 8;
  const std::string indent(kLabelColumns, ' ');
  // A name stays in one line with its value, where that is possible.
  std::string now;
  for (const lessons::ShownValue& value : trial_.watched(task.until.text)) {
    const std::string each = fmt::format("{} = {}", value.expression, value.value);
    const bool fits = display_width(each) < text_width() - kLabelColumns;
    now += (now.empty() ? "" : ", ") + (fits ? replaced(each, " ", kHardBlank) : each);
  }
  if (!now.empty()) now = paragraph(now, styled("now     ", Style::dim), indent);
  return replaced(now, kHardBlank, " ") +
         paragraph(task.until.text, styled("wanted  ", Style::dim), indent);
}

LessonReader::Move LessonReader::work_on(const TaskBlock& task) {
  std::string before = trial_.state(), shown = task_state(task);
  bool reminded = false, hinted = false;
  while (true) {
    const auto typed = input_.line("(task) ", trial_.names());
    if (!typed) return Move::quit;
    std::optional<Move> move;
    if (typed->empty()) {
      if (!std::exchange(reminded, true)) fmt::print("  Still open: a command, hint, or skip.\n");
    } else if (*typed == "hint") {
      const std::string hint = std::exchange(hinted, true) ? "" : hint_text(task);
      const char* none =
          hinted && !task.hint.empty() ? "There is no further hint" : "There is no hint";
      fmt::print("{}", hint.empty() ? told(fmt::format("{}; skip shows a solution.", none)) : hint);
    } else if (*typed == "skip") {
      answered(task.line, false, false);
      fmt::print("{}{}", solution_text(task), remark("", task.why));
      break;
    } else if (common(*typed, move)) {
      if (move) return *move;
    } else if (is_stray_answer(*typed)) {
      fmt::print("{}", told("This is a task: commands of the debugger solve it. hint helps."));
    } else {
      std::string text, after, now;
      bool solved = false;
      {
        const LessonBusy busy(input_.at_terminal(), "working on " + trial_.subject());
        text = trial_.execute(*typed);
        after = trial_.state();
        solved = after != before && trial_.holds(task.until.text);
        if (after != before && !solved) now = task_state(task);
      }
      fmt::print("{}", text);
      if (solved) {
        answered(task.line, true, false);
        fmt::print("\n{}", remark(styled("Solved.", Style::good), task.why));
        break;
      }
      // Another setting is an attempt, whatever it changes; a step that changes no number is none.
      const bool is_attempt =
          after.substr(0, after.find(' ')) != before.substr(0, before.find(' '));
      if (is_attempt || (after != before && now != shown)) {
        fmt::print("{}", now);
        shown = now;
      }
      before = after;
    }
  }
  return wait();
}

}  // namespace flashscope::terminal
