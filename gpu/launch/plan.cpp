// From a checked call to a plan: algorithm, tiles and splits, chosen or as the caller wants them.
#include "gpu/launch/plan.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

#include "gpu/kernels/shared_bytes.h"
#include "gpu/kernels/workspace.h"
#include "gpu/launch/check.h"
#include "gpu/launch/choose.h"
#include "sim/error.h"

namespace flashscope::gpu {
namespace {

bool has_tiles(const KernelConfig& config, const AttentionCall& call) {
  return (call.q_tile == 0 || call.q_tile == config.q_tile_rows) &&
         (call.kv_tile == 0 || call.kv_tile == config.kv_tile_rows);
}

// One q tile of split_kv should hold all rows, for each q tile reads K and V again; the smaller
// does when both do.
bool holds_rows_better(const KernelConfig& a, const KernelConfig& b, const AttentionCall& call) {
  const std::int64_t rows = split_work(call, a).rows;
  const bool holds_a = a.q_tile_rows >= rows, holds_b = b.q_tile_rows >= rows;
  if (holds_a != holds_b) return holds_a;
  return holds_a ? a.q_tile_rows < b.q_tile_rows : a.q_tile_rows > b.q_tile_rows;
}

// The compiled kernel to use: of those that have the call's head_dim and tiles and fit the device,
// the first; for split_kv the first of those with the best q tile.
std::optional<KernelConfig> find_config(Algorithm algorithm, const AttentionCall& call,
                                        const DeviceLimits& device) {
  std::optional<KernelConfig> best;
  for (const KernelConfig& config : kKernelConfigs) {
    if (config.algorithm != algorithm || config.head_dim != call.head_dim ||
        !has_tiles(config, call) || shared_bytes(config) > device.shared_bytes_per_block) {
      continue;
    }
    if (!best || (algorithm == Algorithm::split_kv && holds_rows_better(config, *best, call))) {
      best = config;
    }
  }
  return best;
}

// Why find_config() found nothing for any of the algorithms.
Error no_config(std::span<const Algorithm> algorithms, const AttentionCall& call,
                const DeviceLimits& device) {
  std::string names, tiles;
  bool matches = false;
  std::int64_t least_bytes = std::numeric_limits<std::int64_t>::max();
  for (const Algorithm algorithm : algorithms) {
    names += (names.empty() ? "" : " or ") + std::string(name_of(algorithm));
    for (const KernelConfig& config : kKernelConfigs) {
      if (config.algorithm != algorithm || config.head_dim != call.head_dim) continue;
      tiles += fmt::format("{}{} x {}", tiles.empty() ? "" : ", ", config.q_tile_rows,
                           config.kv_tile_rows);
      if (!has_tiles(config, call)) continue;
      matches = true;
      least_bytes = std::min(least_bytes, shared_bytes(config));
    }
  }
  if (tiles.empty()) {
    const std::string dims = head_dims_of(algorithms.front());
    return Error(fmt::format("there is no {} kernel for head_dim {}{}", names, call.head_dim,
                             dims.empty() ? "" : ": there are some for " + dims));
  }
  if (!matches) {
    const auto text = [](int rows) { return rows == 0 ? "any" : std::to_string(rows); };
    return Error(fmt::format("q_tile {} and kv_tile {}: {} at head_dim {} has the tiles {}",
                             text(call.q_tile), text(call.kv_tile), names, call.head_dim, tiles));
  }
  return Error(
      fmt::format("{} at head_dim {} needs {} KiB of shared memory, and a block of this "
                  "device has {}: give smaller tiles, of {}",
                  names, call.head_dim, ceil_div(least_bytes, 1024),
                  device.shared_bytes_per_block / 1024, tiles));
}

KernelConfig config_of(Algorithm algorithm, const AttentionCall& call, const DeviceLimits& device) {
  const std::optional<KernelConfig> config = find_config(algorithm, call, device);
  if (!config) throw no_config(std::array{algorithm}, call, device);
  return *config;
}

int splits_of(const AttentionCall& call, const SplitWork& work, const DeviceLimits& device) {
  return call.splits > 0 ? call.splits : choose_splits(work, device.sm_count);
}

// fa2 or split_kv, whichever promises to be faster among those that have the tiles asked for.
KernelConfig automatic_config(const AttentionCall& call, const DeviceLimits& device) {
  const auto fa2 = find_config(Algorithm::fa2, call, device);
  const auto split_kv = find_config(Algorithm::split_kv, call, device);
  if (split_kv && call.splits > 1) return *split_kv;
  if (call.splits > 1) throw no_config(std::array{Algorithm::split_kv}, call, device);
  if (fa2 && split_kv) {
    const SplitWork work = split_work(call, *split_kv);
    const int splits = splits_of(call, work, device);
    return prefers_split_kv(call, *fa2, work, splits, device) ? *split_kv : *fa2;
  }
  if (fa2) return *fa2;
  if (split_kv) return *split_kv;
  throw no_config(std::array{Algorithm::fa2, Algorithm::split_kv}, call, device);
}

// Blocks per (batch, q head) in the largest grid of the algorithm's phases.
std::int64_t blocks_per_head(const AttentionCall& call, const Plan& plan) {
  const std::int64_t q_tiles = ceil_div(call.q_len, plan.config.q_tile_rows);
  const std::int64_t kv_tiles = ceil_div(call.kv_len, plan.config.kv_tile_rows);
  switch (plan.algorithm) {
    case Algorithm::standard:
      return std::max(q_tiles * kv_tiles, call.q_len);
    case Algorithm::split_kv:
      return std::max(q_tiles * plan.splits, call.q_len);
    default:
      return q_tiles;
  }
}

}  // namespace

Plan plan(const AttentionCall& call, const DeviceLimits& device) {
  check_call(call);
  Plan plan;
  plan.config = call.algorithm == Algorithm::automatic ? automatic_config(call, device)
                                                       : config_of(call.algorithm, call, device);
  plan.algorithm = plan.config.algorithm;
  if (plan.algorithm == Algorithm::split_kv) {
    const SplitWork work = split_work(call, plan.config);
    plan.splits = splits_of(call, work, device);
    plan.pack_gqa = work.pack_gqa;
  }
  require_grid(call, blocks_per_head(call, plan));
  // The grid's limit keeps this far from 2^63.
  const Workspace layout = workspace(plan.algorithm, {call.batch * call.q_heads, call.q_len,
                                                      call.kv_len, call.head_dim, plan.splits});
  plan.workspace_bytes = static_cast<std::size_t>(layout.bytes);
  return plan;
}

const char* name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::automatic:
      return "automatic";
    case Algorithm::standard:
      return "standard";
    case Algorithm::fa1:
      return "fa1";
    case Algorithm::fa2:
      return "fa2";
    case Algorithm::split_kv:
      return "split_kv";
  }
  return "?";
}

}  // namespace flashscope::gpu
