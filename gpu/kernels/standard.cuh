// Standard attention: three kernels, with the whole of S and P in device memory between them, as
// frameworks ran it before fused kernels. All three are bound by that memory: the tensor cores
// wait. Lines marked `//>` carry the text of the line of sim/attention/algorithms/standard.alg
// that they do.
//
//   scores    a block per tile of S: S = Q K', rounded, scaled, rounded, masked    writes S
//   softmax   a warp or a block per row                                  reads S, writes P and LSE
//   output    a block per q tile, over all its kv tiles: O = P V                   reads P
//
// Schedule. scores and softmax load, compute and store once: it is the other blocks of the SM that
// keep the memory busy meanwhile. output takes the keys in slices of 64; per slice n:
//
//   wait until slice n has landed, one barrier        P_n, V_n visible to all warps, and everybody
//   start copying slice n + kStages - 1               is done with the slice that it overwrites
//   O = O + P V                                       each warp on its own rows
//
// Shared memory (head_dim 128, tiles 128 x 128, 3 stages; 64 KiB and 96 KiB):
//
//   0        32K      64K               0     16K    32K    48K    64K    80K    96K
//   | Q      | K      |  scores         | P, 0 | P, 1 | P, 2 | V, 0 | V, 1 | V, 2 |  output
//   | S      |                          | O at the end |
//
// In scores the warps stand in two columns, each on half of the tile's keys: the nearer to square a
// warp's part is, the less of Q and K it reads. In output a warp has its rows for itself.
//
// Where it departs from the table:
//   - P_row = P_row / l takes the exponentials a second time, as 2^((S - m) log2 e - log2 l), for
//     the memory is the bottleneck, not they.
//   - What a row has beyond shared memory (83 k scores on an A100, 115 k on an H100) is loaded from
//     S three times, for m, l and P: the table counts it once.
//   - Masks skip no work, and a NaN or inf in V reaches all rows, as 0 * NaN is NaN.
#pragma once

#include <algorithm>

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/block_order.cuh"
#include "gpu/kernels/launch.cuh"
#include "gpu/kernels/memory_access.cuh"
#include "gpu/kernels/row_softmax.cuh"
#include "gpu/kernels/score_tile.cuh"
#include "gpu/kernels/tile_product.cuh"
#include "gpu/kernels/trace.cuh"
#include "gpu/kernels/warp_tile.cuh"

namespace flashscope::gpu {

template <typename Element, int kHeadDim_, int kQTile_, int kKvTile_, int kWarps_, int kStages_,
          bool kTraced_>
struct StandardShape {
  using T = Element;
  static constexpr int kHeadDim = kHeadDim_, kQTile = kQTile_, kKvTile = kKvTile_;
  static constexpr int kWarps = kWarps_, kThreads = kWarps * kWarpSize;
  static constexpr int kStages = kStages_;  // slices of 64 keys in output's shared memory
  static constexpr bool kTraced = kTraced_;
  using QTile = SharedTile<kQTile, kHeadDim>;
  using KTile = SharedTile<kKvTile, kHeadDim>;
  using STile = SharedTile<kQTile, kKvTile>;

  // Of a warp in scores.
  static constexpr int kScoreRows = kQTile / (kWarps / 2), kScoreColumns = kKvTile / 2;
  static constexpr int kScoreBytes = std::max(QTile::kBytes + KTile::kBytes, STile::kBytes);

  static constexpr int kSlice = 64;  // keys
  static constexpr int kOutputRows = kQTile / kWarps;
  using PTile = SharedTile<kQTile, kSlice>;
  using VTile = SharedTile<kSlice, kHeadDim>;
  static constexpr int kOutputBytes = kStages * (PTile::kBytes + VTile::kBytes);

  static constexpr int kSharedBytes = std::max(kScoreBytes, kOutputBytes);
  static_assert(kWarps % 2 == 0 && kScoreRows % 16 == 0 && kOutputRows % 16 == 0);
  static_assert(kScoreColumns % 16 == 0 && kKvTile % kSlice == 0);
  static_assert(QTile::kBytes <= kOutputBytes, "O leaves by way of shared memory");

