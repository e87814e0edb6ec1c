// The rules of choose.h.
#include "gpu/launch/choose.h"

#include <algorithm>

#include "gpu/kernels/shared_bytes.h"
#include "sim/attention/tile_plan.h"

namespace flashscope::gpu {
namespace {

constexpr std::int64_t kFewestTiles = 4;    // kv tiles of a split
constexpr std::int64_t kBlockOverhead = 1;  // start, Q and the partial O, in kv tiles' time
constexpr std::int64_t kWorthwhile = 20;    // more splits must gain one part in so many
constexpr std::int64_t kFewRows = 16;       // one row of tensor-core tiles
constexpr std::int64_t kMostPackedRows = (std::int64_t{1} << 31) - 1024;  // counted in 32 bits

Band band_of(const AttentionCall& call) {
  return make_band(call.q_len, call.kv_len, call.causal, call.window_left, call.window_right);
}

}  // namespace

SplitWork split_work(const AttentionCall& call, const KernelConfig& config) {
  SplitWork work;
  const std::int64_t group = call.q_heads / call.kv_heads;
  work.pack_gqa = group > 1 && call.q_len <= kMostPackedRows / group;
  work.rows = work.pack_gqa ? call.q_len * group : call.q_len;
  const std::int64_t heads = work.pack_gqa ? call.kv_heads : call.q_heads;
  const std::int64_t q_tiles = ceil_div(work.rows, config.q_tile_rows);
  work.work_items = call.batch * heads * q_tiles;
  work.kv_tiles = ceil_div(call.kv_len, config.kv_tile_rows);
  if (q_tiles == 0) return work;
  // Ranges only shift from one q tile to the next, and are cut off at the sequence's ends: the
  // middle q tile sees as much as any, unless the mask is one-sided.
  for (const std::int64_t q_tile : {std::int64_t{0}, q_tiles / 2, q_tiles - 1}) {
    IndexRange q_rows = tile_rows(q_tile, config.q_tile_rows, work.rows);
    if (work.pack_gqa) q_rows = query_rows_of_packed(q_rows, group);
    work.visited_tiles = std::max(
        work.visited_tiles, visited_kv_tiles(band_of(call), q_rows, config.kv_tile_rows).size());
  }
  return work;
}

int choose_splits(const SplitWork& work, std::int64_t sm_count) {
  const std::int64_t most = std::clamp<std::int64_t>(work.kv_tiles / kFewestTiles, 1, kMostSplits);
  if (work.visited_tiles == 0 || work.work_items == 0) return 1;
  int best = 1;
  std::int64_t least_time = 0;
  for (std::int64_t splits = 1; splits <= most; ++splits) {
    const std::int64_t tiles = ceil_div(work.kv_tiles, splits);  // of one split
    // Splits that a q tile's visible keys reach into; the others have nothing to do.
    const std::int64_t busy = std::min(splits, ceil_div(work.visited_tiles, tiles));
    const std::int64_t waves = ceil_div(work.work_items * busy, sm_count);
    const std::int64_t wave = std::min(tiles, work.visited_tiles) + kBlockOverhead;
    const std::int64_t time = waves * wave;
    if (splits == 1 || time * kWorthwhile < least_time * (kWorthwhile - 1)) {
      best = static_cast<int>(splits);
      least_time = time;
    }
  }
  return best;
}

bool prefers_split_kv(const AttentionCall& call, const KernelConfig& fa2, const SplitWork& work,
                      int splits, const DeviceLimits& device) {
  const std::int64_t group = call.q_heads / call.kv_heads;
  const std::int64_t work_items = call.batch * call.q_heads * ceil_div(call.q_len, fa2.q_tile_rows);
  if (splits > 1 && work_items < device.sm_count) return true;
  const bool has_few_rows = call.q_len <= kFewRows / group;
  const bool is_long = work.kv_tiles >= 2 * kFewestTiles;
  return has_few_rows && (splits > 1 || (group > 1 && is_long));
}

std::int64_t choose_heads_together(const AttentionCall& call, int q_tile_rows,
                                   const DeviceLimits& device) {
  const std::int64_t group = call.q_heads / call.kv_heads;
  const std::int64_t heads = call.batch * call.q_heads;
  const std::int64_t q_tiles = ceil_div(call.q_len, q_tile_rows);
  if (q_tiles == 0) return 1;
  const Band band = band_of(call);
  const auto keys_of = [&](std::int64_t q_tile) {
    return keys_seen_by_any(band, tile_rows(q_tile, q_tile_rows, call.q_len)).size();
  };
  std::int64_t kv_heads = 1;
  if (2 * keys_of(0) < keys_of(q_tiles - 1)) {
    constexpr std::int64_t kWaves = 4, kBlocksPerSm = 2;
    kv_heads = ceil_div(kWaves * kBlocksPerSm * device.sm_count, q_tiles * group);
  } else {
    constexpr std::int64_t kBytesTogether = 2 << 20, kElementBytes = 2;
    // A q tile's keys are enough in a window: neighbouring q tiles see nearly the same.
    const std::int64_t keys = std::max<std::int64_t>(keys_of(q_tiles / 2), 1);
    kv_heads =
        std::max<std::int64_t>(kBytesTogether / (2 * keys * call.head_dim * kElementBytes), 1);
  }
  return std::min(kv_heads * group, heads);
}

}  // namespace flashscope::gpu
