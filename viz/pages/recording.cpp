// Recording a walk; see recording.h.
#include "viz/pages/recording.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/number_text.h"
#include "sim/machine/count.h"
#include "viz/views/tile_map_view.h"
#include "viz/views/walk_words.h"

namespace flashscope::pages {
namespace {

// Which segment has written each buffer last, within the work item: a new one starts with nothing
// on chip. Ops that are not shown are caught up with.
class LastWriters {
 public:
  explicit LastWriters(const Program& program)
      : program_(program), writers_(program.algorithm().buffers.size()) {}

  const std::optional<Segment>& of(int buffer) const {
    return writers_[static_cast<std::size_t>(buffer)];
  }

  // Everything before `op`, which lies in `segment`, has executed.
  void arrive(const Segment& segment, std::int64_t op) {
    if (segment.work_item != work_item_) {
      std::fill(writers_.begin(), writers_.end(), std::nullopt);
      work_item_ = segment.work_item;
      next_op_ = program_.ops_of_work_item(work_item_).begin;
    }
    if (next_op_ < segment.first_op) {
      program_.visit({next_op_, segment.first_op}, [&](const Segment& earlier) {
        for (const int line : earlier.lines) write(line, earlier);
      });
      next_op_ = segment.first_op;
    }
    for (; next_op_ < op; ++next_op_) {
      write(segment.lines[static_cast<std::size_t>(next_op_ - segment.first_op)], segment);
    }
  }

 private:
  void write(int line, const Segment& segment) {
    for (const int buffer :
         effects(program_.algorithm().lines[static_cast<std::size_t>(line)]).writes) {
      writers_[static_cast<std::size_t>(buffer)] = segment;
    }
  }

  const Program& program_;
  std::vector<std::optional<Segment>> writers_;
  std::int64_t work_item_ = -1, next_op_ = 0;
};

class Recorder {
 public:
  Recorder(const Scenario& scenario, const Program& program, const views::WalkOptions& options)
      : program_(program),
        walker_(scenario, program, options),
        formulas_(program, walker_.interpreter()),
        writers_(program) {
    recording_.batch = walker_.chain().batch;
    recording_.head = walker_.chain().head;
    recording_.rows = walker_.rows();
    recording_.extent = extent();
  }

  Recording record() {
    walker_.walk([this](const views::WalkEvent& event) { add(event); });
    if (recording_.ops.empty()) throw Error("walk: no op lies between --from and --to there");
    return std::move(recording_);
  }

 private:
  void add(const views::WalkEvent& event) {
    if (static_cast<std::int64_t>(recording_.ops.size()) == kMostOps) {
      throw Error(fmt::format(
          "a page shows at most {} ops, and this walk has more: choose some with --from and --to, "
          "or one work item with --work-item",
          kMostOps));
    }
    writers_.arrive(*event.segment, event.op);
    if (recording_.ops.empty()) begin(event);
    if (event.first_of_segment || recording_.places.empty()) add_place(event);
    if (event.op != next_op_) count_bytes(event.op);
    writers_.arrive(*event.segment, event.op + 1);

    RecordedOp op;
    op.op = event.op;
    op.line = static_cast<int>(event.line - program_.algorithm().lines.data());
    op.place = recording_.places.size() - 1;
    op.changes = formulas_.changes(event);
    (event.line->kind == LineKind::load ? load_bytes_ : store_bytes_) += event.copied_bytes;
    op.load_bytes = load_bytes_;
    op.store_bytes = store_bytes_;
    op.copied_bytes = event.copied_bytes;
    next_op_ = event.op + 1;
    for (int buffer = 0; buffer < static_cast<int>(program_.algorithm().buffers.size()); ++buffer) {
      if (buffer_of(buffer).place == Place::hbm) continue;
      TileShot shot = shot_of(buffer, walker_.interpreter().tile(buffer));
      if (shot == shots_[buffer]) continue;
      op.tiles[buffer] = shot;
      shots_[buffer] = std::move(shot);
    }
    if (event.truth != nullptr) add_truth(op, *event.truth);
    count_text(op);
    recording_.ops.push_back(std::move(op));
  }

  // The tiles as the first op finds them.
  void begin(const views::WalkEvent& event) {
    for (int buffer = 0; buffer < static_cast<int>(program_.algorithm().buffers.size()); ++buffer) {
      if (buffer_of(buffer).place == Place::hbm) continue;
      const bool changes = buffer == event.line->result && event.line->kind != LineKind::store;
      shots_[buffer] =
          shot_of(buffer, changes ? *event.before : walker_.interpreter().tile(buffer));
    }
    recording_.start = shots_;
    count_bytes(event.op);
    next_op_ = event.op;
    recording_.start_load_bytes = load_bytes_;
    recording_.start_store_bytes = store_bytes_;
  }

  // What the whole program has moved before an op: other work items than the walk's, too.
  void count_bytes(std::int64_t op) {
    const Ledger ledger = ledger_before(program_, op);
    load_bytes_ = ledger.all_load_bytes();
    store_bytes_ = ledger.all_store_bytes();
  }

