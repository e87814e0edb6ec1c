// FlashAttention-1's forward pass (Dao et al. 2022, Algorithm 1): keys in the outer loop. One block
// works on a whole head; K_j and V_j stay while all q tiles that see them pass by, and O, m and l
// of each go to device memory and come back a kv tile later. Slow by nature: as many blocks as
// heads, and O moves twice per kv tile. Lines marked `//>` carry the text of the line of
// sim/attention/algorithms/fa1.alg that they do.
//
// Schedule of a block:
//
//   for each kv tile j that some row sees
//     barrier, load K_j and V_j, barrier             the only two barriers
//     for each q tile i that sees it                 each warp on its own rows, without waiting for
//       load O_i, m_i, l_i   wait for Q_i            the others
//       start copying Q of the next step
//       S = Q K'   mask   m, alpha, P   O = l O + P V   O = O / l
//       store O_i, m_i, l_i
//
// A row of Q, O, m and l belongs to the same warp at every step, O even to the same lanes: within a
// kv tile no warp waits for another, and what was stored is found again at the next kv tile.
//
// Shared memory (head_dim 128, tiles 128 x 128, 8 warps; 128 KiB):
//
//   0      32K     64K    68K    72K    76K            128K
//   | K    | V     | Q, 0 | Q, 1 | Q, 0 | Q, 1 |  ...  |
//                  | warp 0      | warp 1      |         O passes through its warp's Q at the end
//
// Where it departs from the table:
//   - scale: folded into the exponential (softmax.cuh); S itself is Q K', unscaled, in fp32, and so
//     is m, in registers and in m_work (running_state.cuh).
//   - P V and the exponentials interleave, 16 keys at a time; l gets its part of the row there.
//   - O = l * O is done at a q tile's first step too: l and O are 0 there.
//   - LSE is computed at every step, stored at the last.
#pragma once

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/block_order.cuh"
#include "gpu/kernels/launch.cuh"
#include "gpu/kernels/memory_access.cuh"
#include "gpu/kernels/running_state.cuh"
#include "gpu/kernels/shared_tile.cuh"
#include "gpu/kernels/softmax.cuh"
#include "gpu/kernels/trace.cuh"
#include "gpu/kernels/warp_tile.cuh"

namespace flashscope::gpu {

template <typename Element, int kHeadDim_, int kQTile_, int kKvTile_, int kWarps_, int kStages,
          bool kTraced_>
struct Fa1Shape {
  using T = Element;
  static constexpr int kHeadDim = kHeadDim_, kQTile = kQTile_, kKvTile = kKvTile_;
  static constexpr int kWarps = kWarps_, kThreads = kWarps * kWarpSize;
  static constexpr bool kTraced = kTraced_;
  static constexpr int kWarpRows = kQTile / kWarps;
  static constexpr int kBlocks = kWarpRows / 16;  // of 16 rows
  using KvTile = SharedTile<kKvTile, kHeadDim>;
  using WarpQ = SharedTile<kWarpRows, kHeadDim>;
  static constexpr int kSharedBytes = 2 * KvTile::kBytes + 2 * kWarps * WarpQ::kBytes;
  static_assert(kStages == 1, "one kv tile at a time: it stays for a whole pass over the q tiles");
  static_assert(kWarpRows % 16 == 0);
};

// q tiles with a row that sees one of the keys: key k is seen by rows k - offset - right ...
// k - offset + left. The mirror image of visited_kv_tiles().
FLASHSCOPE_HOST_DEVICE constexpr IndexRange q_tiles_that_see(const Band& band, IndexRange keys,
                                                             std::int64_t q_len,
                                                             std::int64_t q_tile_rows) {
  const IndexRange rows = intersect(
      {keys.begin - band.offset - band.right, keys.end - band.offset + band.left}, {0, q_len});
  if (rows.empty()) return {0, 0};
  return {rows.begin / q_tile_rows, ceil_div(rows.end, q_tile_rows)};
}

// A block per q tile.
template <typename Shape>
__global__ __launch_bounds__(Shape::kThreads) void fa1_init_kernel(
    const __grid_constant__ KernelArguments a) {
  constexpr int kHeadDim = Shape::kHeadDim;
  const int q_tiles = (a.q_len + Shape::kQTile - 1) / Shape::kQTile;
  const int block = static_cast<int>(blockIdx.x), thread = threadIdx.x;
  const IndexRange rows = tile_rows(block % q_tiles, Shape::kQTile, a.q_len);
  const RunningState<kHeadDim> state(a, block / q_tiles);
  StepTrace<Shape::kTraced> trace(a.trace[0], block);
  //> O = 0
  //> store O to O_work
  float* const o = state.o + rows.begin * kHeadDim;
  for (int i = thread * 4; i < rows.size() * kHeadDim; i += Shape::kThreads * 4) {
    store_float4(o + i, {0, 0, 0, 0});
  }
  for (std::int64_t row = rows.begin + thread; row < rows.end; row += Shape::kThreads) {
    //> m = -inf
    //> store m to m_work
    store_float(state.m + row, minus_infinity());
    //> l = 0
    //> store l to l_work
    store_float(state.l + row, 0);
  }
}

// A block per q tile none of whose rows sees a key: the first `unseen` q tiles of every head, as a
// later row sees later keys.
struct UnseenArguments {
  KernelArguments call;
  int unseen;
};
template <typename Shape>
__global__ __launch_bounds__(Shape::kThreads) void fa1_unseen_kernel(
    const __grid_constant__ UnseenArguments arguments) {
  constexpr int kChunks = Shape::kHeadDim / 8;  // of a row
  const KernelArguments& a = arguments.call;
  const int block = static_cast<int>(blockIdx.x), thread = threadIdx.x;
  const int head_index = block / arguments.unseen;
  const IndexRange rows = tile_rows(block % arguments.unseen, Shape::kQTile, a.q_len);
  const HeadPointers<typename Shape::T> head(a, head_index / a.q_heads, head_index % a.q_heads);
  StepTrace<Shape::kTraced> trace(a.trace[1], block);
  //> O = 0
  //> store O
  for (int i = thread; i < rows.size() * kChunks; i += Shape::kThreads) {
    store_16_bytes(head.o + (rows.begin + i / kChunks) * a.o.row_stride + i % kChunks * 8,
                   {0, 0, 0, 0});
  }
  //> LSE = -inf
  //> store LSE
  if (head.lse == nullptr) return;
  for (std::int64_t row = rows.begin + thread; row < rows.end; row += Shape::kThreads) {
    head.lse[row] = minus_infinity();
  }
}

// l = alpha * l and O = l * O. l is the whole row's before; after it, only the row's first lane
// holds it, and what the others will add to theirs is their own part (softmax.cuh).
template <int kBlocks, int kHeadDim>
__device__ __forceinline__ void restore(Output<kBlocks, kHeadDim>& o, SoftmaxState<kBlocks>& state,
                                        const SoftmaxStep<kBlocks>& step, int lane) {
  float factors[kBlocks][2];
#pragma unroll
  for (int b = 0; b < kBlocks; ++b) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      factors[b][half] = step.alpha[b][half] * state.l[b][half];
      state.l[b][half] = lane % 4 == 0 ? factors[b][half] : 0.0f;
    }
  }
  o.multiply(factors);
}

