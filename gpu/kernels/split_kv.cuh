// Split-KV, or Flash-Decoding (Dao, Haziza, Massa and Sizov 2023), on the tensor cores of sm_80:
// for few query rows and many keys, where only the memory's speed counts. A work item of the first
// kernel is one q tile and one of `splits` parts of the keys; the second kernel combines the parts.
// Lines marked `//>` carry the text of the line of sim/attention/algorithms/split_kv.alg that they
// do.
//
// A q tile of 16 rows is one block of the tensor cores. The warps of a block share it and cut each
// kv tile by its keys: warp w has its own slice, from the copy to the output, with an m, l and O of
// its own. No warp waits for another in the loop:
//
//   wait until slice j has landed            one __syncwarp, no barrier
//   start copying slice j + kStages - 1      over slice j - 1, which the warp has used up
//   S = Q K_j'   mask   m, alpha, P   O = alpha O + P V_j
//
// and after it one barrier, and a merge of the warps' parts, which is what the second kernel does
// to splits. A larger q tile gives each warp 16 rows of its own and every warp all keys of the kv
// tile; then the loop has the barrier that fa2 has.
//
// To keep an H200's memory busy, about 40 KB must be under way to each SM at any time. Here that is
// kStages - 1 kv tiles for each block on the SM: 96 KiB and more for q tiles of 16 rows.
//
// Shared memory (head_dim 128, q tile 16, kv tile 64, 4 warps, 3 stages; 100 KiB, two blocks on an
// SM; each K and V is a slice of 16 keys, 4 KiB):
//
//   0    4K                     28K                52K                76K                100K
//   | Q  | K0 K1 K2 | V0 V1 V2  | the same, warp 1 | the same, warp 2 | the same, warp 3 |
//        | O, m, l at the end   | O, m, l          | O, m, l          | O, m, l          |
//
// Where it departs from the table:
//   - m, l and O are those of one warp's keys until the merge: with parts w of a row,
//     m = max m_w, l = sum exp(m_w - m) l_w, O = sum exp(m_w - m) O_w. Same result, other order.
//   - scale: folded into the exponential (softmax.cuh); S itself is Q K', unscaled, in fp32.
//   - O = alpha * O is left out when alpha is 1 for all rows of a warp: the same result.
//   - combine: one block per row rather than per q tile, as there are few rows. A row's splits are
//     shared out over groups of threads, whose sums are added at the end; the first parts of O are
//     on their way while the weights are worked out.
#pragma once

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/block_order.cuh"
#include "gpu/kernels/launch.cuh"
#include "gpu/kernels/packed_rows.cuh"
#include "gpu/kernels/shared_tile.cuh"
#include "gpu/kernels/slice_copy.cuh"
#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/split_parts.cuh"
#include "gpu/kernels/trace.cuh"
#include "gpu/kernels/warp_tile.cuh"

