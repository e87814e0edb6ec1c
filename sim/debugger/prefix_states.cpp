// Recording chains; see prefix_states.h.
#include "sim/debugger/prefix_states.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/debugger/prefix_truth.h"

namespace flashscope {
namespace {

PrefixState state_of(const Program& program, const Interpreter& machine, std::int64_t r) {
  const Estimate& estimate = *program.algorithm().estimate;
  const Tile& o = machine.tile(estimate.o);
  const double l = machine.tile(estimate.l).at(r, 0), m = machine.tile(estimate.m).at(r, 0);
  PrefixState state;
  state.lse = l == 0 ? -std::numeric_limits<double>::infinity() : m + std::log(l);
  for (std::int64_t d = 0; d < o.columns; ++d) {
    const double value = o.at(r, d);
    state.o.push_back(estimate.o_divisor < 0 ? value : (l == 0 ? 0 : value / l));
  }
  return state;
}

void record_chain(const Scenario& scenario, const Program& program, const Chain& chain,
                  std::int64_t q_head, IndexRange wanted, RowStates& states) {
  Outputs outputs = make_outputs(program.problem(), program.precision());
  Interpreter machine(program, scenario.inputs, outputs);
  machine.begin(chain);
  const std::int64_t group = program.group();
  const auto each_row = [&](IndexRange held, auto use) {
    for (std::int64_t row = held.begin; row < held.end; ++row) {
      const bool mine = chain.head * group + row % group == q_head;
      if (mine && wanted.contains(row / group)) use(row);
    }
  };
  std::int64_t last_op = 0;
  program.visit_chain(chain, [&](const Segment& segment) {
    machine.execute(segment, nullptr);
    last_op = segment.first_op + static_cast<std::int64_t>(segment.lines.size()) - 1;
    // A split's own prefix is no prefix of the row's keys.
    if (!has_prefix_truth(program, segment) || segment.split >= 0) return;
    const KeySet keys = key_set(consumed_keys(program, segment));
    const IndexRange held = program.q_rows(segment);
    each_row(held, [&](std::int64_t row) {
      PrefixState state = state_of(program, machine, row - held.begin);
      state.op = last_op;
      state.keys = keys;
      states[row / group].push_back(std::move(state));
    });
  });
  const IndexRange held =
      tile_rows(chain.q_tile, program.tiling().q_tile_rows, program.problem().q_len * group);
  std::vector<float> values(static_cast<std::size_t>(program.problem().head_dim));
  each_row(held, [&](std::int64_t row) {
    PrefixState state;
    state.op = last_op;
    state.final = true;
    state.keys = key_set({{0, program.problem().kv_len}});
    state.lse = outputs.lse.at(chain.batch, q_head, row / group, 0);
    outputs.o.read_row(chain.batch, q_head, row / group, values);
    state.o.assign(values.begin(), values.end());
    states[row / group].push_back(std::move(state));
  });
}

}  // namespace

KeySet key_set(std::vector<IndexRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const IndexRange& a, const IndexRange& b) { return a.begin < b.begin; });
  KeySet keys;
  for (const IndexRange& range : ranges) {
    if (range.empty()) continue;
    if (!keys.empty() && keys.back().second == range.begin) {
      keys.back().second = range.end;
    } else {
      keys.emplace_back(range.begin, range.end);
    }
  }
  return keys;
}

RowStates record_states(const Scenario& scenario, const Program& program, std::int64_t batch,
                        std::int64_t q_head, IndexRange rows) {
  RowStates states;
  const std::int64_t group = program.group(), tile = program.tiling().q_tile_rows;
  for (std::int64_t i = rows.begin * group / tile; i * tile < rows.end * group; ++i) {
    record_chain(scenario, program, {batch, q_head / group, i}, q_head, rows, states);
  }
  return states;
}

}  // namespace flashscope