template <typename Shape>
__global__ __launch_bounds__(Shape::kThreads,
                             1) void fa1_kernel(const __grid_constant__ KernelArguments a) {
  using T = typename Shape::T;
  using KvTile = typename Shape::KvTile;
  using WarpQ = typename Shape::WarpQ;
  constexpr int kHeadDim = Shape::kHeadDim, kQTile = Shape::kQTile, kKvTile = Shape::kKvTile;
  constexpr int kThreads = Shape::kThreads, kBlocks = Shape::kBlocks;
  extern __shared__ __align__(128) char shared[];

  const int thread = threadIdx.x, lane = thread % kWarpSize;
  const int warp_row = thread / kWarpSize * Shape::kWarpRows;  // in a q tile
  const int head_index = static_cast<int>(blockIdx.x);
  const HeadPointers<T> head(a, head_index / a.q_heads, head_index % a.q_heads);
  const RunningState<kHeadDim> memory(a, head_index);
  const Scale scale(a.scale);
  StepTrace<Shape::kTraced> trace(a.trace[2], head_index);

  const KvTile k_tile{shared_address(shared)}, v_tile{k_tile.base + KvTile::kBytes};
  const auto warp_q = [&](int step) {
    const int place = thread / kWarpSize * 2 + step % 2;
    return WarpQ{v_tile.base + static_cast<std::uint32_t>(KvTile::kBytes + place * WarpQ::kBytes)};
  };
  const auto load_q = [&](int q_tile, int step) {
    const int row = q_tile * kQTile + warp_row;
    //> load Q
    load_part<kWarpSize>(warp_q(step), head.q + row * a.q.row_stride, a.q.row_stride, a.q_len - row,
                         kHeadDim, lane);
    commit_copies();
  };
  const auto q_tiles_of = [&](std::int64_t kv_tile) {
    return q_tiles_that_see(a.band, tile_rows(kv_tile, kKvTile, a.kv_len), a.q_len, kQTile);
  };

  const IndexRange kv_tiles = visited_kv_tiles(a.band, {0, a.q_len}, kKvTile);
  int step = 0;
  if (!kv_tiles.empty()) load_q(static_cast<int>(q_tiles_of(kv_tiles.begin).begin), step);
  for (std::int64_t kv_tile = kv_tiles.begin; kv_tile < kv_tiles.end; ++kv_tile) {
    const IndexRange keys = tile_rows(kv_tile, kKvTile, a.kv_len);
    const int kv_rows = static_cast<int>(keys.size());
    __syncthreads();  // everybody is done with the kv tile before
    //> load K
    load_part<kThreads>(k_tile, head.k + keys.begin * a.k.row_stride, a.k.row_stride, kv_rows,
                        kHeadDim, thread);
    //> load V
    load_part<kThreads>(v_tile, head.v + keys.begin * a.v.row_stride, a.v.row_stride, kv_rows,
                        kHeadDim, thread);
    commit_copies();
    wait_for_copies<0>();
    __syncthreads();

    const IndexRange q_tiles = q_tiles_of(kv_tile);
    for (int q_tile = static_cast<int>(q_tiles.begin); q_tile < q_tiles.end; ++q_tile, ++step) {
      const int row = q_tile * kQTile + warp_row;  // the warp's first
      const IndexRange rows = tile_rows(q_tile, kQTile, a.q_len);
      const int end_row = static_cast<int>(rows.end);
      //> load O from O_work
      Output<kBlocks, kHeadDim> o;
      memory.load_o(o, row, end_row, lane);
      //> load m from m_work
      //> load l from l_work
      SoftmaxState<kBlocks> state;
      memory.load_m_and_l(state, row, end_row, lane);

      wait_for_copies<0>();
      __syncwarp();  // Q has landed for all lanes, and nobody reads the one before any more
      if (q_tile + 1 < q_tiles.end) {
        load_q(q_tile + 1, step + 1);
      } else if (kv_tile + 1 < kv_tiles.end) {
        load_q(static_cast<int>(q_tiles_of(kv_tile + 1).begin), step + 1);
      }
      QOperand<T, kBlocks, WarpQ> q(warp_q(step), 0, lane);
      q.arrived(a.scale);

      //> S = scale * Q K'
      //> cast S to score: fp32 as it is
      Scores<kBlocks, kKvTile> s;
      multiply_scores<T>(s, q, k_tile, lane);
      //> mask S
      if (!full_kv_tiles(a.band, rows, kKvTile).contains(kv_tile)) {
        mask_scores(s, a.band, row, static_cast<int>(keys.begin), lane);
      }
      //> m_new = max(m, rowmax S)
      //> alpha = exp(m - m_new)
      //> m = m_new
      const SoftmaxStep<kBlocks> softmax = update_max(s, state, scale);
      //> l = alpha * l
      //> O = l * O
      restore(o, state, softmax, lane);
      //> P = exp(S - m_new)
      //> l = l + rowsum P
      //> cast P to probability
      //> O = O + P V
      accumulate_output<T>(o, s, softmax, scale, state, v_tile, lane);
      trace.step(q_tile, static_cast<int>(kv_tile), state, scale, warp_row, lane);
      //> O = O / l
      //> cast O to accumulator: fp32 as it is
      //> LSE = m + ln l
      const RowResults<kBlocks> results = finish(o, state, scale);

      if (kv_tile + 1 < visited_kv_tiles(a.band, rows, kKvTile).end) {
        //> store O to O_work
        memory.store_o(o, row, end_row, lane);
        //> store m to m_work
        //> store l to l_work
        memory.store_m_and_l(state, row, end_row, lane);
      } else {
        //> store O
        store_output<T>(o, warp_q(step), 0, head.o + row * a.o.row_stride, a.o.row_stride,
                        end_row - row, lane);
        //> store LSE
        if (head.lse != nullptr) store_lse(results, head.lse + row, 0, end_row - row, lane);
      }
    }
  }
}