namespace flashscope::gpu {

template <typename Element, int kHeadDim_, int kQTile_, int kKvTile_, int kWarps, int kStages_,
          bool kTraced_>
struct SplitKvShape {
  using T = Element;
  static constexpr int kHeadDim = kHeadDim_, kQTile = kQTile_, kKvTile = kKvTile_;
  static constexpr int kStages = kStages_;
  static constexpr bool kTraced = kTraced_;
  static constexpr int kThreads = kWarps * kWarpSize;
  // Warps that have different rows of the q tile, and warps that have different keys of a kv tile.
  static constexpr int kRowWarps = kQTile / 16, kKeyWarps = kWarps / kRowWarps;
  static_assert(kQTile == 16 || kQTile == 16 * kWarps, "warps share either the keys or the rows");
  static_assert(kStages >= 2, "one tile is multiplied while the next is on its way");
  static constexpr int kSliceKeys = kKvTile / kKeyWarps;
  static constexpr int kSliceThreads = kThreads / kKeyWarps;
  using QTile = SharedTile<kQTile, kHeadDim>;
  using Slice = SharedTile<kSliceKeys, kHeadDim>;
  static constexpr int kSliceBytes = 2 * kStages * Slice::kBytes;  // K and V, all stages
  static constexpr int kSharedBytes = QTile::kBytes + kKeyWarps * kSliceBytes;
  using Parts = SplitParts<kHeadDim, kKeyWarps, kSliceBytes>;
  static_assert(kQTile * Parts::kPitch * 4 <= kSliceBytes, "O at the end takes the slices' place");
  // As many blocks as fit into 228 KiB, of which each takes 1 KiB for itself, and at most 3, which
  // leaves 4 warps 168 registers a thread.
  static constexpr int kFitting = 228 * 1024 / (kSharedBytes + 1024);
  static constexpr int kBlocksPerSm = kFitting < 1 ? 1 : kFitting > 3 ? 3 : kFitting;
};

template <typename Shape>
__global__ __launch_bounds__(Shape::kThreads, Shape::kBlocksPerSm) void split_kv_kernel(
    const __grid_constant__ KernelArguments a) {
  using T = typename Shape::T;
  using QTile = typename Shape::QTile;
  using Slice = typename Shape::Slice;
  constexpr int kHeadDim = Shape::kHeadDim, kQTile = Shape::kQTile, kKvTile = Shape::kKvTile;
  constexpr int kStages = Shape::kStages, kThreads = Shape::kThreads;
  constexpr int kSliceKeys = Shape::kSliceKeys, kSliceThreads = Shape::kSliceThreads;
  extern __shared__ __align__(128) char shared[];

  let_next_kernel_start();
  const int thread = threadIdx.x, lane = thread % kWarpSize, warp = thread / kWarpSize;
  const int key_warp = warp / Shape::kRowWarps, row_warp = warp % Shape::kRowWarps;
  const PackedRows rows(a);
  const SplitItem item = split_of_block(a, rows, kQTile);
  const IndexRange packed = tile_rows(item.q_tile, kQTile, rows.total);
  const IndexRange queries = query_rows_of_packed(packed, rows.group);
  const IndexRange tiles =
      intersect(visited_kv_tiles(a.band, queries, kKvTile),
                split_kv_tiles(item.split, a.splits, ceil_div(a.kv_len, kKvTile)));
  const IndexRange full_tiles = full_kv_tiles(a.band, queries, kKvTile);
  const int first_tile = static_cast<int>(tiles.begin), end_tile = static_cast<int>(tiles.end);
  const int first_full = static_cast<int>(full_tiles.begin);
  const int end_full = static_cast<int>(full_tiles.end);
  const int first_row = static_cast<int>(packed.begin);  // in the sequence

  const HeadPointers<T> head(a, item.batch, item.first_head);
  const QTile q_tile{shared_address(shared)};
  const auto k_slice = [&](int tile) {
    return Slice{q_tile.base + QTile::kBytes + key_warp * Shape::kSliceBytes +
                 (tile % kStages) * Slice::kBytes};
  };
  const auto v_slice = [&](int tile) {
    return Slice{k_slice(tile).base + kStages * Slice::kBytes};
  };
  const SliceCopy<Slice, kSliceThreads> copy(thread % kSliceThreads);
  const auto load_kv = [&](int tile) {
    if (tile < end_tile) {
      const int key = tile * kKvTile + key_warp * kSliceKeys, valid = a.kv_len - key;
      //> load K
      copy.start(k_slice(tile), head.k + key * a.k.row_stride, a.k.row_stride, valid);
      //> load V
      copy.start(v_slice(tile), head.v + key * a.v.row_stride, a.v.row_stride, valid);
    }
  };
  const auto wait_for_users_of_slice = [] {
    if constexpr (Shape::kRowWarps == 1) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  };

  for (int stage = 0; stage < kStages - 1; ++stage) {
    load_kv(first_tile + stage);
    //> load Q
    if (stage == 0) load_packed_q<kThreads>(q_tile, head.q, a.q, rows, first_row, thread);
    commit_copies();
  }

  const Scale scale(a.scale);
  SoftmaxState<1> state;
  //> m = -inf
  //> l = 0
  state.clear();
  //> O = 0
  Output<1, kHeadDim> o;
  o.clear();
  QOperand<T, 1, QTile> q(q_tile, row_warp * 16, lane);
  StepTrace<Shape::kTraced> trace(a.trace[0], item.index);
  wait_for_copies<kStages - 2>();  // Q comes with the first tile
  turn_sign_of_q<kThreads>(q_tile, a.scale, thread);
  __syncthreads();
  q.arrived(1.0f);  // the sign is turned already, once for all warps

  for (int tile = first_tile; tile < end_tile; ++tile) {
    wait_for_copies<kStages - 2>();
    wait_for_users_of_slice();
    load_kv(tile + kStages - 1);
    commit_copies();

    Scores<1, kSliceKeys> s;
    //> S = scale * Q K'
    //> cast S to score: fp32 as it is
    multiply_scores<T>(s, q, k_slice(tile), lane);
    //> mask S
    if (tile < first_full || tile >= end_full) {
      mask_packed_scores(s, a.band, rows, first_row + row_warp * 16,
                         tile * kKvTile + key_warp * kSliceKeys, lane);
    }
    //> m_new = max(m, rowmax S)
    //> alpha = exp(m - m_new)
    //> m = m_new
    const SoftmaxStep<1> step = update_max(s, state, scale);
    //> O = alpha * O
    //> l = alpha * l + rowsum P
    rescale(o, state, step);
    //> P = exp(S - m_new)
    //> cast P to probability
    //> O = O + P V
    //> cast O to accumulator: fp32 as it is
    accumulate_output<T>(o, s, step, scale, state, v_slice(tile), lane);
    log_step<Shape>(trace, item.q_tile, tile, state, scale, key_warp, row_warp * 16, lane);
  }

  const typename Shape::Parts parts{shared + QTile::kBytes};
  wait_for_users_of_slice();
  parts.put(o, state, key_warp, row_warp * 16, lane);
  __syncthreads();
  const SplitResults results(a, kHeadDim);
  constexpr int kQuads = kHeadDim / 4;  // 16-byte pieces of a row
  for (int i = thread; i < static_cast<int>(packed.size()) * kQuads; i += kThreads) {
    const int row = i / kQuads, column = i % kQuads * 4, packed_row = first_row + row;
    const auto merged = parts.merge(row, scale);
    //> O = O / l
    const float inverse = merged.l == 0 ? 0.0f : 1.0f / merged.l;
    const float4 value = parts.output(row, column, merged, inverse);
    const std::int64_t at =
        results.row(item.batch * a.q_heads + item.first_head + packed_row % rows.group, item.split,
                    packed_row / rows.group);
    //> store O to O_part
    *reinterpret_cast<float4*>(results.o + at * kHeadDim + column) = value;
    //> LSE = m + ln l
    //> store LSE to LSE_part
    if (column == 0) {
      results.lse[at] =
          merged.l == 0 ? minus_infinity() : merged.m * scale.natural + __logf(merged.l);
    }
  }
}

constexpr int kCombineThreads = 128;

// The second kernel: a block makes one row of O out of its `splits` parts. It is over in a few
// microseconds, nearly all of them latency: hence as many loads at once as there are registers for,
// the first of them before anything else is done.
template <typename Shape>
__global__ __launch_bounds__(kCombineThreads) void combine_splits_kernel(
    const __grid_constant__ KernelArguments a) {
  using T = typename Shape::T;
  constexpr int kHeadDim = Shape::kHeadDim;
  // A group of threads has a whole row of O_part, 16 bytes each; group g has splits g, g + kGroups,
  // ..., and loads kAtOnce of them at a time.
  constexpr int kQuads = kHeadDim / 4, kGroups = kCombineThreads / kQuads, kAtOnce = 8;
  extern __shared__ __align__(128) char shared[];
  float* const weights = reinterpret_cast<float*>(shared);  // (splits)
  __shared__ float4 sums[kGroups][kQuads];
  __shared__ float row_l;

  const int thread = threadIdx.x, group = thread / kQuads, quad = thread % kQuads;
  const int query = static_cast<int>(blockIdx.x) % a.q_len;
  const int head_of_all = static_cast<int>(blockIdx.x) / a.q_len;
  const HeadPointers<T> head(a, head_of_all / a.q_heads, head_of_all % a.q_heads);
  const SplitResults results(a, kHeadDim);
  log_combined_tile<Shape>(a, head_of_all, query);
  wait_for_previous_kernel();

  const int end_split = group < kGroups ? a.splits : 0;
  float4 x[kAtOnce];
  const auto load_parts = [&](int first_split) {
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int split = first_split + i * kGroups;
      if (split >= end_split) continue;
      //> load O_part
      const float* part = results.o + results.row(head_of_all, split, query) * kHeadDim;
      x[i] = __ldcg(reinterpret_cast<const float4*>(part) + quad);
    }
  };
#pragma unroll 1
  for (int split = thread; split < a.splits; split += kCombineThreads) {
    //> load LSE_part
    weights[split] = __ldcg(results.lse + results.row(head_of_all, split, query));
  }
  load_parts(group);
  __syncthreads();

