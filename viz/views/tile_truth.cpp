// Exact values by definition; see tile_truth.h.
#include "viz/views/tile_truth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "sim/debugger/prefix_truth.h"
#include "sim/error.h"

namespace flashscope::views {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// e^(value - max), where a row that has seen no key has the max -inf.
double exp_against(double value, double max) {
  return value == -kInfinity || max == -kInfinity ? 0 : std::exp(value - max);
}

}  // namespace

TileTruth::TileTruth(const Session& session, int buffer)
    : session_(session),
      program_(session.program()),
      origin_(origin_of(session, buffer)),
      rounded_(reference_inputs(session.scenario(), program_.precision().input,
                                ReferenceInput::rounded)),
      exact_(
          reference_inputs(session.scenario(), program_.precision().input, ReferenceInput::exact)) {
  if (!origin_) return;
  has_split_columns_ =
      program_.algorithm().buffers[static_cast<std::size_t>(buffer)].columns == Dim::splits;
  meaning_ = meaning_of(program_, *origin_, buffer);
  if (program_.tiling().rescale_threshold && meaning_.frame_buffer >= 0) {
    const std::optional<TileOrigin> max = origin_of(session, meaning_.frame_buffer);
    frame_is_gone_ = !origin_->is_current && max && max->is_current;
  }
  Segment step = origin_->segment;
  if (step.part == Part::after && step.first_op > 0) {
    step = program_.op(step.first_op - 1).segment;
  }
  has_step_ = step.part == Part::step && step.work_item == origin_->segment.work_item &&
              step.kv_tile >= 0 && step.q_tile >= 0;
  if (has_step_) consumed_ = consumed_keys(program_, step);
}

TileTruth::Row TileTruth::row_at(std::int64_t row) const {
  const std::int64_t packed = program_.q_rows(origin_->segment).begin + row;
  const std::int64_t group = program_.group();
  return {origin_->segment.head * group + packed % group, packed / group};
}

std::vector<IndexRange> TileTruth::keys_of(KeyScope scope, std::int64_t column) const {
  const std::int64_t kv_len = program_.problem().kv_len;
  std::vector<IndexRange> keys;
  switch (scope) {
    case KeyScope::all:
      return {{0, kv_len}};
    case KeyScope::tile:
      return {program_.kv_rows(origin_->segment)};
    case KeyScope::now:
      return consumed_;
    case KeyScope::before:
      keys = consumed_;
      if (has_step_) keys.pop_back();
      return keys;
    case KeyScope::split:
      break;
  }
  // Vectors that were stored per split come back with a column for each.
  const std::int64_t split = has_split_columns_ ? column : origin_->segment.split;
  const std::int64_t rows = program_.tiling().kv_tile_rows;
  const IndexRange tiles = split_kv_tiles(split, program_.tiling().splits, ceil_div(kv_len, rows));
  return {{std::min(tiles.begin * rows, kv_len), std::min(tiles.end * rows, kv_len)}};
}

// An element of Q, K or V before rounding; `row`: on the tile.
double TileTruth::input(std::int64_t row, std::int64_t column) const {
  const Problem& problem = program_.problem();
  const Segment& at = origin_->segment;
  const std::string& name =
      program_.algorithm().buffers[static_cast<std::size_t>(meaning_.tensor)].name;
  std::vector<double> values(static_cast<std::size_t>(problem.head_dim));
  if (name == "Q") {
    exact_.q(at.batch, row_at(row).head, row_at(row).query, values.data());
  } else {
    const std::int64_t kv_head = at.head * program_.group() / (problem.q_heads / problem.kv_heads);
    (name == "K" ? exact_.k : exact_.v)(at.batch, kv_head, program_.kv_rows(at).begin + row,
                                        values.data());
  }
  return values[static_cast<std::size_t>(column)];
}

// By the problem's mask, whatever a fault makes of it.
bool TileTruth::visible(Row row, std::int64_t key) const {
  const Problem& problem = program_.problem();
  if (!visible_keys(mask_band(problem, {}), row.query).contains(key)) return false;
  return !problem.mask.expression ||
         problem.mask.expression->visible(
             {origin_->segment.batch, row.head, problem.q_len, problem.kv_len}, row.query, key);
}

