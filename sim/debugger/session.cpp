// Moving through a program; see session.h.
#include "sim/debugger/session.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope {
namespace {

// Snapshots make steps back cheap in long chains; a short one is replayed faster than it is copied.
constexpr std::int64_t kSegmentsPerSnapshot = 64;
constexpr std::size_t kMostSnapshots = 24;

std::int64_t end_of(const Segment& segment) {
  return segment.first_op + static_cast<std::int64_t>(segment.lines.size());
}

}  // namespace

Session::Session(const Scenario& scenario, const Program& program)
    : scenario_(scenario),
      program_(program),
      outputs_(make_outputs(program.problem(), program.precision())),
      interpreter_(program, scenario.inputs, outputs_) {
  for (const Phase& phase : program.algorithm().phases) {
    whole_heads_ = whole_heads_ || phase.grain == Grain::head;
  }
  arrive();
}

// Where work items are whole heads, one machine state holds all q tiles of a head; elsewhere the
// state belongs to a single q tile.
Session::Home Session::home_of(const Segment& segment) const {
  return {segment.batch * program_.heads() + segment.head, whole_heads_ ? -1 : segment.q_tile};
}

void Session::forget(const Segment& segment) {
  home_ = home_of(segment);
  current_tiles_.clear();
  snapshots_.clear();
  segments_since_snapshot_ = 0;
  if (whole_heads_) {
    interpreter_.begin(IndexRange{0, program_.problem().q_len * program_.group()});
  } else {
    interpreter_.begin(Chain{segment.batch, segment.head, segment.q_tile});
  }
}

void Session::apply_events(std::int64_t op) {
  const auto first = std::lower_bound(events_.begin(), events_.end(), op,
                                      [](const SetEvent& e, std::int64_t at) { return e.op < at; });
  for (auto event = first; event != events_.end() && event->op == op; ++event) {
    interpreter_.tile(event->buffer).at(event->row, event->column) = event->value;
  }
}

// Ops [first, end) of one segment, events included. `first` has been arrived at.
void Session::execute_from(const Segment& segment, std::int64_t first, std::int64_t end) {
  const auto& lines = program_.algorithm().lines;
  for (std::int64_t op = first; op < end; ++op) {
    apply_events(op);
    const int line = segment.lines[static_cast<std::size_t>(op - segment.first_op)];
    interpreter_.execute(lines[static_cast<std::size_t>(line)], segment, nullptr);
  }
}

// Enters a segment. Where q tiles take turns on the chip, what the last one left there is not this
// one's state: it is blanked, so that a place looks the same from wherever one came.
void Session::enter(const Segment& segment) {
  interpreter_.enter(segment);
  if (!whole_heads_) return;
  const Phase& phase = program_.algorithm().phases[static_cast<std::size_t>(segment.phase)];
  const bool starts = program_.ops_of_work_item(segment.work_item).begin == segment.first_op;
  if (phase.grain != Grain::head && !starts) return;
  const auto& buffers = program_.algorithm().buffers;
  for (std::size_t n = 0; n < buffers.size(); ++n) {
    const bool of_keys = buffers[n].rows == Dim::kv_tile;
    if (buffers[n].place == Place::hbm || (of_keys && segment.part == Part::step)) continue;
    interpreter_.tile(static_cast<int>(n))
        .values.setConstant(std::numeric_limits<float>::quiet_NaN());
  }
}

void Session::replay_chain(const Chain& chain, std::int64_t end) {
  program_.visit_chain(chain, [&](const Segment& segment) {
    if (segment.first_op >= end) return;
    enter(segment);
    execute_from(segment, segment.first_op, std::min(end, end_of(segment)));
  });
}

// Brings the q tile of a segment to the state it has at the segment's first op.
void Session::make_current(const Segment& segment) {
  if (home_ != home_of(segment)) forget(segment);
  if (segment.q_tile < 0 || current_tiles_.contains(segment.q_tile)) return;
  replay_chain({segment.batch, segment.head, segment.q_tile}, segment.first_op);
  current_tiles_.insert(segment.q_tile);
}

// Makes the state that of position_, whose predecessor has been executed or whose segment is new.
void Session::arrive() {
  if (at_end()) return;
  segment_ = next_op().segment;
  make_current(segment_);
  enter(segment_);
  apply_events(position_);
}

