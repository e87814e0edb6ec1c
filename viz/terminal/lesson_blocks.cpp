// See lesson_blocks.h.
#include "viz/terminal/lesson_blocks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "sim/attention/problem.h"
#include "sim/setup/parse_values.h"
#include "viz/terminal/debug_walk.h"
#include "viz/terminal/lesson_text.h"
#include "viz/terminal/problem_options.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

using lessons::Stage;
using lessons::StopBlock;

constexpr std::int64_t kMostWalkedOps = 40;  // shown of a long way; the last ones

// What is printed to a FILE, as a string.
class Captured {
 public:
  Captured() : file_(open_memstream(&data_, &size_)) {}
  ~Captured() {
    std::fclose(file_);
    std::free(data_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  std::FILE* file() { return file_; }
  std::string text() {
    std::fflush(file_);
    return {data_, size_};
  }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

// The first op that a stop shows; `end` is the position behind the last one.
std::int64_t first_walked(const StopBlock& stop, std::int64_t end, Stage& stage,
                          const Segment& last) {
  switch (stop.walk) {
    case StopBlock::Walk::line:
      return end - 1;
    case StopBlock::Walk::step:
      return last.first_op;
    case StopBlock::Walk::since: {
      const std::int64_t previous = stage.previous_position();
      return previous < end ? previous : last.first_op;
    }
    case StopBlock::Walk::none:
      break;
  }
  return end;
}

// The rows of a stop that an op can speak of. Nothing: it is about other rows.
std::optional<std::vector<std::int64_t>> walked_rows(const StopBlock& stop, const Program& program,
                                                     const Segment& segment) {
  if (stop.rows.empty()) return rows_to_show(program, segment);
  if (segment.q_tile < 0 && segment.q_row < 0) return std::vector<std::int64_t>();
  const IndexRange held = program.q_rows(segment);
  std::vector<std::int64_t> rows;
  for (const std::int64_t row : stop.rows) {
    if (held.contains(row)) rows.push_back(row);
  }
  if (rows.empty()) return std::nullopt;
  return rows;
}

std::string walked_ops(const StopBlock& stop, Stage& stage) {
  Debugger& debugger = stage.debugger();
  const Program& program = debugger.program();
  const std::int64_t end = debugger.session().position();
  if (end == 0 || stop.walk == StopBlock::Walk::none) return "";
  const Segment last = program.op(end - 1).segment;
  const std::int64_t wanted = first_walked(stop, end, stage, last);
  const std::int64_t first = std::max(wanted, end - kMostWalkedOps);
  Captured captured;
  WalkText text(stage.scenario(), program, debugger.session().machine(), captured.file(),
                text_width());
  if (first > wanted) fmt::print(captured.file(), "… {} ops\n", first - wanted);
  // The formulas of a step's later lines name what its earlier ones computed.
  debugger.go_to(program.op(first).segment.first_op);
  bool heading = true;
  while (debugger.session().position() < end) {
    const Segment segment = debugger.session().segment();
    const auto rows = walked_rows(stop, program, segment);
    const bool shown = debugger.session().position() >= first && rows;
    const ShowOp how = !shown ? ShowOp::silent : heading ? ShowOp::heading : ShowOp::plain;
    heading = heading && !shown;
    step_shown(debugger, stage.scenario(), rows ? *rows : rows_to_show(program, segment), text,
               how);
  }
  std::string result = captured.text();
  return result.starts_with('\n') ? result.substr(1) : result;
}

// Which rows a walk speaks of, where there are others.
std::string rows_text(const StopBlock& stop, Stage& stage) {
  const Program& program = stage.debugger().program();
  const std::int64_t all = program.problem().q_len * program.group();
  if (stop.rows.empty() || static_cast<std::int64_t>(stop.rows.size()) >= all) return "";
  return paragraph(fmt::format("shown: query row{} {}", stop.rows.size() == 1 ? "" : "s",
                               fmt::join(stop.rows, ", ")),
                   "  ", "  ", Style::dim);
}

std::string next_op(Stage& stage) {
  const Session& session = stage.debugger().session();
  if (session.at_end()) return "";
  const Line& line =
      session.program().algorithm().lines[static_cast<std::size_t>(session.next_op().line)];
  return fmt::format("  {} {}\n",
                     styled(fmt::format("next, op {}:", session.position()), Style::dim),
                     styled(line.text, Style::code));
}

std::string place_words(const lessons::Place& place) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (place.op) add(fmt::format("op {}", *place.op));
  if (place.batch) add(fmt::format("batch {}", *place.batch));
  if (place.head) add(fmt::format("head {}", *place.head));
  if (place.split) add(fmt::format("split {}", *place.split));
  if (place.q_tile) add(fmt::format("q tile {}", *place.q_tile));
  if (place.kv_tile) add(fmt::format("kv tile {}", *place.kv_tile));
  if (place.after) add("behind " + place.after->text);
  if (place.before) add("before " + place.before->text);
  if (place.when) add("where " + place.when->text);
  if (place.end) add("the end");
  return text;
}

std::string value_text(const ProblemOptions& options, const ProblemOption& option) {
  return std::visit(
      [&](auto member) -> std::string {
        const auto& value = options.*member;
        if constexpr (requires { value.has_value(); }) {
          return value ? fmt::format("{}", *value) : "default";
        } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>) {
          return value ? "on" : "off";
        } else {
          return fmt::format("{}", value);
        }
      },
      option.member);
}

// What was chosen beyond shape, algorithm and tiles: ", scale 0, splits 2, pack-gqa".
std::string other_choices(const ProblemOptions& options) {
  static constexpr std::string_view kTold[] = {"--problem", "--batch",  "--q-heads",  "--kv-heads",
                                               "--q-len",   "--kv-len", "--head-dim", "--dtype",
                                               "--causal",  "--window", "--mask",     "--algorithm",
                                               "--fault",   "--q-tile", "--kv-tile"};
  const std::vector<std::string> tokens = problem_arguments(options);
  std::string text;
  bool told = true;
  for (const std::string& token : tokens) {
    const bool is_name = token.starts_with("--");
    if (is_name) told = std::ranges::find(kTold, token) != std::end(kTold);
    if (!told) text += is_name ? ", " + token.substr(2) : " " + token;
  }
  return text;
}

}  // namespace

