// Running a chain bit by bit, and the truth beside it; see chain_recording.h. The truth over a
// growing set of keys is put together from the reference's answers for single kv tiles, as split-KV
// combines its splits: what is done in fp64 here costs one pass over the keys, not one per step.
#include "viz/views/chain_recording.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace flashscope::views {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kKeysAtATime = 2048;

bool has(const std::vector<int>& list, int value) {
  return value >= 0 && std::find(list.begin(), list.end(), value) != list.end();
}

double log_add(double a, double b) {
  const double most = std::max(a, b);
  if (most == -kInfinity || std::isnan(a) || std::isnan(b)) return a + b;
  return most + std::log(std::exp(a - most) + std::exp(b - most));
}

// e^(part - whole), of logarithms: 0 for a part that is nothing, also of a whole that is nothing.
double share(double part, double whole) { return part == -kInfinity ? 0 : std::exp(part - whole); }

std::int64_t end_of(const Segment& segment) {
  return segment.first_op + static_cast<std::int64_t>(segment.lines.size());
}

}  // namespace

std::optional<SoftmaxTiles> softmax_tiles(const Algorithm& algorithm) {
  if (!algorithm.estimate) return std::nullopt;
  const Estimate& estimate = *algorithm.estimate;
  SoftmaxTiles tiles{estimate.m, estimate.l, estimate.o, estimate.o_divisor, -1, -1};
  for (const Line& line : algorithm.lines) {
    const bool of_m = has(line.operands, estimate.m);
    if (line.kind == LineKind::exp_vector && of_m && tiles.alpha < 0) tiles.alpha = line.result;
    if (line.kind == LineKind::accumulate && line.result == estimate.o && tiles.p < 0) {
      tiles.p = line.operands[1];
    }
  }
  return tiles;
}

ChainRecorder::ChainRecorder(const Scenario& scenario, const Program& program)
    : scenario_(scenario),
      program_(program),
      tiles_(softmax_tiles(program.algorithm())),
      reference_(reference_inputs(scenario, program.precision().input, ReferenceInput::rounded)),
      outputs_(make_outputs(program.problem(), program.precision())),
      machine_(program, scenario.inputs, outputs_) {}

void ChainRecorder::start(const Chain& chain, const std::vector<std::int64_t>& rows,
                          std::vector<SetEvent> events, bool keep_o) {
  const auto keys = static_cast<std::size_t>(program_.problem().kv_len);
  recording_ = {};
  recording_.chain = chain;
  events_ = std::move(events);
  keep_o_ = keep_o;
  scores_.assign(rows.size(), std::vector<double>(keys));
  prefixes_.assign(rows.size(), {});
  for (const std::int64_t row : rows) {
    RecordedRow& recorded = recording_.rows.emplace_back();
    recorded.row = row;
    recorded.p.assign(keys, std::numeric_limits<float>::quiet_NaN());
  }
  segments_.clear();
  program_.visit_chain(chain, [&](const Segment& segment) {
    segments_.push_back(segment);
    recording_.total_steps += has_prefix_truth(program_, segment) ? 1 : 0;
    recording_.end_op = std::max(recording_.end_op, end_of(segment));
  });
  next_segment_ = 0;
  next_key_ = 0;
  if (keys == 0) finish_scores();
  machine_.begin(chain);
}

bool ChainRecorder::advance(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  const std::int64_t kv_len = program_.problem().kv_len;
  while (!recording_.complete) {
    if (next_key_ < kv_len) {
      const IndexRange keys{next_key_, std::min(next_key_ + kKeysAtATime, kv_len)};
      compute_scores(keys);
      next_key_ = keys.end;
      if (next_key_ == kv_len) finish_scores();
    } else if (next_segment_ < segments_.size()) {
      execute(segments_[next_segment_++]);
    } else {
      finish();
    }
    if (Clock::now() >= end) break;
  }
  return recording_.complete;
}

double ChainRecorder::progress() const {
  if (recording_.complete || segments_.empty()) return 1;
  return static_cast<double>(next_segment_) / static_cast<double>(segments_.size());
}

