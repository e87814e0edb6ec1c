// State against fp64 over the keys so far; see prefix_truth.h.
#include "sim/debugger/prefix_truth.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flashscope {
namespace {

// Half the distance of neighbouring numbers around 1; fp32's is covered by the constant term.
double unit_roundoff(Format format) {
  switch (format) {
    case Format::fp16:
      return 0x1p-11;
    case Format::bf16:
      return 0x1p-8;
    case Format::e4m3:
      return 0x1p-4;
    case Format::fp32:
      break;
  }
  return 0;
}

bool agree(double a, double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::abs(a - b) <= tolerance;
}

}  // namespace

bool has_prefix_truth(const Program& program, const Segment& segment) {
  const Algorithm& algorithm = program.algorithm();
  if (!algorithm.estimate || segment.part != Part::step || segment.kv_tile < 0) return false;
  return std::any_of(segment.lines.begin(), segment.lines.end(), [&](int index) {
    const Line& line = algorithm.lines[static_cast<std::size_t>(index)];
    return line.result == algorithm.estimate->l && line.kind != LineKind::load &&
           line.kind != LineKind::store;
  });
}

std::vector<IndexRange> consumed_keys(const Program& program, const Segment& segment) {
  const Phase& phase = program.algorithm().phases[static_cast<std::size_t>(segment.phase)];
  const KvOrder order = phase.kv_order.value_or(program.tiling().kv_order);
  const TileMap& map = program.tile_map(segment.batch, segment.head);
  const IndexRange window =
      segment.split < 0 ? IndexRange{0, map.kv_tiles()}
                        : split_kv_tiles(segment.split, program.tiling().splits, map.kv_tiles());
  std::vector<IndexRange> keys;
  for (const StepRun& run : map.steps_of_q_tile(segment.q_tile, window, order, phase.step_visit)) {
    for (std::int64_t n = 0; n < run.size(); ++n) {
      const std::int64_t tile = order == KvOrder::descending ? run.end - 1 - n : run.begin + n;
      keys.push_back(tile_rows(tile, program.tiling().kv_tile_rows, program.problem().kv_len));
      if (tile == segment.kv_tile) return keys;
    }
  }
  return keys;
}

PrefixTruth prefix_truth(const Scenario& scenario, const Program& program,
                         const Interpreter& machine, const Segment& segment,
                         std::span<const std::int64_t> rows) {
  PrefixTruth truth;
  truth.keys = consumed_keys(program, segment);
  const Estimate& estimate = *program.algorithm().estimate;
  const std::int64_t first = program.q_rows(segment).begin, group = program.group();
  const reference::Inputs inputs =
      reference_inputs(scenario, program.precision().input, ReferenceInput::rounded);
  const Tile& o = machine.tile(estimate.o);
  for (const std::int64_t row : rows) {
    const std::int64_t r = row - first;
    const std::vector<std::int64_t> query = {row / group};
    const reference::Rows want =
        reference::attention_over(program.problem(), inputs, segment.batch,
                                  segment.head * group + row % group, query, truth.keys);
    PrefixTruth::Row& result = truth.rows.emplace_back();
    result.row = row;
    const double l = machine.tile(estimate.l).at(r, 0), m = machine.tile(estimate.m).at(r, 0);
    for (std::int64_t d = 0; d < o.columns; ++d) {
      const double value = o.at(r, d);
      result.o_here.push_back(estimate.o_divisor < 0 ? value : (l == 0 ? 0 : value / l));
    }
    result.o_true = want.o;
    result.lse_here = l == 0 ? -std::numeric_limits<double>::infinity() : m + std::log(l);
    result.lse_true = want.lse[0];
  }
  return truth;
}

double truth_tolerance(const Precision& precision, double magnitude) {
  const double relative = 1e-5 + 2 * unit_roundoff(precision.probability) +
                          8 * unit_roundoff(precision.accumulator) +
                          16 * unit_roundoff(precision.score);
  return relative * std::max(1.0, std::isfinite(magnitude) ? std::abs(magnitude) : 1.0);
}

std::optional<Departure> first_departure(const PrefixTruth& truth, const Precision& precision) {
  for (const PrefixTruth::Row& row : truth.rows) {
    if (!agree(row.lse_here, row.lse_true, truth_tolerance(precision, row.lse_true))) {
      return Departure{row.row, -1, row.lse_here, row.lse_true};
    }
    double largest = 0;
    for (const double value : row.o_true) largest = std::max(largest, std::abs(value));
    for (std::size_t d = 0; d < row.o_here.size(); ++d) {
      if (!agree(row.o_here[d], row.o_true[d], truth_tolerance(precision, largest))) {
        return Departure{row.row, static_cast<std::int64_t>(d), row.o_here[d], row.o_true[d]};
      }
    }
  }
  return std::nullopt;
}

}  // namespace flashscope