std::string scenario_text(Stage& stage) {
  if (!stage.has_scenario()) return "";
  const Program& program = stage.facts().find("here").program();
  const std::string text = fmt::format("On stage: {}, {}, tiles {} x {}{}",
                                       program.algorithm().full_name(), describe(program.problem()),
                                       program.tiling().q_tile_rows, program.tiling().kv_tile_rows,
                                       other_choices(stage.facts().find("here").options()));
  return paragraph(text, "  ", "  ", Style::dim);
}

std::string stop_text(const StopBlock& stop, Stage& stage) {
  std::string text;
  if (!stop.title.empty()) {
    text +=
        paragraph(lessons::parse_inline(stop.title), styled("▸ ", Style::good), "  ", Style::title);
  }
  const std::string walked = walked_ops(stop, stage);
  if (!walked.empty()) text += rows_text(stop, stage) + walked;
  if (stop.place.before || stage.debugger().session().position() == 0) text += next_op(stage);
  int width = 0;
  const std::vector<lessons::ShownValue> values = stage.values(stop);
  for (const auto& value : values) width = std::max(width, display_width(value.expression));
  if (!values.empty() && !text.empty()) text += "\n";
  for (const auto& value : values) {
    text += fmt::format("  {} = {}\n", pad_right(styled(value.expression, Style::code), width),
                        styled(value.value, Style::number));
  }
  return text;
}

std::string option_letter(std::size_t option) {
  return std::string(1, static_cast<char>('A' + option));
}

std::string quiz_text(const lessons::QuizBlock& quiz, const lessons::ShownQuiz& shown) {
  std::string text = paragraph(quiz.question, styled("? ", Style::good), "  ", Style::title) + "\n";
  for (std::size_t n = 0; n < shown.options.size(); ++n) {
    text += paragraph(lessons::parse_inline(shown.options[n].text),
                      "    " + styled(option_letter(n), Style::code) + "  ", "       ");
  }
  return text;
}

std::string quiz_answer_text(const lessons::QuizBlock& quiz, const lessons::ShownQuiz& shown) {
  const auto& right = shown.options[shown.right];
  std::string text = remark("Answer " + option_letter(shown.right) + ".", right.why);
  text += remark("", quiz.why);
  for (std::size_t n = 0; n < shown.options.size(); ++n) {
    if (n != shown.right && !shown.options[n].why.empty()) {
      text += remark(option_letter(n) + ":", shown.options[n].why);
    }
  }
  return text;
}

std::string task_text(const lessons::TaskBlock& task) {
  lessons::Text text = {{lessons::Span::Style::strong, "Task: ", ""}};
  text.insert(text.end(), task.text.begin(), task.text.end());
  return paragraph(text, styled("! ", Style::good), "  ");
}

std::string how_to_work() {
  return paragraph(
      lessons::parse_inline(
          "Type debugger commands: `option NAME VALUE` changes a setting (q-tile, head-dim, "
          "causal and so on, as on the command line), `edit LINE TEXT` a line of the "
          "table, `goto OP` the place. All that is wanted must hold; some of it only "
          "keeps the problem the same. hint, skip, back, quit."),
      "  ", "  ", Style::dim);
}

std::string hint_text(const lessons::TaskBlock& task) {
  return task.hint.empty() ? "" : remark("Hint:", task.hint);
}

std::string solution_text(const lessons::TaskBlock& task) {
  std::string text;
  const lessons::ScenarioChange& change = task.solution;
  for (const std::string& given : change.given) {
    for (const ProblemOption& option : problem_option_list()) {
      if (given != option.name && "--" + given != option.name) continue;
      text += fmt::format("    option {} {}\n", std::string_view(option.name).substr(2),
                          value_text(change.options, option));
    }
  }
  for (const lessons::TableEdit& edit : change.edits) {
    const std::string begin = fmt::format("edit {} => ", edit.line.text);
    std::string lines;  // below each other where there are several
    for (const std::string& line : split_list(edit.to, '\n')) {
      lines += (lines.empty() ? "" : "\n" + std::string(4 + begin.size(), ' ')) + line;
    }
    text += fmt::format("    {}{}\n", begin, lines);
  }
  if (change.options.table) text += "    another table\n";
  if (task.solution_place.somewhere()) {
    text += fmt::format("    go to {}\n", place_words(task.solution_place));
  }
  return text.empty() ? "" : remark("One way:", std::string()) + text;
}

std::string remark(const std::string& word, const lessons::Text& text) {
  if (word.empty() && text.empty()) return "";
  lessons::Text all;
  if (!word.empty()) all.push_back({lessons::Span::Style::strong, word + " ", ""});
  all.insert(all.end(), text.begin(), text.end());
  return paragraph(all, "  ", "  ");
}

std::string remark(const std::string& word, const std::string& markdown) {
  return remark(word, lessons::parse_inline(markdown));
}

}  // namespace flashscope::terminal