std::vector<double> TileTruth::scores(Row row, IndexRange keys) const {
  const Problem& problem = program_.problem();
  const std::int64_t batch = origin_->segment.batch;
  const std::int64_t kv_head = row.head / (problem.q_heads / problem.kv_heads);
  std::vector<double> q(static_cast<std::size_t>(problem.head_dim)), k(q.size()), scores;
  rounded_.q(batch, row.head, row.query, q.data());
  for (std::int64_t key = keys.begin; key < keys.end; ++key) {
    rounded_.k(batch, kv_head, key, k.data());
    scores.push_back(std::inner_product(q.begin(), q.end(), k.begin(), 0.0));
  }
  return scores;
}

double TileTruth::max(Row row, KeyScope scope, std::int64_t column) {
  const std::int64_t split = scope == KeyScope::split ? column : 0;
  const auto [place, is_new] =
      maxima_.try_emplace({{row.head, row.query}, {scope, split}}, -kInfinity);
  if (!is_new) return place->second;
  double largest = -kInfinity;
  for (const IndexRange& keys : keys_of(scope, column)) {
    const std::vector<double> values = scores(row, keys);
    for (std::int64_t n = 0; n < keys.size(); ++n) {
      if (!visible(row, keys.begin + n)) continue;
      largest = std::max(largest, values[static_cast<std::size_t>(n)] * program_.problem().scale);
    }
  }
  return place->second = largest;
}

// The max that has been subtracted. A rescale threshold lets it lag behind the largest score: then
// it is whatever lies on chip.
double TileTruth::frame(std::int64_t row, std::int64_t column) {
  if (program_.tiling().rescale_threshold && meaning_.frame_buffer >= 0) {
    return session_.tile(meaning_.frame_buffer).at(row, 0);
  }
  return max(row_at(row), meaning_.frame, column);
}

const reference::Rows& TileTruth::attention(Row row, KeyScope scope, std::int64_t column) {
  const std::int64_t split = scope == KeyScope::split ? column : 0;
  const auto [place, is_new] = answers_.try_emplace({{row.head, row.query}, {scope, split}});
  if (is_new) {
    const std::vector<IndexRange> keys = keys_of(scope, column);
    place->second = reference::attention_over(program_.problem(), rounded_, origin_->segment.batch,
                                              row.head, {&row.query, 1}, keys);
  }
  return place->second;
}

double TileTruth::weight(std::int64_t row, std::int64_t column) {
  const std::int64_t key = program_.kv_rows(origin_->segment).begin + column;
  const Row at = row_at(row);
  if (!visible(at, key)) return 0;
  const double value = scores(at, {key, key + 1})[0] * program_.problem().scale;
  if (meaning_.normalised) return exp_against(value, attention(at, KeyScope::all, 0).lse[0]);
  return exp_against(value, frame(row, column));
}

double TileTruth::output(std::int64_t row, std::int64_t column) {
  const reference::Rows& answer = attention(row_at(row), meaning_.keys, column);
  const double value = answer.o[static_cast<std::size_t>(column)];
  if (meaning_.normalised) return value;
  if (meaning_.of_whole) {
    return value * exp_against(answer.lse[0], attention(row_at(row), KeyScope::all, 0).lse[0]);
  }
  return value * exp_against(answer.lse[0], frame(row, column));
}