void ChainRecorder::compute_scores(IndexRange keys) {
  const std::int64_t group = program_.group();
  for (std::size_t n = 0; n < recording_.rows.size(); ++n) {
    const std::int64_t row = recording_.rows[n].row;
    const std::span<double> part =
        std::span(scores_[n])
            .subspan(static_cast<std::size_t>(keys.begin), static_cast<std::size_t>(keys.size()));
    reference::scores(scenario_.problem, reference_, recording_.chain.batch,
                      recording_.chain.head * group + row % group, row / group, keys, part);
  }
}

void ChainRecorder::finish_scores() {
  for (std::size_t n = 0; n < recording_.rows.size(); ++n) {
    RecordedRow& row = recording_.rows[n];
    row.true_m = -kInfinity;
    for (const double score : scores_[n]) row.true_m = std::max(row.true_m, score);
    for (const double score : scores_[n]) row.true_l += share(score, row.true_m);
    row.true_lse = row.true_l == 0 ? -kInfinity : row.true_m + std::log(row.true_l);
    row.true_weights.reserve(scores_[n].size());
    for (const double score : scores_[n]) row.true_weights.push_back(share(score, row.true_lse));
  }
}

void ChainRecorder::execute(const Segment& segment) {
  machine_.enter(segment);
  auto event = std::lower_bound(events_.begin(), events_.end(), segment.first_op,
                                [](const SetEvent& e, std::int64_t op) { return e.op < op; });
  for (std::int64_t op = segment.first_op; op < end_of(segment); ++op) {
    for (; event != events_.end() && event->op == op; ++event) {
      machine_.tile(event->buffer).at(event->row, event->column) = event->value;
    }
    const int line = segment.lines[static_cast<std::size_t>(op - segment.first_op)];
    machine_.execute(program_.algorithm().lines[static_cast<std::size_t>(line)], segment, nullptr);
  }
  if (tiles_ && has_prefix_truth(program_, segment)) record(segment);
}

void ChainRecorder::record(const Segment& segment) {
  RecordedStep step;
  step.first_op = segment.first_op;
  step.end_op = end_of(segment);
  step.kv_tile = segment.kv_tile;
  step.split = segment.split;
  step.keys = program_.kv_rows(segment);
  step.first = segment.kind.first || recording_.steps.empty();
  step.keys_so_far = step.keys.size() + (step.first ? 0 : recording_.steps.back().keys_so_far);
  for (std::size_t n = 0; n < segment.lines.size(); ++n) {
    const Line& line = program_.algorithm().lines[static_cast<std::size_t>(segment.lines[n])];
    if (line.kind == LineKind::exp_vector && line.result == tiles_->alpha) {
      step.alpha_op = segment.first_op + static_cast<std::int64_t>(n);
    }
    const bool multiplies = line.kind == LineKind::running_sum || line.kind == LineKind::multiply;
    step.corrects_sum = step.corrects_sum || (multiplies && line.result == tiles_->l);
    step.corrects_o =
        step.corrects_o || (line.kind == LineKind::rescale && line.result == tiles_->o);
  }
  if (step.first) {
    consumed_tiles_.assign(
        static_cast<std::size_t>(program_.tile_map(segment.batch, segment.head).kv_tiles()), false);
    Prefix nothing{-kInfinity, -kInfinity, {}};
    nothing.o.resize(static_cast<std::size_t>(program_.problem().head_dim));
    std::fill(prefixes_.begin(), prefixes_.end(), nothing);
  }
  // A loop with a fault may come to a tile twice; the truth counts its keys once.
  const auto tile = static_cast<std::size_t>(segment.kv_tile);
  if (!consumed_tiles_[tile]) {
    consumed_tiles_[tile] = true;
    extend_truth(segment);
  }
  const std::int64_t first_row = program_.q_rows(segment).begin;
  for (std::size_t n = 0; n < recording_.rows.size(); ++n) {
    RecordedRow& row = recording_.rows[n];
    row.states.push_back(state_of(n, row.row - first_row));
    if (row.states.back().departure && !row.first_departure) {
      row.first_departure = row.states.size() - 1;
    }
    if (tiles_->p < 0) continue;
    const Tile& p = machine_.tile(tiles_->p);
    for (std::int64_t k = 0; k < step.keys.size(); ++k) {
      row.p[static_cast<std::size_t>(step.keys.begin + k)] = p.at(row.row - first_row, k);
    }
  }
  recording_.steps.push_back(step);
}

