// See lesson_reader.h.
#include "viz/terminal/lesson_reader.h"

#include <fmt/format.h>

#include "sim/error.h"
#include "viz/terminal/lesson_blocks.h"
#include "viz/terminal/lesson_figure.h"
#include "viz/terminal/lesson_text.h"

namespace flashscope::terminal {
namespace {

using lessons::QuizBlock;
using lessons::TaskBlock;

constexpr const char* kOn = "(Enter) ";
constexpr const char* kWords[][2] = {
    {"Enter", "go on"},
    {"A, B, … or 1, 2, …", "answer a question"},
    {"hint", "help with a task"},
    {"skip", "leave a question or task open"},
    {"back", "one step back"},
    {"quit", "leave; the lesson goes on from there another time"},
    {"help debug", "commands of the debugger, which work at any place: print m, step, list"},
};

// "b", "B" or "2" of three options is 1; nothing for what is no answer.
std::optional<std::size_t> option_typed(const std::string& typed, std::size_t options) {
  if (typed.size() != 1) return std::nullopt;
  const char c = typed[0];
  std::size_t option = options;
  if (c >= '1' && c <= '9') option = static_cast<std::size_t>(c - '1');
  if (c >= 'a' && c <= 'z') option = static_cast<std::size_t>(c - 'a');
  if (c >= 'A' && c <= 'Z') option = static_cast<std::size_t>(c - 'A');
  return option < options ? std::optional(option) : std::nullopt;
}

}  // namespace

// The stage carries blocks out in order, so those before a step come first; going back starts anew.
void LessonReader::enter(std::size_t block) {
  if (block < next_block_) next_block_ = 0;
  while (next_block_ <= block) stage_.enter(next_block_++);
}

void LessonReader::keep() {
  if (!is_kept_) return;
  try {
    progress_.keep();
  } catch (const Error& error) {
    is_kept_ = false;
    print_note(fmt::format("progress is not kept: {}", error.what()));
  }
}

// The first try counts.
void LessonReader::answered(int line, bool right) {
  if (!tried_.insert(line).second) return;
  lessons::LessonProgress& mine = progress_.of(lesson_.name);
  mine.answers[line] = right;
  mine.right = mine.asked = 0;
  for (const lessons::Block& block : lesson_.blocks) {
    const auto* const quiz = std::get_if<QuizBlock>(&block);
    if (quiz == nullptr) continue;
    const auto answer = mine.answers.find(quiz->line);
    if (answer == mine.answers.end()) continue;
    ++mine.asked;
    mine.right += answer->second ? 1 : 0;
  }
  keep();
}

void LessonReader::help() {
  Table table("ll");
  for (const auto& [word, meaning] : kWords) table.row({styled(word, Style::code), meaning});
  fmt::print("{}", table.text());
}

bool LessonReader::common(const std::string& typed, std::optional<Move>& move) {
  if (typed == "quit" || typed == "q" || typed == "exit") {
    move = Move::quit;
  } else if (typed == "back") {
    if (now_ > 0) {
      move = Move::back;
    } else {
      fmt::print("  This is the first step.\n");
    }
  } else if (typed == "help" || typed == "h" || typed == "?") {
    help();
  } else if (typed == "help debug") {
    trial_.execute("help");
  } else {
    return false;
  }
  return true;
}

LessonReader::Move LessonReader::wait(const std::string& prompt) {
  while (true) {
    const auto typed = input_.line(prompt, trial_.names());
    if (!typed) return Move::quit;
    if (typed->empty() || *typed == "skip") return Move::on;
    std::optional<Move> move;
    if (common(*typed, move)) {
      if (move) return *move;
    } else if (*typed == "hint") {
      fmt::print("  There is nothing to guess here. Enter goes on.\n");
    } else {
      trial_.execute(*typed);
    }
  }
}

LessonReader::Move LessonReader::ask(const QuizBlock& quiz) {
  const lessons::ShownQuiz shown = stage_.quiz(quiz);
  input_.show(quiz_text(quiz, shown) + "\n");
  const std::string prompt = fmt::format("A-{}? ", option_letter(shown.options.size() - 1));
  bool wrong = false;
  while (true) {
    const auto typed = input_.line(prompt, trial_.names());
    if (!typed) return Move::quit;
    std::optional<Move> move;
    if (const auto option = option_typed(*typed, shown.options.size())) {
      const bool right = *option == shown.right;
      answered(quiz.line, right);
      const lessons::ShownOption& chosen = shown.options[*option];
      if (right) {
        fmt::print("\n{}{}", remark(styled("Right.", Style::good), chosen.why),
                   remark("", quiz.why));
        break;
      }
      wrong = true;
      fmt::print("{}", remark(styled("No.", Style::bad), chosen.why));
      fmt::print("{}", paragraph(std::string("Another letter tries again, Enter shows the answer."),
                                 "  ", "  ", Style::dim));
    } else if (typed->empty() && wrong) {
      fmt::print("{}{}",
                 remark(fmt::format("It is {}:", option_letter(shown.right)),
                        shown.options[shown.right].text),
                 remark("", quiz.why));
      break;
    } else if (typed->empty()) {
      fmt::print("{}", paragraph(std::string("A letter answers; skip goes on without."), "  ", "  ",
                                 Style::dim));
    } else if (*typed == "skip") {
      return Move::on;
    } else if (*typed == "hint") {
      fmt::print("  No hint here: look at the numbers with print, x or list, or guess.\n");
    } else if (common(*typed, move)) {
      if (move) return *move;
    } else {
      trial_.execute(*typed);
    }
  }
  return wait(kOn);
}

LessonReader::Move LessonReader::work_on(const TaskBlock& task) {
  input_.show(task_text(task));
  fmt::print("  {}\n\n", styled("The debugger's commands do it (goto, option, edit); also hint and "
                                "skip.",
                                Style::dim));
  trial_.prompt().show_position();
  while (true) {
    const auto typed = input_.line("(task) ", trial_.names());
    if (!typed) return Move::quit;
    std::optional<Move> move;
    if (typed->empty()) {
      fmt::print("  Still open: a command, hint, or skip.\n");
    } else if (*typed == "hint") {
      const std::string hint = hint_text(task);
      fmt::print("{}", hint.empty() ? "  There is no hint for this one.\n" : hint);
    } else if (*typed == "skip") {
      answered(task.line, false);
      fmt::print("{}{}", solution_text(task), remark("", task.why));
      break;
    } else if (common(*typed, move)) {
      if (move) return *move;
    } else {
      trial_.execute(*typed);
      if (!trial_.holds(task.until.text)) continue;
      answered(task.line, true);
      fmt::print("\n{}", remark(styled("Solved.", Style::good), task.why));
      break;
    }
  }
  return wait(kOn);
}

LessonReader::Move LessonReader::show_step(std::size_t n) {
  trial_.move_on();
  const LessonStep& here = steps_[n];
  std::string text =
      "\n" + ruled(lesson_heading(lesson_), fmt::format("step {} of {}", n + 1, steps_.size()));
  const auto add = [&text](const std::string& block) {
    if (!block.empty()) text += "\n" + block;
  };
  for (std::size_t b = here.begin; b < here.end; ++b) {
    enter(b);
    const lessons::Block& block = lesson_.blocks[b];
    if (const auto* const prose = std::get_if<lessons::Prose>(&block)) {
      add(markdown_text(prose->blocks));
    } else if (const auto* const stop = std::get_if<lessons::StopBlock>(&block)) {
      add(stop_text(*stop, stage_));
    } else if (const auto* const figure = std::get_if<lessons::FigureBlock>(&block)) {
      add(figure_text(lessons::make_figure(*figure, stage_)));
    } else if (const auto* const scenario = std::get_if<lessons::ScenarioBlock>(&block)) {
      if (scenario->opens) add(scenario_text(stage_));
    }
  }
  input_.show(text + "\n");
  const lessons::Block& last = lesson_.blocks[here.end - 1];
  if (const auto* const quiz = std::get_if<QuizBlock>(&last)) return ask(*quiz);
  if (const auto* const task = std::get_if<TaskBlock>(&last)) return work_on(*task);
  return n + 1 == steps_.size() ? Move::on : wait(kOn);
}

bool LessonReader::read(std::size_t first) {
  if (input_.at_terminal()) {
    fmt::print("{}", paragraph(std::string("Enter goes on; back, quit and help do what they say. "
                                           "Any command of the debugger works as well."),
                               "", "", Style::dim));
  }
  for (now_ = first; now_ < steps_.size();) {
    lessons::LessonProgress& mine = progress_.of(lesson_.name);
    mine.block = static_cast<int>(steps_[now_].begin);
    const Move move = show_step(now_);
    if (move == Move::quit) {
      keep();
      return false;
    }
    if (move == Move::back) {
      --now_;
      continue;
    }
    mine.block = static_cast<int>(steps_[now_].end);
    ++now_;
    keep();
  }
  progress_.of(lesson_.name).finished = true;
  keep();
  return true;
}

}  // namespace flashscope::terminal
