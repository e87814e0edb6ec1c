// Lockstep comparison; see diff.h.
#include "sim/debugger/diff.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "sim/debugger/prefix_truth.h"

namespace flashscope {
namespace {

constexpr std::int64_t kRowsAtATime = 512;  // bounds the memory that recorded states take

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::abs(a - b);
  return std::isnan(d) ? INFINITY : d;
}

struct Comparison {
  double lse = 0;
  std::optional<double> o;
  std::optional<std::string> quantity;  // of the first that is too far apart
  double a = 0, b = 0;
};

Comparison compare(const PrefixState& a, const PrefixState& b, double tolerance) {
  Comparison result;
  constexpr std::size_t kLse = SIZE_MAX;
  const auto note = [&](std::size_t column, double left, double right, double scale) {
    const double d = distance(left, right);
    if (!result.quantity && !(d <= tolerance * std::max(1.0, scale))) {
      result.quantity = column == kLse ? "lse" : fmt::format("O[{}]", column);
      result.a = left;
      result.b = right;
    }
    return d;
  };
  const double size = std::isfinite(a.lse) ? std::abs(a.lse) : 1;
  result.lse = note(kLse, a.lse, b.lse, size);
  double largest = 0;
  for (const double value : a.o) largest = std::max(largest, std::abs(value));
  if (!std::isfinite(largest)) largest = 1;
  for (std::size_t d = 0; d < std::min(a.o.size(), b.o.size()); ++d) {
    result.o = std::max(result.o.value_or(0), note(d, a.o[d], b.o[d], largest));
  }
  return result;
}

const PrefixState* partner(const std::vector<PrefixState>& states, const PrefixState& state) {
  const auto found = std::find_if(states.begin(), states.end(), [&](const PrefixState& other) {
    return other.final == state.final && other.keys == state.keys;
  });
  return found == states.end() ? nullptr : &*found;
}

}  // namespace

double diff_tolerance(const Precision& a, const Precision& b) {
  const auto output = [](Format format) {
    switch (format) {
      case Format::fp16:
        return 0x1p-10;
      case Format::bf16:
        return 0x1p-7;
      case Format::e4m3:
        return 0x1p-3;
      case Format::fp32:
        break;
    }
    return 0.0;
  };
  return truth_tolerance(a, 1) + truth_tolerance(b, 1) + output(a.output) + output(b.output);
}

DiffResult diff(const Scenario& scenario, const Program& a, const OtherSide& b,
                const DiffOptions& options) {
  DiffResult result;
  const Problem& problem = scenario.problem;
  const std::int64_t heads = options.only ? 1 : problem.batch * problem.q_heads;
  const std::int64_t first_head =
      options.only ? options.only->batch * problem.q_heads + options.only->head : 0;
  const IndexRange wanted = options.only ? options.only->rows : IndexRange{0, problem.q_len};
  const std::int64_t tile = std::max<std::int64_t>(1, a.tiling().q_tile_rows / a.group());
  const std::int64_t block = ceil_div(kRowsAtATime, tile) * tile;
  const std::int64_t blocks = ceil_div(wanted.size(), block);
  for (std::int64_t n = 0; n < heads * blocks; ++n) {
    const std::int64_t index = first_head + n / blocks;
    const std::int64_t batch = index / problem.q_heads, head = index % problem.q_heads;
    IndexRange rows = tile_rows(n % blocks, block, wanted.size());
    rows = {rows.begin + wanted.begin, rows.end + wanted.begin};
    const RowStates mine = record_states(scenario, a, batch, head, rows);
    const RowStates theirs = b.states(batch, head, rows);
    for (const auto& [row, states] : mine) {
      const auto other = theirs.find(row);
      if (other == theirs.end()) continue;
      std::vector<Growth> growth;
      std::optional<Difference> first;
      for (const PrefixState& state : states) {
        const PrefixState* match = partner(other->second, state);
        if (match == nullptr) continue;
        ++result.compared_points;
        const Comparison c = compare(state, *match, options.tolerance);
        std::int64_t keys = 0;
        for (const auto& [begin, end] : state.keys) keys += end - begin;
        growth.push_back({keys, state.final, c.lse, c.o});
        if (!c.quantity || first) continue;
        first = Difference{state.op,
                           match->op,
                           batch,
                           head,
                           row,
                           state.keys.empty() ? 0 : state.keys.front().first,
                           state.keys.empty() ? 0 : state.keys.back().second,
                           *c.quantity,
                           c.a,
                           c.b};
      }
      if (!growth.empty()) ++result.compared_rows;
      if (!first) continue;
      ++result.differing_rows;
      if (!result.first || first->op_a < result.first->op_a) {
        result.first = first;
        result.growth = growth;
      }
    }
    if (options.progress) options.progress(n + 1, heads * blocks);
  }
  return result;
}

}  // namespace flashscope
