// Execution of single ops; see interpreter.h. Arithmetic on whole rows and tiles is in tile_math.h.
#include "sim/machine/interpreter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/machine/cost.h"
#include "sim/machine/numerics.h"

namespace flashscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<int> carried_tiles(const Algorithm& algorithm, const Phase& phase) {
  std::vector<int> carried, written;
  if (phase.step_axis != StepAxis::q_tile) return carried;
  for (const int index : phase.step) {
    const Effects line = effects(algorithm.lines[static_cast<std::size_t>(index)]);
    for (const int buffer : line.reads) {
      if (algorithm.buffers[static_cast<std::size_t>(buffer)].rows == Dim::q_tile &&
          std::find(written.begin(), written.end(), buffer) == written.end()) {
        carried.push_back(buffer);
      }
    }
    written.insert(written.end(), line.writes.begin(), line.writes.end());
  }
  return carried;
}

}  // namespace

Interpreter::Interpreter(const Program& program, const Inputs& inputs, Outputs& outputs)
    : program_(program),
      memory_(program, inputs, outputs),
      mask_rows_(program),
      scale_(static_cast<float>(program.problem().scale)),
      threshold_(static_cast<float>(program.tiling().rescale_threshold.value_or(0))) {
  using tile_math::Base;
  const Behaviour& behaviour = program.algorithm().behaviour;
  if (behaviour.tile_exponent_base_2) tile_base_ = Base::two;
  if (behaviour.factor_exponent_base_2) factor_base_ = Base::two;
  for (const Phase& phase : program.algorithm().phases) {
    carried_.push_back(carried_tiles(program.algorithm(), phase));
  }
}

void Interpreter::begin(IndexRange rows) {
  memory_.begin(rows);
  rescales_applied_ = 0;
}

void Interpreter::begin(const Chain& chain) {
  begin(tile_rows(chain.q_tile, program_.tiling().q_tile_rows,
                  program_.problem().q_len * program_.group()));
}

void Interpreter::execute(const Segment& segment, Ledger* ledger) {
  const Algorithm& algorithm = program_.algorithm();
  enter(segment);
  for (const int line : segment.lines) {
    execute(algorithm.lines[static_cast<std::size_t>(line)], segment,
            segment.counted ? ledger : nullptr);
  }
}

// A table that forgets to load a q tile's state finds NaN, not the state of some other q tile.
void Interpreter::enter(const Segment& segment) {
  if (segment.part != Part::step) return;
  for (const int buffer : carried_[static_cast<std::size_t>(segment.phase)]) {
    tile(buffer).values.setConstant(std::numeric_limits<float>::quiet_NaN());
  }
}

void Interpreter::execute(const Line& line, const Segment& segment, Ledger* ledger) {
  if (ledger != nullptr) {
    ledger->add_work(work_of(line, program_.algorithm(), extent_of(program_, segment)));
  }
  const auto operand = [&](std::size_t n) -> Tile& { return tile(line.operands[n]); };
  Tile& result = tile(line.result);
  switch (line.kind) {
    case LineKind::load:
    case LineKind::store:
      memory_.copy(line, segment, ledger);
      break;
    case LineKind::fill:
      result.values.setConstant(static_cast<float>(line.number));
      break;
    case LineKind::product:
      tile_math::product(result, operand(0), operand(1));
      if (line.scaled) result.values *= scale_;
      break;
    case LineKind::scale:
      result.values *= scale_;
      break;
    case LineKind::mask:
      mask(line, segment);
      break;
    case LineKind::row_max:
      result.values.setConstant(-kInfinity);
      tile_math::row_max(result, result, operand(0));
      break;
    case LineKind::running_max:
      tile_math::row_max(result, operand(0), operand(1));
      break;
    case LineKind::keep_max:
      tile_math::keep_max(result, operand(0), threshold_);
      break;
    case LineKind::exp_tile:
      tile_math::exp_tile(result, operand(0), operand(1), tile_base_);
      break;
    case LineKind::exp_vector:
      tile_math::exp_vector(result, operand(0), operand(1), factor_base_);
      break;
    case LineKind::row_sum:
      result.values = tile_math::row_sums(operand(0));
      break;
    case LineKind::running_sum:
      result.values.array() *= operand(0).values.array();
      result.values += tile_math::row_sums(operand(2));
      break;
    case LineKind::add_row_sum:
      result.values += tile_math::row_sums(operand(1));
      break;
    case LineKind::multiply:
      result.values.array() *= operand(0).values.array();
      break;
    case LineKind::rescale:
      rescale(line, segment);
      break;
    case LineKind::accumulate:
      accumulate(line, segment);
      break;
    case LineKind::accumulate_split:
      tile_math::add_weighted(result, operand(1), segment.split, operand(2));
      break;
    case LineKind::divide:
      tile_math::divide_rows(result, operand(1));
      break;
    case LineKind::copy:
      result.values = operand(0).values;
      break;
    case LineKind::log_sum_exp:
      tile_math::log_sum_exp(result, operand(0), operand(1));
      break;
    case LineKind::cast:
      round_in_place(format_of(line.stage, program_.precision(), program_.tiling()),
                     {result.values.data(), static_cast<std::size_t>(result.values.size())});
      break;
  }
}