  if (thread < kWarpSize) {
    float m = minus_infinity(), l = 0;
#pragma unroll 1
    for (int split = thread; split < a.splits; split += kWarpSize) {
      //> m = rowmax LSE_part
      m = fmaxf(m, weights[split]);
    }
    m = warp_max(m);
    const float finite = m == minus_infinity() ? 0.0f : m;
#pragma unroll 1
    for (int split = thread; split < a.splits; split += kWarpSize) {
      //> W = exp(LSE_part - m)
      const float weight = exp2_fast((weights[split] - finite) * kLog2e);
      weights[split] = weight;
      //> l = rowsum W
      l += weight;
    }
    l = warp_sum(l);
    if (thread == 0) {
      row_l = l;
      //> LSE = m + ln l
      //> store LSE
      if (head.lse != nullptr) head.lse[query] = l == 0 ? minus_infinity() : m + __logf(l);
    }
  }
  __syncthreads();

  //> O = 0
  float4 sum = {0, 0, 0, 0};
#pragma unroll 1
  for (int first = group; first < end_split; first += kAtOnce * kGroups) {
    if (first != group) load_parts(first);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int split = first + i * kGroups;
      //> O = O + W[split] * O_part
      if (split < end_split) add_weighted(sum, weights[split], x[i]);
    }
  }
  if (group < kGroups) sums[group][quad] = sum;
  __syncthreads();
  if (group == 0) {
    float4 total = sums[0][quad];
#pragma unroll
    for (int other = 1; other < kGroups; ++other) add_weighted(total, 1.0f, sums[other][quad]);
    //> O = O / l
    const float inverse = row_l == 0 ? 0.0f : 1.0f / row_l;
    //> store O
    const uint2 rounded = {pack<T>(total.x * inverse, total.y * inverse),
                           pack<T>(total.z * inverse, total.w * inverse)};
    *reinterpret_cast<uint2*>(head.o + query * a.o.row_stride + quad * 4) = rounded;
  }
}

// Queues both kernels. At most 12,288 splits: the second keeps a row's weights in 48 KiB of SRAM.
template <typename Shape>
cudaError_t launch_split_kv(const KernelArguments& arguments, cudaStream_t stream) {
  const std::int64_t heads = static_cast<std::int64_t>(arguments.batch) * arguments.q_heads;
  const std::int64_t group = arguments.pack_gqa != 0 ? arguments.group : 1;
  const std::int64_t q_tiles = ceil_div(arguments.q_len * group, Shape::kQTile);
  const cudaError_t error =
      launch(split_kv_kernel<Shape>, heads / group * q_tiles * arguments.splits, Shape::kThreads,
             Shape::kSharedBytes, arguments, stream);
  if (error != cudaSuccess) return error;
  return launch_overlapping(combine_splits_kernel<Shape>, heads * arguments.q_len, kCombineThreads,
                            arguments.splits * static_cast<int>(sizeof(float)), arguments, stream);
}

}  // namespace flashscope::gpu
