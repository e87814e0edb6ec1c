// See lesson_reader.h.
#include "viz/terminal/lesson_reader.h"

#include <utility>

#include <fmt/format.h>

#include "sim/error.h"
#include "viz/terminal/lesson_blocks.h"
#include "viz/terminal/lesson_busy.h"
#include "viz/terminal/lesson_figure.h"
#include "viz/terminal/lesson_text.h"

namespace flashscope::terminal {
namespace {

using lessons::QuizBlock;
using lessons::TaskBlock;

constexpr const char* kMore = "(Enter: more) ";
constexpr const char* kWords[][2] = {
    {"Enter", "go on"},
    {"A, B, … or 1, 2, …", "answer a question"},
    {"hint", "help with a task"},
    {"skip", "leave a question or task open"},
    {"back, b", "one step back"},
    {"quit, q", "leave; the lesson goes on from there another time"},
    {"print fa2.load_bytes", "a number of a scenario of the lesson"},
    {"help debug", "commands of the debugger, which work at any place: print m, step, list"},
};
constexpr int kWordColumns = 22;

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

void LessonReader::answered(int line, bool right, bool is_quiz) {
  progress_.of(lesson_.name).answer(line, right, is_quiz);
  keep();
}

void LessonReader::help() {
  for (const auto& [word, meaning] : kWords) {
    fmt::print("{}\n",
               wrapped(fmt::format("  {}  {}", pad_right(styled(word, Style::code), kWordColumns),
                                   meaning),
                       kWordColumns + 4));
  }
}

void LessonReader::execute(const std::string& command) {
  std::string text;
  {
    const LessonBusy busy(input_.at_terminal(), "working on " + trial_.subject());
    text = trial_.execute(command);
  }
  fmt::print("{}", text);
}

bool LessonReader::common(const std::string& typed, std::optional<Move>& move) {
  if (typed == "quit" || typed == "q" || typed == "exit") {
    move = Move::quit;
  } else if (typed == "back" || typed == "b") {
    if (now_ > 0) {
      move = Move::back;
    } else {
      fmt::print("  This is the first step.\n");
    }
  } else if (typed == "help" || typed == "h" || typed == "?") {
    help();
  } else if (typed == "help debug") {
    execute("help");
  } else {
    return false;
  }
  return true;
}

std::optional<LessonReader::Move> LessonReader::read_screens(const std::string& text) {
  const std::vector<std::string> screens = input_.screens(text);
  for (std::size_t n = 0; n < screens.size(); ++n) {
    fmt::print("{}", screens[n]);
    // A command in between does not turn the page.
    while (n + 1 < screens.size()) {
      const auto typed = input_.line(kMore, trial_.names());
      if (!typed) return Move::quit;
      if (typed->empty()) {
        fmt::print("\n");
        break;
      }
      std::optional<Move> move;
      if (common(*typed, move)) {
        if (move) return move;
      } else if (*typed == "hint" || *typed == "skip" || is_stray_answer(*typed)) {
        fmt::print("{}", told("There is more to read first: Enter."));
      } else {
        execute(*typed);
      }
    }
  }
  return std::nullopt;
}

LessonReader::Move LessonReader::wait() {
  while (true) {
    const auto typed = input_.line("(Enter) ", trial_.names());
    if (!typed) return Move::quit;
    if (typed->empty() || *typed == "skip") return Move::on;
    std::optional<Move> move;
    if (common(*typed, move)) {
      if (move) return *move;
    } else if (*typed == "hint" || is_stray_answer(*typed)) {
      fmt::print("{}", told("Nothing is asked here. Enter goes on."));
    } else {
      execute(*typed);
    }
  }
}

LessonReader::Move LessonReader::ask(const QuizBlock& quiz, const lessons::ShownQuiz& shown) {
  const std::string last = option_letter(shown.options.size() - 1);
  const std::string prompt = fmt::format("A-{}? ", last);
  bool wrong = false, reminded = false;
  while (true) {
    const auto typed = input_.line(prompt, trial_.names());
    if (!typed) return Move::quit;
    std::optional<Move> move;
    const std::optional<char> letter = letter_typed(*typed);
    const std::size_t option =
        letter ? static_cast<std::size_t>(*letter - 'a') : shown.options.size();
    if (option < shown.options.size()) {
      const bool right = option == shown.right;
      answered(quiz.line, right, true);
      const lessons::ShownOption& chosen = shown.options[option];
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
      if (!std::exchange(reminded, true)) {
        fmt::print("{}", paragraph(fmt::format("A to {} answers; skip goes on without.", last),
                                   "  ", "  ", Style::dim));
      }
    } else if (*typed == "skip") {
      return Move::on;
    } else if (*typed == "hint") {
      fmt::print("{}", told("No hint here: look at the numbers with print, x or list, or guess."));
    } else if (common(*typed, move)) {
      if (move) return *move;
    } else if (letter) {
      fmt::print("{}", told(fmt::format("A to {}, please.", last)));
    } else {
      execute(*typed);
    }
  }
  return wait();
}

std::string LessonReader::step_text(std::size_t n) {
  LessonBusy busy(input_.at_terminal(), "opening the lesson");
  const LessonStep& here = steps_[n];
  std::string text =
      "\n" + ruled(lesson_heading(lesson_), fmt::format("step {} of {}", n + 1, steps_.size()));
  const auto add = [&text](const std::string& block) {
    if (!block.empty()) text += "\n" + block;
  };
  shown_.reset();
  for (std::size_t b = here.begin; b < here.end; ++b) {
    enter(b);
    if (stage_.has_scenario()) busy.say("opening " + trial_.subject());
    const lessons::Block& block = lesson_.blocks[b];
    if (const auto* const prose = std::get_if<lessons::Prose>(&block)) {
      add(markdown_text(prose->blocks));
    } else if (const auto* const stop = std::get_if<lessons::StopBlock>(&block)) {
      add(stop_text(*stop, stage_));
    } else if (const auto* const figure = std::get_if<lessons::FigureBlock>(&block)) {
      add(figure_text(lessons::make_figure(*figure, stage_)));
    } else if (const auto* const scenario = std::get_if<lessons::ScenarioBlock>(&block)) {
      if (scenario->opens) add(scenario_text(stage_));
    } else if (const auto* const quiz = std::get_if<QuizBlock>(&block)) {
      shown_ = stage_.quiz(*quiz);
      add(quiz_text(*quiz, *shown_));
    } else if (const auto* const task = std::get_if<TaskBlock>(&block)) {
      add(task_text(*task) + how_to_work() + "\n" + trial_.position_text() + task_state(*task));
    }
  }
  return text + "\n";
}

LessonReader::Move LessonReader::show_step(std::size_t n) {
  trial_.move_on();
  if (const auto move = read_screens(std::exchange(preface_, "") + step_text(n))) return *move;
  const lessons::Block& last = lesson_.blocks[steps_[n].end - 1];
  if (const auto* const quiz = std::get_if<QuizBlock>(&last)) return ask(*quiz, *shown_);
  if (const auto* const task = std::get_if<TaskBlock>(&last)) return work_on(*task);
  return n + 1 == steps_.size() ? Move::on : wait();
}

bool LessonReader::read(std::size_t first) {
  if (input_.at_terminal()) {
    preface_ = paragraph(std::string("Enter goes on; back, quit and help do what they say. Any "
                                     "command of the debugger works as well."),
                         "", "", Style::dim);
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