Tile Interpreter::preview(const Line& line, const Segment& segment) {
  if (line.kind == LineKind::store) return tile(line.result);
  const Tile before = tile(line.result);
  const std::int64_t rescales = rescales_applied_;
  try {
    execute(line, segment, nullptr);
  } catch (...) {
    tile(line.result) = before;
    throw;
  }
  rescales_applied_ = rescales;
  return std::exchange(tile(line.result), before);
}

void Interpreter::mask(const Line& line, const Segment& segment) {
  Tile& scores = tile(line.result);
  const IndexRange rows = program_.q_rows(segment), keys = program_.kv_rows(segment);
  const bool masks_tail = program_.algorithm().behaviour.masks_tail;
  const std::int64_t columns = masks_tail ? keys.size() : scores.columns;
  const Eigen::Index tail = scores.columns - columns;
  if (tail > 0 && line.past_end) scores.values.rightCols(tail).setConstant(*line.past_end);
  if (!line.hidden) return;
  const float hidden = *line.hidden;
  visible_.resize(static_cast<std::size_t>(columns));
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    mask_rows_.row(segment.batch, segment.head, row, keys.begin, visible_);
    for (std::int64_t k = 0; k < columns; ++k) {
      if (visible_[static_cast<std::size_t>(k)] == 0) scores.at(row - rows.begin, k) = hidden;
    }
  }
}

// O = O + P V. In a tile with hidden elements a NaN or inf of V must reach only the rows that see
// it, but 0 * NaN is NaN: such key rows are taken out of the product and added where they are seen.
void Interpreter::accumulate(const Line& line, const Segment& segment) {
  Tile& result = tile(line.result);
  const Tile& p = tile(line.operands[1]);
  const Tile& v = tile(line.operands[2]);
  if (v.has_non_finite && segment.kind.tile_class != TileClass::full) {
    accumulate_non_finite(line, segment);
  } else {
    tile_math::add_product(result, p, v);
  }
}

void Interpreter::accumulate_non_finite(const Line& line, const Segment& segment) {
  Tile& result = tile(line.result);
  const Tile& p = tile(line.operands[1]);
  const Tile& v = tile(line.operands[2]);
  const IndexRange rows = program_.q_rows(segment), keys = program_.kv_rows(segment);
  Tile finite = v;
  std::vector<std::int64_t> bad_keys;
  for (std::int64_t k = 0; k < keys.size(); ++k) {
    bool ok = true;
    for (std::int64_t d = 0; d < v.columns; ++d) ok = ok && std::isfinite(v.at(k, d));
    if (ok) continue;
    bad_keys.push_back(k);
    for (std::int64_t d = 0; d < v.columns; ++d) finite.at(k, d) = 0;
  }
  tile_math::add_product(result, p, finite);
  visible_.resize(static_cast<std::size_t>(keys.size()));
  for (std::int64_t r = 0; r < rows.size(); ++r) {
    mask_rows_.row(segment.batch, segment.head, rows.begin + r, keys.begin, visible_);
    for (const std::int64_t k : bad_keys) {
      if (visible_[static_cast<std::size_t>(k)] == 0 && p.at(r, k) == 0) continue;
      for (std::int64_t d = 0; d < v.columns; ++d) result.at(r, d) += p.at(r, k) * v.at(k, d);
    }
  }
}

void Interpreter::rescale(const Line& line, const Segment& segment) {
  Tile& result = tile(line.result);
  const Tile& factor = tile(line.operands[0]);
  const std::int64_t rows = program_.q_rows(segment).size();
  if (!program_.tiling().rescale_threshold) {
    tile_math::scale_rows(result, factor);
    rescales_applied_ += rows;
    return;
  }
  std::int64_t changed = 0;
  for (std::int64_t r = 0; r < rows; ++r) changed += factor.at(r, 0) != 1.0F ? 1 : 0;
  if (changed > 0) tile_math::scale_rows(result, factor);
  rescales_applied_ += changed;
}

}  // namespace flashscope
