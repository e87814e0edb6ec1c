// What every key weighs in a row's O so far; see softmax_view.h.
#include <algorithm>
#include <cmath>
#include <limits>

#include "viz/views/softmax_view.h"

namespace flashscope::views {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What a step multiplies the old O by. A table without alpha does it by another name.
double kept(const ChainRecording& recording, std::size_t row, std::size_t step) {
  if (!recording.steps[step].corrects_o) return 1;
  const std::vector<RecordedState>& states = recording.rows[row].states;
  if (!std::isnan(states[step].alpha)) return states[step].alpha;
  const double before = recording.steps[step].first ? -kInfinity : states[step - 1].m;
  return before == states[step].m ? 1 : std::exp(before - states[step].m);
}

}  // namespace

std::vector<WeightBin> weight_bins(const ChainRecording& recording, std::size_t row,
                                   std::size_t steps, std::size_t most_bins) {
  const RecordedRow& recorded = recording.rows[row];
  // The hull of the keys that count for something.
  const auto counts = [&](std::size_t key) {
    return recorded.true_weights[key] != 0 ||
           (!std::isnan(recorded.p[key]) && recorded.p[key] != 0);
  };
  std::size_t end = recorded.true_weights.size(), begin = 0;
  while (end > 0 && !counts(end - 1)) --end;
  while (begin < end && !counts(begin)) ++begin;
  if (begin == end || most_bins == 0) return {};
  const std::size_t size = (end - begin + most_bins - 1) / most_bins;
  std::vector<WeightBin> bins((end - begin + size - 1) / size);
  for (std::size_t n = 0; n < bins.size(); ++n) {
    bins[n].keys = {static_cast<std::int64_t>(begin + n * size),
                    static_cast<std::int64_t>(std::min(end, begin + (n + 1) * size))};
  }
  for (std::size_t key = begin; key < end; ++key) {
    bins[(key - begin) / size].truth += recorded.true_weights[key];
  }

  // Every run of steps (the chain, or a split) as part of what all runs so far come to.
  double whole = -kInfinity;
  for (std::size_t n = 0; n < steps; ++n) {
    const bool ends = n + 1 == steps || recording.steps[n + 1].first;
    const double lse = recorded.states[n].lse;
    if (!ends || lse == -kInfinity) continue;
    const double most = std::max(whole, lse);
    whole = most + std::log(std::exp(whole - most) + std::exp(lse - most));
  }
  double weight = 0;  // of a P of 1
  for (std::size_t n = steps; n-- > 0;) {
    const RecordedState& state = recorded.states[n];
    if (n + 1 == steps || recording.steps[n + 1].first) {
      weight = state.l == 0 ? 0 : std::exp(state.lse - whole) / state.l;
    }
    const auto first = std::max(begin, static_cast<std::size_t>(recording.steps[n].keys.begin));
    const auto last = std::min(end, static_cast<std::size_t>(recording.steps[n].keys.end));
    for (std::size_t key = first; key < last; ++key) {
      WeightBin& bin = bins[(key - begin) / size];
      bin.here += recorded.p[key] == 0 ? 0 : static_cast<double>(recorded.p[key]) * weight;
      bin.consumed = true;
    }
    weight *= kept(recording, row, n);
  }
  return bins;
}

}  // namespace flashscope::views