bool Session::step(const std::function<void()>& executed) {
  if (at_end()) return false;
  const int line = segment_.lines[static_cast<std::size_t>(position_ - segment_.first_op)];
  interpreter_.execute(program_.algorithm().lines[static_cast<std::size_t>(line)], segment_,
                       nullptr);
  if (executed) executed();
  ++position_;
  if (position_ < end_of(segment_)) {
    apply_events(position_);
    return true;
  }
  arrive();
  if (!at_end()) keep_snapshot(segment_);
  return true;
}

Tile Session::preview() const {
  const int line = segment_.lines[static_cast<std::size_t>(position_ - segment_.first_op)];
  return interpreter_.preview(program_.algorithm().lines[static_cast<std::size_t>(line)], segment_);
}

void Session::keep_snapshot(const Segment& segment) {
  if (++segments_since_snapshot_ < kSegmentsPerSnapshot) return;
  segments_since_snapshot_ = 0;
  if (!snapshots_.empty() && snapshots_.back().op >= segment.first_op) return;
  if (snapshots_.size() == kMostSnapshots) snapshots_.erase(snapshots_.begin());
  snapshots_.push_back({segment.first_op, interpreter_.save(), current_tiles_});
}

// The last snapshot at or before `op`, when the target is at home and its q tile is part of it.
bool Session::restore_snapshot(const Segment& target, std::int64_t op) {
  if (home_ != home_of(target)) return false;
  while (!snapshots_.empty() && snapshots_.back().op > op) snapshots_.pop_back();
  if (snapshots_.empty()) return false;
  const Snapshot& snapshot = snapshots_.back();
  if (target.q_tile >= 0 && !snapshot.current_tiles.contains(target.q_tile)) return false;
  interpreter_.restore(snapshot.memory);
  current_tiles_ = snapshot.current_tiles;
  position_ = snapshot.op;
  segment_ = program_.op(position_).segment;
  return true;
}

void Session::seek(std::int64_t op) {
  assert(op >= 0 && op <= program_.size());
  if (op == position_) return;
  if (op == program_.size()) {
    // The end is where the last op has just been executed.
    if (op > 0) {
      seek(op - 1);
      step();
    }
    position_ = op;
    return;
  }
  const Segment target = program_.op(op).segment;
  const bool ahead_in_segment =
      !at_end() && op > position_ && op < end_of(segment_) && segment_.first_op == target.first_op;
  if (!ahead_in_segment && !restore_snapshot(target, op)) {
    forget(target);
    position_ = target.first_op;
    segment_ = target;
    make_current(target);
    enter(target);
    apply_events(position_);
  }
  while (position_ < op) step();
}

std::int64_t Session::next_segment() const { return at_end() ? position_ : end_of(segment_); }

std::int64_t Session::previous_segment() const {
  if (position_ == 0) return 0;
  return program_.op(position_ - 1).segment.first_op;
}

std::int64_t Session::next_work_item() const {
  if (at_end()) return position_;
  return program_.ops_of_work_item(segment_.work_item).end;
}

std::int64_t Session::previous_work_item() const {
  if (position_ == 0) return 0;
  return program_.ops_of_work_item(program_.op(position_ - 1).segment.work_item).begin;
}

void Session::set(int buffer, std::int64_t row, std::int64_t column, float value) {
  const Buffer& b = program_.algorithm().buffers[static_cast<std::size_t>(buffer)];
  if (at_end()) throw Error("nothing is on chip at the end of the program: go back first");
  if (b.place == Place::hbm) throw Error(fmt::format("{} lies in HBM: set a tile on chip", b.name));
  const Tile& tile = interpreter_.tile(buffer);
  if (row < 0 || row >= tile.rows || column < 0 || column >= tile.columns) {
    throw Error(fmt::format("{} has {} x {} elements here, counted from 0", b.name, tile.rows,
                            tile.columns));
  }
  const SetEvent event{position_, buffer, row, column, value};
  // Behind others at the same op: the last one set wins.
  const auto place = std::upper_bound(events_.begin(), events_.end(), position_,
                                      [](std::int64_t at, const SetEvent& e) { return at < e.op; });
  events_.insert(place, event);
  while (!snapshots_.empty() && snapshots_.back().op >= position_) snapshots_.pop_back();
  interpreter_.tile(buffer).at(row, column) = value;
}

void Session::set_events(std::vector<SetEvent> events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const SetEvent& a, const SetEvent& b) { return a.op < b.op; });
  events_ = std::move(events);
  const std::int64_t here = position_;
  home_.reset();
  position_ = 0;
  arrive();
  seek(here);
}

}  // namespace flashscope