  // Blocks that an SM has room for: by their shared memory, and by their registers, which are those
  // of the elements that a warp accumulates and some 40 more.
  static constexpr int blocks_per_sm(int shared_bytes, int rows, int columns) {
    const int registers = kThreads * (rows * columns / kWarpSize + 40);
    return std::max(1, std::min(225 * 1024 / shared_bytes, 64 * 1024 / registers));
  }
  static constexpr int kScoreBlocks = blocks_per_sm(kScoreBytes, kScoreRows, kScoreColumns);
  static constexpr int kOutputBlocks = blocks_per_sm(kOutputBytes, kOutputRows, kHeadDim);
};

template <typename Shape>
__global__ __launch_bounds__(Shape::kThreads, Shape::kScoreBlocks) void scores_kernel(
    const __grid_constant__ KernelArguments a) {
  using T = typename Shape::T;
  using QTile = typename Shape::QTile;
  using KTile = typename Shape::KTile;
  constexpr int kQTile = Shape::kQTile, kKvTile = Shape::kKvTile, kThreads = Shape::kThreads;
  constexpr int kRows = Shape::kScoreRows, kColumns = Shape::kScoreColumns;
  extern __shared__ __align__(128) char shared[];

  const int thread = threadIdx.x, lane = thread % kWarpSize, warp = thread / kWarpSize;
  const int q_tiles = (a.q_len + kQTile - 1) / kQTile;
  const int kv_tiles = (a.kv_len + kKvTile - 1) / kKvTile;
  const int block = static_cast<int>(blockIdx.x);
  const int kv_tile = block % kv_tiles, q_tile = block / kv_tiles % q_tiles;
  const int head_index = block / kv_tiles / q_tiles;
  const IndexRange rows = tile_rows(q_tile, kQTile, a.q_len);
  const IndexRange keys = tile_rows(kv_tile, kKvTile, a.kv_len);
  const int q_rows = static_cast<int>(rows.size()), kv_rows = static_cast<int>(keys.size());
  StepTrace<Shape::kTraced> trace(a.trace[0], block);

  const HeadPointers<T> head(a, head_index / a.q_heads, head_index % a.q_heads);
  const QTile q{shared_address(shared)};
  const KTile k{q.base + QTile::kBytes};
  //> load Q
  load_part<kThreads>(q, head.q + rows.begin * a.q.row_stride, a.q.row_stride, q_rows,
                      Shape::kHeadDim, thread);
  //> load K
  load_part<kThreads>(k, head.k + keys.begin * a.k.row_stride, a.k.row_stride, kv_rows,
                      Shape::kHeadDim, thread);
  commit_copies();
  wait_for_copies<0>();
  __syncthreads();

  const int first_row = warp / 2 * kRows, first_column = warp % 2 * kColumns;  // in the tile
  //> S = Q K'
  Scores<kRows / 16, kColumns> s;
  clear(s.x);
  const KTile warp_keys{k.base + static_cast<std::uint32_t>(first_column * KTile::kRowBytes)};
  add_product<T, Right::transposed>(s.x, q, first_row, warp_keys, lane);
  //> cast S to score
  //> S = scale * S
  round_and_scale<T>(s.x, a.scale);
  //> mask S
  if (classify(a.band, rows, kv_tile, kKvTile) != TileClass::full) {
    mask_scores(s, a.band, static_cast<int>(rows.begin) + first_row,
                static_cast<int>(keys.begin) + first_column, lane);
  }
  __syncthreads();  // Q and K have been read
  //> cast S to score: before the mask in the table, but -inf stays -inf
  const typename Shape::STile s_tile{q.base};
  put_scores<T>(s.x, s_tile, first_row, first_column, lane);
  __syncthreads();
  //> store S
  const ScoreMemory<T> memory(a);
  const std::int64_t first = static_cast<std::int64_t>(head_index) * a.q_len + rows.begin;
  store_score_tile<kThreads>(s_tile, memory.s + first * memory.pitch + keys.begin, memory.pitch,
                             q_rows, kv_rows, thread);
  trace.step(q_tile, kv_tile);
}

struct SoftmaxArguments {
  KernelArguments call;
  int kept;  // columns of a row that shared memory has room for, a multiple of kPiece
};

// kWarps warps work on a row: one, of which a block has kRows, or all of a single row's block. A
// thread copies every (32 kWarps)th piece of the row and is the only one to read it.
template <typename T, int kWarps, int kRows, bool kTraced>
__global__ __launch_bounds__(kWarps* kRows* kWarpSize) void softmax_kernel(
    const __grid_constant__ SoftmaxArguments arguments) {
  static_assert(kWarps == 1 || kRows == 1);
  constexpr int kRowThreads = kWarps * kWarpSize;
  constexpr std::uint32_t kPass = kRowThreads * kPiece;  // columns
  extern __shared__ __align__(128) char shared[];
  __shared__ float maxima[kWarps], sums[kWarps];
  const KernelArguments& a = arguments.call;
  const int thread = threadIdx.x % kRowThreads, row_in_block = threadIdx.x / kRowThreads;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRows + row_in_block;
  if (row >= static_cast<std::int64_t>(a.batch) * a.q_heads * a.q_len) return;  // a whole warp
  RowTrace<kTraced> trace(a.trace[1], row, thread == 0);

  const ScoreMemory<T> memory(a);
  const T* const s_row = memory.s + row * memory.pitch;
  T* const p_row = memory.p + row * memory.pitch;
  const auto kv_len = static_cast<std::uint32_t>(a.kv_len);
  const auto kept = static_cast<std::uint32_t>(arguments.kept);
  const std::uint32_t s_kept =
      shared_address(shared) + static_cast<std::uint32_t>(row_in_block) * kept * 2;
  const std::uint32_t first = static_cast<std::uint32_t>(thread) * kPiece;
  //> load S_row from S
#pragma unroll 4
  for (std::uint32_t column = first; column < min(kept, kv_len); column += kPass) {
    const int left = static_cast<int>(kv_len - column);
    copy_async_part(s_kept + column * 2, s_row + column, min(left, kPiece) * 2);
  }
  commit_copies();
  wait_for_copies<0>();
  const auto get_piece = [&](std::uint32_t(&x)[4], std::uint32_t column) {
    if (column < kept) {
      get_16_bytes(x, s_kept + column * 2);
    } else {
      load_16_bytes(x, s_row + column);
    }
    hide_padding<T>(x, static_cast<int>(kv_len - column));
  };

  //> m = rowmax S_row
  float m = minus_infinity();
#pragma unroll 4
  for (std::uint32_t column = first; column < kv_len; column += kPass) {
    std::uint32_t x[4];
    get_piece(x, column);
    m = fmaxf(m, piece_max<T>(x));
  }
  m = row_max<kWarps>(m, maxima);
  //> P_row = exp(S_row - m)
  //> l = rowsum P_row
  float l = 0;
#pragma unroll 4
  for (std::uint32_t column = first; column < kv_len; column += kPass) {
    std::uint32_t x[4];
    get_piece(x, column);
    l += piece_sum<T>(x, reference_of(m));
  }
  l = row_sum<kWarps>(l, sums);
  //> P_row = P_row / l
  //> cast P_row to probability
  //> store P_row to P
#pragma unroll 4
  for (std::uint32_t column = first; column < kv_len; column += kPass) {
    std::uint32_t x[4];
    get_piece(x, column);
    normalise_piece<T>(x, reference_of(m), log2_of_sum(l));
    store_16_bytes(p_row + column, x);
  }
  //> LSE = m + ln l
  //> store LSE
  if (thread == 0 && a.lse != nullptr) a.lse[row] = lse_of(m, l);
  trace.step(static_cast<int>(row % a.q_len), m, l);
}

template <typename Shape>
__global__ __launch_bounds__(Shape::kThreads, Shape::kOutputBlocks) void output_kernel(
    const __grid_constant__ KernelArguments a) {
  using T = typename Shape::T;
  using PTile = typename Shape::PTile;
  using VTile = typename Shape::VTile;
  constexpr int kQTile = Shape::kQTile, kSlice = Shape::kSlice, kThreads = Shape::kThreads;
  constexpr int kStages = Shape::kStages, kRows = Shape::kOutputRows;
  constexpr int kSlicesPerTile = Shape::kKvTile / kSlice;
  extern __shared__ __align__(128) char shared[];

  const int thread = threadIdx.x, lane = thread % kWarpSize, warp = thread / kWarpSize;
  const WorkItem item = q_tile_of_block(a, kQTile);
  const IndexRange rows = tile_rows(item.q_tile, kQTile, a.q_len);
  const int q_rows = static_cast<int>(rows.size());
  const int slices = (a.kv_len + kSlice - 1) / kSlice;
  StepTrace<Shape::kTraced> trace(a.trace[2], item.index);

  const HeadPointers<T> head(a, item.batch, item.head);
  const ScoreMemory<T> memory(a);
  const std::int64_t first =
      (static_cast<std::int64_t>(item.batch) * a.q_heads + item.head) * a.q_len + rows.begin;
  const T* p = memory.p + first * memory.pitch;
  const std::uint32_t base = shared_address(shared);
  const auto p_tile = [&](int slice) { return PTile{base + slice % kStages * PTile::kBytes}; };
  const auto v_tile = [&](int slice) {
    return VTile{base + kStages * PTile::kBytes + slice % kStages * VTile::kBytes};
  };
  const auto load = [&](int slice) {
    if (slice < slices) {
      const int key = slice * kSlice;
      //> load P
      load_part<kThreads>(p_tile(slice), p + key, memory.pitch, q_rows, a.kv_len - key, thread);
      //> load V
      load_part<kThreads>(v_tile(slice), head.v + key * a.v.row_stride, a.v.row_stride,
                          a.kv_len - key, Shape::kHeadDim, thread);
    }
    commit_copies();
  };

  for (int stage = 0; stage < kStages - 1; ++stage) load(stage);
  //> O = 0
  Output<kRows / 16, Shape::kHeadDim> o;
  o.clear();
  for (int slice = 0; slice < slices; ++slice) {
    wait_for_copies<kStages - 2>();
    __syncthreads();
    load(slice + kStages - 1);
    //> O = O + P V
    //> cast O to accumulator: fp32 as it is
    add_product<T, Right::as_it_lies>(o.x, p_tile(slice), warp * kRows, v_tile(slice), lane);
    if ((slice + 1) % kSlicesPerTile == 0 || slice + 1 == slices) {
      trace.step(item.q_tile, slice / kSlicesPerTile);
    }
  }
  __syncthreads();  // P and V have been read; O may pass through their memory
  //> store O
  store_output<T>(o, typename Shape::QTile{base}, warp * kRows,
                  head.o + rows.begin * a.o.row_stride, a.o.row_stride, q_rows, lane);
}

template <typename T, int kWarps, int kRows, bool kTraced>
cudaError_t launch_rows(const SoftmaxArguments& arguments, cudaStream_t stream) {
  const KernelArguments& a = arguments.call;
  const std::int64_t rows = static_cast<std::int64_t>(a.batch) * a.q_heads * a.q_len;
  return launch(softmax_kernel<T, kWarps, kRows, kTraced>, ceil_div(rows, kRows),
                kWarps * kRows * kWarpSize, arguments.kept * kRows * 2, arguments, stream);
}

// More warps for longer rows.
template <typename T, bool kTraced>
cudaError_t launch_softmax(const KernelArguments& a, cudaStream_t stream) {
  int device = 0, shared_bytes = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error != cudaSuccess) return error;
  error = cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (error != cudaSuccess) return error;
  constexpr int kReserved = 1024;  // the kernel's own arrays
  const std::int64_t room = (shared_bytes - kReserved) / 16 * kPiece;
  const SoftmaxArguments arguments = {a, static_cast<int>(smaller(score_pitch(a.kv_len), room))};
  if (a.kv_len <= 4096) return launch_rows<T, 1, 4, kTraced>(arguments, stream);
  if (a.kv_len <= 16384) return launch_rows<T, 4, 1, kTraced>(arguments, stream);
  return launch_rows<T, 32, 1, kTraced>(arguments, stream);
}

template <typename Shape>
cudaError_t launch_standard(const KernelArguments& a, cudaStream_t stream) {
  const std::int64_t q_tiles =
      ceil_div(a.q_len, Shape::kQTile) * static_cast<std::int64_t>(a.batch) * a.q_heads;
  const std::int64_t kv_tiles = ceil_div(a.kv_len, Shape::kKvTile);
  if (kv_tiles > 0) {
    const cudaError_t error = launch(scores_kernel<Shape>, q_tiles * kv_tiles, Shape::kThreads,
                                     Shape::kScoreBytes, a, stream);
    if (error != cudaSuccess) return error;
  }
  const cudaError_t error = launch_softmax<typename Shape::T, Shape::kTraced>(a, stream);
  if (error != cudaSuccess) return error;
  return launch(output_kernel<Shape>, q_tiles, Shape::kThreads, Shape::kOutputBytes, a, stream);
}

}  // namespace flashscope::gpu
