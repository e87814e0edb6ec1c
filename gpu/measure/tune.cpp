// See tune.h.
#include "gpu/measure/tune.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "gpu/kernels/shared_bytes.h"
#include "gpu/launch/choose.h"
#include "gpu/launch/device.h"
#include "sim/attention/algorithm.h"
#include "sim/error.h"
#include "sim/model/sram_budget.h"

namespace flashscope::gpu {
namespace {

constexpr std::int64_t kMostRegisters = 255;  // of a thread
constexpr std::int64_t kRegisterBytes = 4, kThreadsPerWarp = 32;

std::string why_pruned(const KernelConfig& config, const Problem& problem,
                       const DeviceLimits& device) {
  constexpr std::int64_t kKib = 1024;
  const std::int64_t shared = shared_bytes(config);
  if (shared > device.shared_bytes_per_block) {
    return fmt::format("needs {} KiB of shared memory, a block has {}", ceil_div(shared, kKib),
                       device.shared_bytes_per_block / kKib);
  }
  const std::int64_t registers = registers_needed(config, problem);
  if (registers > kMostRegisters) {
    return fmt::format("needs {} registers a thread, there are {}: it would spill", registers,
                       kMostRegisters);
  }
  return "";
}

bool same_tiles(const KernelConfig& a, const KernelConfig& b) {
  return a.q_tile_rows == b.q_tile_rows && a.kv_tile_rows == b.kv_tile_rows;
}

}  // namespace

std::int64_t registers_needed(const KernelConfig& config, const Problem& problem) {
  const flashscope::Algorithm table = load_algorithm(name_of(config.algorithm));
  Tiling tiling;
  tiling.q_tile_rows = config.q_tile_rows;
  tiling.kv_tile_rows = config.kv_tile_rows;
  const Device any{.name = "any", .title = "any"};  // items do not depend on it
  const Budget items = budget(table, problem, tiling, default_precision(table, problem.dtype), any,
                              flashscope::Placement::kernel);
  const std::int64_t thread_bytes = config.warps * kThreadsPerWarp * kRegisterBytes;
  std::map<std::string, std::int64_t> phases, largest_score_tile;
  for (const BudgetItem& item : items.items) {
    const Buffer& buffer = table.buffers[static_cast<std::size_t>(table.find(item.buffer, false))];
    // A row of all scores is walked piece by piece by a kernel, not held.
    if (item.place != Place::registers || buffer.columns == Dim::kv_len) continue;
    const std::int64_t copies = buffer.is_vector() ? kThreadsPerRow : 1;
    const std::int64_t registers = ceil_div(item.bytes * copies, thread_bytes);
    if (buffer.columns == Dim::kv_tile) {
      std::int64_t& largest = largest_score_tile[item.phase];
      largest = std::max(largest, registers);
    } else {
      phases[item.phase] += registers;
    }
  }
  std::int64_t most = 0;
  for (const auto& [phase, registers] : largest_score_tile) {
    most = std::max(most, phases[phase] + registers);
  }
  return most + kOverheadRegisters;
}

std::vector<Candidate> candidates(Algorithm algorithm, const Problem& problem,
                                  const DeviceLimits& device) {
  std::vector<Candidate> result;
  for (const KernelConfig& config : kKernelConfigs) {
    if (config.algorithm != algorithm || config.head_dim != problem.head_dim) continue;
    Candidate candidate{config, why_pruned(config, problem, device)};
    const bool hidden = std::any_of(result.begin(), result.end(), [&](const Candidate& earlier) {
      return earlier.pruned.empty() && same_tiles(earlier.config, config);
    });
    if (candidate.pruned.empty() && hidden) {
      candidate.pruned = "has the tiles of an earlier one, which a call for them gets";
    }
    result.push_back(candidate);
  }
  if (result.empty()) {
    throw Error(fmt::format("--head-dim {}: {} has no kernel for it", problem.head_dim,
                            name_of(algorithm)));
  }
  return result;
}

std::vector<int> splits_to_try(const KernelConfig& config, const Problem& problem) {
  std::vector<int> result = {0};
  if (config.algorithm != Algorithm::split_kv) return result;
  const std::int64_t tiles = ceil_div(problem.kv_len, config.kv_tile_rows);
  for (int splits = 1; splits <= kMostSplits && splits <= tiles; splits *= 2) {
    result.push_back(splits);
  }
  return result;
}

TuneResult tune(Bench& bench, DeviceProblem& problem, Algorithm algorithm,
                const TimingOptions& options) {
  TuneResult result;
  result.candidates = candidates(algorithm, problem.problem(), current_device());
  for (const Candidate& candidate : result.candidates) {
    if (!candidate.pruned.empty()) continue;
    std::vector<std::int64_t> tried;
    for (const int splits : splits_to_try(candidate.config, problem.problem())) {
      const Choice choice = {algorithm, candidate.config.q_tile_rows, candidate.config.kv_tile_rows,
                             splits};
      // The plan's own number of splits may be one of the others.
      const std::int64_t planned = bench.planned(problem, choice).tiling.splits;
      if (std::find(tried.begin(), tried.end(), planned) != tried.end()) continue;
      tried.push_back(planned);
      result.rows.push_back(bench.measure(problem, choice, options));
    }
  }
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const RecordRow& a, const RecordRow& b) {
                     return (a.us ? a.us->median : INFINITY) < (b.us ? b.us->median : INFINITY);
                   });
  return result;
}

}  // namespace flashscope::gpu
