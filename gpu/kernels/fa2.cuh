// FlashAttention-2's forward pass on the tensor cores of sm_80 (Dao 2023, Algorithm 1): one block
// keeps a q tile and walks over the kv tiles that its rows see. Lines marked `//>` carry the text
// of the line of sim/attention/algorithms/fa2.alg that they do.
//
// Schedule of a block, per kv tile j:
//
//   wait until tile j has landed, one barrier          K_j, V_j visible to all warps, and everybody
//   start copying tile j + kStages - 1                 is done with the tile that it overwrites
//   S = Q K_j'   mask   m, alpha, P   O = alpha O + P V_j    each warp on its own rows
//
// The copy has a whole step to land, two blocks share an SM, and the exponentials of one warp run
// while the tensor cores work for another.
//
// Shared memory (head_dim 128, q tile 128, kv tile 64, 2 stages; 96 KiB):
//
//   0        32K       48K       64K       80K       96K
//   | Q      | K, 0    | K, 1    | V, 0    | V, 1    |
//   | O at the end |
//
// Registers of a warp's lane: S, O, m, l of kQTile / kWarps rows; P takes S's place as it is
// rounded.
//
// Where it departs from the table:
//   - scale: folded into the exponential (softmax.cuh); S itself is Q K', unscaled, in fp32.
//   - P V and the exponentials interleave, 16 keys at a time; l gets its part of the row there.
//   - O = alpha * O is left out when alpha is 1 for all rows of a warp: the same result.
//   - There is no rescale threshold: it bought nothing here.
//   - A warp none of whose rows sees a key of the tile sits the step out: m, l, O stay.
#pragma once

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/block_order.cuh"
#include "gpu/kernels/launch.cuh"
#include "gpu/kernels/shared_tile.cuh"
#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/trace.cuh"
#include "gpu/kernels/warp_tile.cuh"