template <typename Shape>
cudaError_t launch_fa1(const KernelArguments& a, cudaStream_t stream) {
  const std::int64_t heads = static_cast<std::int64_t>(a.batch) * a.q_heads;
  const std::int64_t q_tiles = ceil_div(a.q_len, Shape::kQTile);
  cudaError_t error =
      launch(fa1_init_kernel<Shape>, heads * q_tiles, Shape::kThreads, 0, a, stream);
  if (error != cudaSuccess) return error;
  const auto sees_nothing = [&](std::int64_t q_tile) {
    const IndexRange rows = tile_rows(q_tile, Shape::kQTile, a.q_len);
    return visited_kv_tiles(a.band, rows, Shape::kKvTile).empty();
  };
  std::int64_t unseen = 0;
  while (unseen < q_tiles && sees_nothing(unseen)) ++unseen;
  if (unseen > 0) {
    const UnseenArguments arguments = {a, static_cast<int>(unseen)};
    error = launch(fa1_unseen_kernel<Shape>, heads * unseen, Shape::kThreads, 0, arguments, stream);
    if (error != cudaSuccess) return error;
  }
  return launch(fa1_kernel<Shape>, heads, Shape::kThreads, Shape::kSharedBytes, a, stream);
}

}  // namespace flashscope::gpu