void ChainRecorder::extend_truth(const Segment& segment) {
  const std::int64_t group = program_.group();
  const IndexRange keys = program_.kv_rows(segment);
  for (std::size_t n = 0; n < recording_.rows.size(); ++n) {
    const std::int64_t row = recording_.rows[n].row, query = row / group;
    const reference::Rows tile =
        reference::attention_over(scenario_.problem, reference_, segment.batch,
                                  segment.head * group + row % group, {&query, 1}, {&keys, 1});
    Prefix& prefix = prefixes_[n];
    const double lse = log_add(prefix.lse, tile.lse[0]);
    const double keep = share(prefix.lse, lse), add = share(tile.lse[0], lse);
    for (std::size_t d = 0; d < prefix.o.size(); ++d) {
      prefix.o[d] = (keep == 0 ? 0 : keep * prefix.o[d]) + (add == 0 ? 0 : add * tile.o[d]);
    }
    prefix.lse = lse;
    for (std::int64_t k = keys.begin; k < keys.end; ++k) {
      prefix.m = std::max(prefix.m, scores_[n][static_cast<std::size_t>(k)]);
    }
  }
}

RecordedState ChainRecorder::state_of(std::size_t row, std::int64_t tile_row) const {
  const auto vector_entry = [&](int buffer) {
    return buffer < 0 ? kNan : static_cast<double>(machine_.tile(buffer).at(tile_row, 0));
  };
  RecordedState state;
  state.m = vector_entry(tiles_->m);
  state.l = vector_entry(tiles_->l);
  state.alpha = vector_entry(tiles_->alpha);
  state.lse = state.l == 0 ? -kInfinity : state.m + std::log(state.l);
  const Prefix& prefix = prefixes_[row];
  state.true_m = prefix.m;
  state.true_lse = prefix.lse;
  state.true_l = share(prefix.lse, prefix.m);
  const Tile& o = machine_.tile(tiles_->o);
  PrefixTruth truth;
  PrefixTruth::Row& both = truth.rows.emplace_back();
  for (std::int64_t d = 0; d < o.columns; ++d) {
    const double value = o.at(tile_row, d);
    both.o_here.push_back(tiles_->o_divisor < 0 ? value : (state.l == 0 ? 0 : value / state.l));
  }
  both.row = recording_.rows[row].row;
  both.o_true = prefix.o;
  both.lse_here = state.lse;
  both.lse_true = prefix.lse;
  state.departure = first_departure(truth, program_.precision());
  if (keep_o_) {
    state.o = std::move(both.o_here);
    state.true_o = std::move(both.o_true);
  }
  return state;
}

void ChainRecorder::finish() {
  const std::int64_t group = program_.group();
  const IndexRange all_keys{0, program_.problem().kv_len};
  std::vector<float> values(static_cast<std::size_t>(program_.problem().head_dim));
  for (RecordedRow& row : recording_.rows) {
    const std::int64_t head = recording_.chain.head * group + row.row % group;
    const std::int64_t query = row.row / group;
    row.lse = outputs_.lse.at(recording_.chain.batch, head, query, 0);
    if (!keep_o_) continue;
    outputs_.o.read_row(recording_.chain.batch, head, query, values);
    row.o.assign(values.begin(), values.end());
    row.true_o = reference::attention_over(scenario_.problem, reference_, recording_.chain.batch,
                                           head, {&query, 1}, {&all_keys, 1})
                     .o;
  }
  recording_.complete = true;
}

}  // namespace flashscope::views
