// Trying tilings; see fit.h.
#include "sim/model/fit.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "sim/attention/program.h"
#include "sim/attention/tile_plan.h"
#include "sim/error.h"
#include "sim/machine/count.h"

namespace flashscope {
namespace {

constexpr std::int64_t kLargestTileRows = 256;
// Ranking lists at most this many of the smallest tiles along a side ...
constexpr std::int64_t kLongestInTiles = 1024;
// ... and classifies at most this many score elements of a mask expression per candidate.
constexpr std::int64_t kMostMaskElements = std::int64_t{1} << 24;

std::vector<std::int64_t> tile_sizes(std::int64_t length, const Device& device) {
  std::vector<std::int64_t> sizes = {device.smallest_tile_rows};
  while (sizes.back() < smaller(length, kLargestTileRows)) sizes.push_back(sizes.back() * 2);
  return sizes;
}

// A score matrix's elements, over the heads whose masks differ; as a double, which can't overflow.
double mask_elements(const Problem& problem) {
  const auto& mask = *problem.mask.expression;
  double elements = static_cast<double>(problem.q_len) * static_cast<double>(problem.kv_len);
  if (mask.uses_batch()) elements *= static_cast<double>(problem.batch);
  if (mask.uses_head()) elements *= static_cast<double>(problem.q_heads);
  return elements;
}

// What is counted to rank candidates: a problem that is cheaper to count and orders them alike.
//
// Long sequences lose an equal number of queries and keys, a multiple of every tile, so that tails
// and the diagonal keep their places in the tiles. What is left is many tiles long: the part of the
// traffic that grows with q_len x kv_len still decides between candidates that differ in it, and
// between those that do not, the part linear in the length, which every candidate loses in the
// same proportion. A window stays whole, as its traffic is linear once the sequence is longer.
//
// An expression that is costly to classify is left out. That is an estimate, not the same order:
// the expression's holes are taken not to favour one tiling over another.
Problem stand_in(const Problem& problem, const Device& device) {
  Problem result = problem;
  Mask& mask = result.mask;
  if (mask.expression && mask_elements(problem) > static_cast<double>(kMostMaskElements)) {
    mask.expression.reset();
  }
  // An expression may name positions: a shorter sequence would not be the same mask.
  if (mask.expression) return result;
  std::int64_t keep = kLongestInTiles * device.smallest_tile_rows;
  for (const std::int64_t side : {mask.window_left, mask.window_right}) {
    if (side < smaller(problem.q_len, problem.kv_len)) keep = larger(keep, 4 * side);
  }
  const std::int64_t surplus = smaller(problem.q_len, problem.kv_len) - keep;
  if (surplus <= 0) return result;
  const std::int64_t cut = surplus / kLargestTileRows * kLargestTileRows;
  result.q_len -= cut;
  result.kv_len -= cut;
  return result;
}

// Kernels over single rows move the same bytes whatever the tiles: they don't change the order.
Algorithm without_row_kernels(const Algorithm& algorithm) {
  Algorithm result = algorithm;
  std::erase_if(result.phases, [](const Phase& phase) { return phase.row_axis == RowAxis::q_row; });
  return result;
}

void count_candidate(const Problem& problem, const Algorithm& algorithm, const Precision& precision,
                     FitCandidate& candidate) {
  const Count counted = count(Program(problem, algorithm, candidate.tiling, precision));
  candidate.total_bytes = counted.ledger.total_bytes();
  candidate.steps = counted.tiles.full + counted.tiles.partial;
}

void sort_candidates(std::vector<FitCandidate>& candidates) {
  const auto key = [](const FitCandidate& c) {
    return std::tuple(c.total_bytes, c.steps, -c.tiling.kv_tile_rows, c.budget.shared_bytes,
                      c.tiling.q_tile_rows);
  };
  std::sort(candidates.begin(), candidates.end(),
            [&](const FitCandidate& a, const FitCandidate& b) { return key(a) < key(b); });
}

// All that fit, ranked, with the counts of the stand-in.
std::vector<FitCandidate> ranked(const Algorithm& algorithm, const Problem& problem,
                                 const Precision& precision, const Device& device,
                                 Placement placement, const Tiling& base) {
  const std::int64_t group = base.pack_gqa ? problem.q_heads / problem.kv_heads : 1;
  const Problem ranking_problem = stand_in(problem, device);
  const Algorithm ranking_algorithm = without_row_kernels(algorithm);
  std::vector<FitCandidate> candidates;
  for (const std::int64_t q_tile : tile_sizes(problem.q_len * group, device)) {
    for (const std::int64_t kv_tile : tile_sizes(problem.kv_len, device)) {
      FitCandidate candidate{base, {}};
      candidate.tiling.q_tile_rows = q_tile;
      candidate.tiling.kv_tile_rows = kv_tile;
      candidate.budget = budget(algorithm, problem, candidate.tiling, precision, device, placement);
      if (!candidate.budget.fits) continue;
      count_candidate(ranking_problem, ranking_algorithm, precision, candidate);
      candidates.push_back(std::move(candidate));
    }
  }
  sort_candidates(candidates);
  return candidates;
}

}  // namespace

std::vector<FitCandidate> best_tilings(const Algorithm& algorithm, const Problem& problem,
                                       const Precision& precision, const Device& device,
                                       Placement placement, const Tiling& base,
                                       std::size_t how_many) {
  validate(problem);
  std::vector<FitCandidate> best = ranked(algorithm, problem, precision, device, placement, base);
  if (best.size() > how_many) best.resize(how_many);
  for (FitCandidate& candidate : best) count_candidate(problem, algorithm, precision, candidate);
  sort_candidates(best);
  return best;
}

Tiling default_tiling(const Algorithm& algorithm, const Problem& problem,
                      const Precision& precision, const Device& device, const Tiling& base) {
  validate(problem);
  const std::vector<FitCandidate> best =
      ranked(algorithm, problem, precision, device, Placement::kernel, base);
  if (!best.empty()) return best.front().tiling;
  Tiling smallest = base;
  smallest.q_tile_rows = smallest.kv_tile_rows = device.smallest_tile_rows;
  throw Error(fmt::format(
      "no tiling of {} fits: even {}; use a larger --device or another --algorithm", algorithm.name,
      budget(algorithm, problem, smallest, precision, device, Placement::kernel).reason));
}

}  // namespace flashscope