std::optional<double> TileTruth::at(std::int64_t row, std::int64_t column) {
  if (!origin_ || frame_is_gone_) return std::nullopt;
  const IndexRange keys = program_.kv_rows(origin_->segment);
  try {
    switch (meaning_.quantity) {
      case Quantity::none:
        break;
      case Quantity::constant:
        return meaning_.number;
      case Quantity::input:
        return input(row, column);
      case Quantity::score: {
        const std::int64_t key = keys.begin + column;
        if (meaning_.masked && !visible(row_at(row), key)) return -kInfinity;
        return scores(row_at(row), {key, key + 1})[0] *
               (meaning_.scaled ? program_.problem().scale : 1);
      }
      case Quantity::weight:
        return weight(row, column);
      case Quantity::max:
        return max(row_at(row), meaning_.keys, column);
      case Quantity::factor: {
        const double before = max(row_at(row), meaning_.keys, column);
        const double after = max(row_at(row), meaning_.frame, column);
        return before == after ? 1 : exp_against(before, after);
      }
      case Quantity::sum:
        return exp_against(attention(row_at(row), meaning_.keys, column).lse[0],
                           frame(row, column));
      case Quantity::output:
        return output(row, column);
      case Quantity::lse:
        return attention(row_at(row), meaning_.keys, column).lse[0];
    }
  } catch (const Error&) {
    // A mask expression that divides by zero here: the step that asks it says so.
  }
  return std::nullopt;
}

std::string TileTruth::definition() const {
  if (!origin_) return "nothing has been written here yet";
  if (frame_is_gone_) return "the m that was subtracted is no longer on chip";
  const auto over = [&](KeyScope scope) -> std::string {
    std::int64_t keys = 0;
    for (const IndexRange& range : keys_of(scope, 0)) keys += range.size();
    switch (scope) {
      case KeyScope::before:
        return fmt::format("the {} keys before this tile", keys);
      case KeyScope::now:
        return fmt::format("the {} keys so far", keys);
      case KeyScope::tile:
        return fmt::format("the {} keys of this tile", keys);
      case KeyScope::split:
        return "the keys of the split";
      case KeyScope::all:
        break;
    }
    return fmt::format("all {} keys", keys);
  };
  // Nothing is said of m where it is the max of the very keys that are summed.
  std::string max;
  if (program_.tiling().rescale_threshold) {
    max = ", m as it lies on chip";
  } else if (meaning_.frame != meaning_.keys) {
    max = ", m over " + over(meaning_.frame);
  }
  switch (meaning_.quantity) {
    case Quantity::none:
      return "attention does not define this tile";
    case Quantity::constant:
      return "set by the line itself";
    case Quantity::input:
      return "before rounding to " + std::string(name_of(program_.precision().input));
    case Quantity::score:
      return meaning_.scaled ? "scale · q·k" : "q·k";
    case Quantity::weight:
      return meaning_.normalised ? "e^(S − LSE), LSE over all keys" : "e^(S − m)" + max;
    case Quantity::max:
      return "the largest score of " + over(meaning_.keys);
    case Quantity::factor:
      return "e^(m of " + over(meaning_.keys) + " − m of " + over(meaning_.frame) + ")";
    case Quantity::sum:
      return "Σ e^(S − m) over " + over(meaning_.keys) + max;
    case Quantity::output:
      if (meaning_.normalised) return "the answer over " + over(meaning_.keys);
      if (meaning_.of_whole) return "Σ softmax · V over " + over(meaning_.keys);
      return "Σ e^(S − m) · V over " + over(meaning_.keys) + max;
    case Quantity::lse:
      break;
  }
  return "ln Σ e^S over " + over(meaning_.keys);
}

std::int64_t TileTruth::cost() const {
  if (!origin_) return 0;
  std::int64_t keys = 0;
  const bool needs_all = meaning_.quantity == Quantity::weight && meaning_.normalised;
  switch (meaning_.quantity) {
    case Quantity::none:
    case Quantity::constant:
    case Quantity::input:
    case Quantity::score:
      return program_.problem().head_dim;
    default:
      for (const IndexRange& range :
           keys_of(needs_all || meaning_.of_whole ? KeyScope::all : meaning_.keys, 0)) {
        keys += range.size();
      }
  }
  if (meaning_.quantity == Quantity::weight && !needs_all) {
    for (const IndexRange& range : keys_of(meaning_.frame, 0)) keys += range.size();
  }
  return keys * program_.problem().head_dim;
}

}  // namespace flashscope::views