namespace flashscope::gpu {

template <typename Element, int kHeadDim_, int kQTile_, int kKvTile_, int kWarps, int kStages_,
          bool kTraced_>
struct Fa2Shape {
  using T = Element;
  static constexpr int kHeadDim = kHeadDim_, kQTile = kQTile_, kKvTile = kKvTile_;
  static constexpr int kStages = kStages_;
  static constexpr bool kTraced = kTraced_;
  static constexpr int kThreads = kWarps * kWarpSize;
  static constexpr int kWarpRows = kQTile / kWarps;
  static constexpr int kBlocks = kWarpRows / 16;  // of 16 rows
  using QTile = SharedTile<kQTile, kHeadDim>;
  using KvTile = SharedTile<kKvTile, kHeadDim>;
  static constexpr int kSharedBytes = QTile::kBytes + 2 * kStages * KvTile::kBytes;
  // 64 Ki registers: two blocks of 4 warps at 255 a thread, or one of 8.
  static constexpr int kBlocksPerSm = kWarps <= 4 ? 2 : 1;
};

template <typename Shape>
__global__ __launch_bounds__(Shape::kThreads, Shape::kBlocksPerSm) void fa2_kernel(
    const __grid_constant__ KernelArguments a) {
  using T = typename Shape::T;
  using QTile = typename Shape::QTile;
  using KvTile = typename Shape::KvTile;
  constexpr int kHeadDim = Shape::kHeadDim, kQTile = Shape::kQTile, kKvTile = Shape::kKvTile;
  constexpr int kStages = Shape::kStages, kThreads = Shape::kThreads;
  constexpr int kWarpRows = Shape::kWarpRows, kBlocks = Shape::kBlocks;
  extern __shared__ __align__(128) char shared[];

  const int thread = threadIdx.x, lane = thread % kWarpSize, warp = thread / kWarpSize;
  const WorkItem item = q_tile_of_block(a, kQTile);
  const IndexRange rows = tile_rows(item.q_tile, kQTile, a.q_len);
  const IndexRange tiles = visited_kv_tiles(a.band, rows, kKvTile);
  const IndexRange full_tiles = full_kv_tiles(a.band, rows, kKvTile);
  const int first_tile = static_cast<int>(tiles.begin), end_tile = static_cast<int>(tiles.end);
  const int first_full = static_cast<int>(full_tiles.begin);
  const int end_full = static_cast<int>(full_tiles.end);
  const int warp_row = static_cast<int>(rows.begin) + warp * kWarpRows;  // in the sequence
  const IndexRange seen_tiles =
      visited_kv_tiles(a.band, {warp_row, smaller(warp_row + kWarpRows, rows.end)}, kKvTile);
  const int first_seen = static_cast<int>(seen_tiles.begin);
  const int end_seen = static_cast<int>(seen_tiles.end);
  const int q_rows = static_cast<int>(rows.size());

  const HeadPointers<T> head(a, item.batch, item.head);
  const QTile q_tile{shared_address(shared)};
  const auto k_tile = [&](int tile) {
    return KvTile{q_tile.base + QTile::kBytes + (tile % kStages) * KvTile::kBytes};
  };
  const auto v_tile = [&](int tile) {
    return KvTile{k_tile(tile).base + kStages * KvTile::kBytes};
  };
  TileStream<kThreads, T, kQTile, kHeadDim> q_rows_stream(head.q + rows.begin * a.q.row_stride,
                                                          a.q.row_stride, thread);
  const std::int64_t first_key = tiles.begin * kKvTile;
  TileStream<kThreads, T, kKvTile, kHeadDim> k_stream(head.k + first_key * a.k.row_stride,
                                                      a.k.row_stride, thread);
  TileStream<kThreads, T, kKvTile, kHeadDim> v_stream(head.v + first_key * a.v.row_stride,
                                                      a.v.row_stride, thread);
  const auto load_kv = [&](int tile) {
    if (tile < end_tile) {
      //> load K
      k_stream.load(k_tile(tile), a.kv_len - tile * kKvTile);
      //> load V
      v_stream.load(v_tile(tile), a.kv_len - tile * kKvTile);
    }
    commit_copies();
  };

  //> load Q
  q_rows_stream.load(q_tile, q_rows);
  commit_copies();
  for (int stage = 0; stage < kStages - 1; ++stage) load_kv(first_tile + stage);

  const Scale scale(a.scale);
  SoftmaxState<kBlocks> state;
  //> m = -inf
  //> l = 0
  state.clear();
  //> O = 0
  Output<kBlocks, kHeadDim> o;
  o.clear();
  QOperand<T, kBlocks, QTile> q(q_tile, warp * kWarpRows, lane);
  StepTrace<Shape::kTraced> trace(a.trace[0], item.index);
  wait_for_copies<kStages - 1>();
  __syncthreads();
  q.arrived(a.scale);

  for (int tile = first_tile; tile < end_tile; ++tile) {
    wait_for_copies<kStages - 2>();
    __syncthreads();
    load_kv(tile + kStages - 1);

    if (tile >= first_seen && tile < end_seen) {
      Scores<kBlocks, kKvTile> s;
      //> S = scale * Q K'
      //> cast S to score: fp32 as it is
      multiply_scores<T>(s, q, k_tile(tile), lane);
      //> mask S
      if (tile < first_full || tile >= end_full) {
        mask_scores(s, a.band, warp_row, tile * kKvTile, lane);
      }
      //> m_new = max(m, rowmax S)
      //> alpha = exp(m - m_new)
      //> m = m_new
      const SoftmaxStep<kBlocks> step = update_max(s, state, scale);
      //> O = alpha * O
      //> l = alpha * l + rowsum P
      rescale(o, state, step);
      //> P = exp(S - m_new)
      //> cast P to probability
      //> O = O + P V
      //> cast O to accumulator: fp32 as it is
      accumulate_output<T>(o, s, step, scale, state, v_tile(tile), lane);
    }
    trace.step(item.q_tile, tile, state, scale, warp * kWarpRows, lane);
  }

  //> O = O / l
  //> LSE = m + ln l
  const RowResults<kBlocks> results = finish(o, state, scale);
  //> store O
  store_output<T, QTile>(o, q_tile, warp * kWarpRows, head.o + rows.begin * a.o.row_stride,
                         a.o.row_stride, q_rows, lane);
  //> store LSE
  if (head.lse != nullptr) {
    store_lse(results, head.lse + rows.begin, warp * kWarpRows, q_rows, lane);
  }
}

template <typename Shape>
cudaError_t launch_fa2(const KernelArguments& arguments, cudaStream_t stream) {
  const std::int64_t q_tiles = ceil_div(arguments.q_len, Shape::kQTile);
  const std::int64_t blocks = q_tiles * arguments.batch * arguments.q_heads;
  return launch(fa2_kernel<Shape>, blocks, Shape::kThreads, Shape::kSharedBytes, arguments, stream);
}

}  // namespace flashscope::gpu