  void add_place(const views::WalkEvent& event) {
    const Segment& segment = *event.segment;
    RecordedPlace place;
    place.text = views::place_text(program_, segment);
    place.map = views::TileMapView::phase_at(program_, segment);
    if (segment.part == Part::step) {
      place.q_tile = segment.q_tile;
      place.kv_tile = segment.kv_tile;
    }
    place.first_op = segment.first_op;
    place.phase = segment.phase;
    recording_.places.push_back(std::move(place));
    add_buffers(segment.phase);
  }

  // Buffers that a phase has no use for are left out.
  void add_buffers(int phase) {
    if (!phases_.insert(phase).second) return;
    const Algorithm& algorithm = program_.algorithm();
    const Phase& lines = algorithm.phases[static_cast<std::size_t>(phase)];
    for (const std::vector<int>* part : {&lines.before, &lines.step, &lines.after}) {
      for (const int index : *part) {
        const Effects found = effects(algorithm.lines[static_cast<std::size_t>(index)]);
        used_.insert(found.reads.begin(), found.reads.end());
        used_.insert(found.writes.begin(), found.writes.end());
      }
    }
    recording_.buffers.assign(used_.begin(), used_.end());
  }

  void add_truth(RecordedOp& op, const PrefixTruth& truth) const {
    constexpr std::size_t kShownValues = 2;  // of O: a phone has no room for more
    op.truth_keys = views::ranges_text(truth.keys);
    const bool divides = program_.algorithm().estimate->o_divisor >= 0;
    for (const PrefixTruth::Row& row : truth.rows) {
      const auto add = [&](const char* name, std::span<const double> here,
                           std::span<const double> want) {
        double worst = 0, largest = 0;
        for (const double value : want) {
          // A row that sees no key has -inf here, which says nothing about rounding.
          if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
        }
        const double limit = truth_tolerance(program_.precision(), largest);
        bool agrees = true;
        for (std::size_t n = 0; n < want.size(); ++n) {
          if (here[n] == want[n] || (std::isnan(here[n]) && std::isnan(want[n]))) continue;
          const double off = std::abs(here[n] - want[n]);
          agrees = agrees && off <= limit;
          worst = std::isnan(off) ? off : std::max(worst, off);
        }
        op.truth.push_back({std::to_string(row.row), name, views::first_values(here, kShownValues),
                            views::first_values(want, kShownValues), fmt::format("{:.0e}", worst),
                            agrees});
      };
      add("m + ln l", std::span(&row.lse_here, 1), std::span(&row.lse_true, 1));
      add(divides ? "O / l" : "O", row.o_here, row.o_true);
    }
  }

  TileShot shot_of(int buffer, const Tile& tile) const {
    const std::optional<Segment>& writer = writers_.of(buffer);
    if (!writer) return {};
    return shoot(program_, buffer_of(buffer), tile, *writer, walker_.rows());
  }

  void count_text(const RecordedOp& op) {
    for (const views::Change& change : op.changes) {
      text_bytes_ += change.target.size() + change.formula.size() + change.value.size();
    }
    for (const auto& [buffer, shot] : op.tiles) {
      for (const std::string& cell : shot.cells) text_bytes_ += cell.size() + 1;
      if (shot.heat) text_bytes_ += shot.heat->levels.size();
    }
    if (text_bytes_ <= kMostTextBytes) return;
    throw Error(
        "this walk says more than a page takes: show fewer query rows with --rows, or fewer ops "
        "with --from and --to");
  }

  std::string extent() const {
    const auto& items = walker_.work_items();
    const std::string which =
        items.size() == 1
            ? fmt::format("work item {} of {}", *items.begin(), program_.work_items())
            : fmt::format("{} of {} work items, those of {} {}", items.size(),
                          program_.work_items(), walker_.whole_head() ? "head" : "q tile",
                          walker_.whole_head() ? walker_.chain().head : walker_.chain().q_tile);
    std::vector<IndexRange> rows;
    for (const std::int64_t row : walker_.rows()) rows.push_back({row, row + 1});
    return fmt::format("{}: batch {}, head {}; tiles {} × {}; showing row{} {}", which,
                       walker_.chain().batch, walker_.chain().head, program_.tiling().q_tile_rows,
                       program_.tiling().kv_tile_rows, rows.size() == 1 ? "" : "s",
                       views::ranges_text(rows));
  }

  const Buffer& buffer_of(int index) const {
    return program_.algorithm().buffers[static_cast<std::size_t>(index)];
  }

  const Program& program_;
  views::Walker walker_;
  views::Formulas formulas_;
  LastWriters writers_;
  std::map<int, TileShot> shots_;  // as the last op left them
  std::set<int> phases_, used_;
  std::size_t text_bytes_ = 0;
  std::int64_t next_op_ = 0;  // before it, so much has passed:
  std::int64_t load_bytes_ = 0, store_bytes_ = 0;
  Recording recording_;
};

}  // namespace

Recording record(const Scenario& scenario, const Program& program,
                 const views::WalkOptions& options) {
  return Recorder(scenario, program, options).record();
}

}  // namespace flashscope::pages
