// What the blocks of a lesson come to, computed bit by bit; see lesson_player.h.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <tuple>

#include "lessons/engine/evaluate.h"
#include "lessons/engine/watched.h"
#include "sim/error.h"
#include "viz/terminal/debug_walk.h"
#include "viz/views/kernel_view.h"
#include "viz/views/walk_words.h"
#include "viz/window/lesson_player.h"
#include "viz/window/op_changes.h"

namespace flashscope::window {
namespace {

using namespace lessons;

constexpr int kKernelContext = 2;         // lines of a kernel around those that are meant
constexpr std::int64_t kMostWalked = 40;  // ops in words; of more, the last ones

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The kernel's lines around those that do the figure's line of the table.
void add_kernel(const Algorithm& algorithm, Figure& figure) {
  const views::KernelView kernel = views::kernel_view(algorithm);
  const auto line = std::ranges::find_if(
      algorithm.lines, [&](const Line& l) { return l.text.starts_with(figure.kernel_line); });
  if (kernel.file.empty() || line == algorithm.lines.end()) return;
  const auto markers = kernel.markers_of(static_cast<int>(line - algorithm.lines.begin()));
  for (const views::KernelMarker* marker : markers) {
    const int last = static_cast<int>(kernel.code.size());
    const int begin = std::max(1, std::min(marker->line, marker->code.begin) - kKernelContext);
    const int end = std::min(last, marker->code.end - 1 + kKernelContext);
    for (int n = begin; n <= end; ++n) {
      if (!figure.code.empty() && n <= figure.code.back().number) continue;
      const bool marked = n == marker->line || marker->code.contains(n);
      figure.code.push_back({n, kernel.code[static_cast<std::size_t>(n - 1)].text, marked});
    }
  }
}

// The rows of a stop that a step can speak of. Nothing: it is about other rows.
std::optional<std::vector<std::int64_t>> walked_rows(const StopBlock& stop, const Program& program,
                                                     const Segment& segment) {
  if (stop.rows.empty()) return terminal::rows_to_show(program, segment);
  if (segment.q_tile < 0 && segment.q_row < 0) return std::vector<std::int64_t>();
  const IndexRange held = program.q_rows(segment);
  std::vector<std::int64_t> rows;
  std::ranges::copy_if(stop.rows, std::back_inserter(rows),
                       [&](std::int64_t row) { return held.contains(row); });
  if (rows.empty()) return std::nullopt;
  return rows;
}

// Played::next_place.
std::string place_behind(const Program& program, std::int64_t position) {
  if (position == 0 || position == program.size()) return "";
  const Segment done = program.op(position - 1).segment, next = program.op(position).segment;
  const auto whose = [](const Segment& segment) {
    return std::tuple(segment.phase, segment.work_item, segment.batch, segment.head, segment.q_tile,
                      segment.q_row);
  };
  return whose(done) == whose(next) ? "" : views::place_text(program, next);
}

}  // namespace

std::size_t LessonPlayer::section_end() const { return sections_[section_].items.back().block + 1; }

bool LessonPlayer::work(double seconds) {
  if (lesson_ == nullptr) return false;
  const double end = seconds_now() + seconds;
  while (next_block_ < section_end() && seconds_now() < end) compute(next_block_++);
  return next_block_ < section_end();
}

void LessonPlayer::compute(std::size_t block) {
  Played& played = played_[block];
  const Block& content = lesson_->blocks[block];
  try {
    stage_->enter(block);
    if (const auto* scenario = std::get_if<ScenarioBlock>(&content)) {
      if (scenario->opens) played.options = stage_->options();
    } else if (const auto* stop = std::get_if<StopBlock>(&content)) {
      played.position = stage_->debugger().session().position();
      played.values = stage_->values(*stop);
      // Who stops before an op means what comes next.
      if (!stop->place.before) {
        played.next_place = place_behind(stage_->debugger().program(), played.position);
      }
      compute_walk(*stop, played, stage_->previous_position());
    } else if (const auto* quiz = std::get_if<QuizBlock>(&content)) {
      played.quiz = stage_->quiz(*quiz);
    } else if (const auto* figure = std::get_if<FigureBlock>(&content)) {
      played.figure = make_figure(*figure, *stage_);
      if (figure->kind == FigureBlock::Kind::kernel) {
        const std::string of = figure->of.empty() ? "here" : figure->of;
        add_kernel(stage_->facts().find(of).program().algorithm(), *played.figure);
      }
    } else if (std::holds_alternative<TaskBlock>(content)) {
      tasks_.push_back({block, stage_->facts(), 0, false});
    }
  } catch (const Error& error) {
    played.error = error.what();
  }
  played.ready = true;
}

// The ops that led to the stop, executed once more.
void LessonPlayer::compute_walk(const StopBlock& stop, Played& played, std::int64_t from) {
  const std::int64_t end = played.position;
  if (stop.walk == StopBlock::Walk::none || end == 0) return;
  Debugger& debugger = stage_->debugger();
  const Program& program = debugger.program();
  std::int64_t begin = end - 1;
  if (stop.walk != StopBlock::Walk::line) begin = program.op(end - 1).segment.first_op;
  if (stop.walk == StopBlock::Walk::since && from < end) begin = from;
  const std::int64_t first = std::max(begin, end - kMostWalked);
  played.walk_left_out = first - begin;
  debugger.go_to(first);
  const Session& session = debugger.session();
  for (std::int64_t op = first; op < end; ++op) {
    const Segment segment = session.segment();
    const auto rows = walked_rows(stop, program, segment);
    if (!rows) {
      debugger.step();
      continue;
    }
    const auto line = static_cast<std::size_t>(session.next_op().line);
    WalkedOp walked;
    walked.op = op;
    if (played.walk.empty() || op == segment.first_op) {
      walked.place = views::place_text(program, segment);
    }
    walked.statement = program.algorithm().lines[line].text;
    walked.changes = changes_of_next_op(session, *rows);
    walked.load_bytes = debugger.ledger().all_load_bytes();
    walked.store_bytes = debugger.ledger().all_store_bytes();
    debugger.step();
    const Ledger& after = debugger.ledger();
    walked.copied_bytes =
        after.all_load_bytes() + after.all_store_bytes() - walked.load_bytes - walked.store_bytes;
    played.walk.push_back(std::move(walked));
  }
}

void LessonPlayer::watch(const ProblemOptions& options, const Debugger& debugger,
                         std::uint64_t program_version, std::uint64_t state_version) {
  if (lesson_ == nullptr) return;
  if (watched_program_ == program_version && watched_state_ == state_version &&
      watched_section_ == section_) {
    return;
  }
  if (next_block_ < section_end()) return;  // tasks are not all known yet
  watched_program_ = program_version;
  watched_state_ = state_version;
  watched_section_ = section_;
  for (TaskFacts& task : tasks_) {
    Played& played = played_[task.block];
    const std::size_t first = sections_[section_].items.front().block;
    if (played.done || task.block < first || task.block >= section_end()) continue;
    played.values.clear();
    // The settings of another scenario say nothing about this task.
    if (played.scenario != opened_) continue;
    const auto& block = std::get<TaskBlock>(lesson_->blocks[task.block]);
    if (is_done(task, options, debugger, program_version)) {
      played.done = true;
      answered(block.line, true, false);
    } else if (task.usable) {
      played.values = watched(block.until.text, task.facts, &debugger);
    }
  }
}

bool LessonPlayer::is_done(TaskFacts& task, const ProblemOptions& options, const Debugger& debugger,
                           std::uint64_t program_version) {
  try {
    if (task.program_version != program_version) {
      task.program_version = program_version;
      task.usable = false;
      task.facts.replace_here(options);
      task.usable = true;
    }
    const auto& block = std::get<TaskBlock>(lesson_->blocks[task.block]);
    return task.usable && holds(block.until.text, task.facts, &debugger);
  } catch (const Error&) {
    return false;  // what it asks about does not exist in these settings
  }
}

}  // namespace flashscope::window
