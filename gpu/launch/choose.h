// The rules by which a plan is made where the caller leaves it open: which algorithm, into how many
// parts the keys are split, how many heads run side by side. Each is a function of a few numbers.
#pragma once

#include <cstdint>

#include "gpu/kernels/configs.h"
#include "gpu/launch/attention.h"
#include "gpu/launch/plan.h"

namespace flashscope::gpu {

constexpr int kMostSplits = 128;

// What split_kv's grid is made of, before the keys are split.
struct SplitWork {
  bool pack_gqa = false;           // the q heads of a kv head share q tiles
  std::int64_t rows = 0;           // of a (packed) head
  std::int64_t work_items = 0;     // (batch, head, q tile)
  std::int64_t kv_tiles = 0;       // of all keys
  std::int64_t visited_tiles = 0;  // of the q tile that visits most
};
SplitWork split_work(const AttentionCall& call, const KernelConfig& config);

// The number of splits, 1..kMostSplits, that ends first when an SM works on a block at a time: one
// keeps its share of the memory busy, and more would only be more places to read from. Blocks come
// in waves of sm_count, a wave lasts as long as a split's kv tiles and kBlockOverhead tiles more.
// No split is shorter than kFewestTiles, and more splits must gain one part in kWorthwhile, for
// each writes a partial O that the combine phase reads. Measured on an H200 (GQA 8, head_dim 128,
// of a copy's bandwidth): 16 x 4 heads, 131072 keys: 2 splits (128 blocks) 109 %, 33 splits 107 %;
// 64 x 4 heads, 8192 keys: 1 split 104 %, 4 splits 100 %.
int choose_splits(const SplitWork& work, std::int64_t sm_count);

// Does split_kv, with this work and these splits, serve a call better than fa2?
//   - fa2's work items do not fill the SMs, and splitting the keys makes more of them; or
//   - a q tile of fa2 would be nearly empty (at most kFewRows packed rows), and split_kv either
//     splits or reads K and V once for several q heads. Short K and V are not worth its second
//     kernel.
bool prefers_split_kv(const AttentionCall& call, const KernelConfig& fa2, const SplitWork& work,
                      int splits, const DeviceLimits& device);

// How many q heads a group of block_order.cuh has, in whole GQA groups, 1..batch * q_heads.
//   - Where the first q tiles have far less to do than the last (causal), the long ones of many
//     heads go first: as many heads as make four waves of blocks.
//   - Where all have the same to do there is nothing to order, and the fewer K and V are in use at
//     a time, the better L2 serves them: 2 MiB of them, at least one GQA group's.
// Measured on an H200 (bf16, causal, head_dim 128, N 4096): one head 305, four waves 358 TFLOP/s.
std::int64_t choose_heads_together(const AttentionCall& call, int q_tile_rows,
                                   const DeviceLimits& device);

}  // namespace flashscope::gpu
