// Which algorithm, tiles, splits and order of heads a call gets.
#include "gpu/launch/plan.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "gpu/kernels/shared_bytes.h"
#include "gpu/launch/choose.h"
#include "sample_call.h"
#include "sim/attention/program.h"
#include "sim/error.h"

namespace flashscope::gpu {
namespace {

constexpr DeviceLimits kH100 = {};
constexpr DeviceLimits kA100 = {
    .sm_count = 108, .shared_bytes_per_block = 163 * 1024, .l2_bytes = 40 << 20};
constexpr KernelConfig kFa2 = {Algorithm::fa2, 64, 128, 64, 4, 2};
constexpr KernelConfig kSplitKv = {Algorithm::split_kv, 64, 16, 64, 4, 2};

std::string refusal_of(const AttentionCall& call, const DeviceLimits& device = kH100) {
  try {
    plan(call, device);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

int splits_for(const AttentionCall& call) {
  return choose_splits(split_work(call, kSplitKv), kH100.sm_count);
}

bool prefers_split_kv_on_h100(const AttentionCall& call) {
  return prefers_split_kv(call, kFa2, split_work(call, kSplitKv), splits_for(call), kH100);
}

}  // namespace

TEST_CASE("the first config of an algorithm and head_dim is its default") {
  for (const KernelConfig& config : kKernelConfigs) {
    if (config.algorithm == Algorithm::split_kv) continue;
    AttentionCall call = sample_call({.head_dim = config.head_dim});
    call.algorithm = config.algorithm;
    const Plan p = plan(call, kH100);
    CHECK(p.algorithm == config.algorithm);
    CHECK(p.config.head_dim == config.head_dim);
    const auto* first = std::ranges::find_if(kKernelConfigs, [&](const KernelConfig& c) {
      return c.algorithm == config.algorithm && c.head_dim == config.head_dim &&
             shared_bytes(c) <= kH100.shared_bytes_per_block;
    });
    CHECK(p.config.q_tile_rows == first->q_tile_rows);
    CHECK(p.config.kv_tile_rows == first->kv_tile_rows);
    CHECK(p.config.warps == first->warps);
    CHECK(p.config.stages == first->stages);
  }
}

TEST_CASE("split_kv takes the q tile that fits the rows of a GQA group") {
  if (!has_kernels(Algorithm::split_kv)) return;
  const auto q_tile = [](std::int64_t q_len) {
    AttentionCall call = sample_call({.q_heads = 8, .kv_heads = 2, .q_len = q_len});
    call.algorithm = Algorithm::split_kv;
    return plan(call, kH100).config.q_tile_rows;
  };
  int smallest = 1 << 30, largest = 0;
  for (const KernelConfig& config : kKernelConfigs) {
    if (config.algorithm != Algorithm::split_kv || config.head_dim != 64) continue;
    smallest = std::min(smallest, config.q_tile_rows);
    largest = std::max(largest, config.q_tile_rows);
  }
  CHECK(q_tile(1) == smallest);
  CHECK(q_tile(smallest / 4) == smallest);
  CHECK(q_tile(1000) == largest);
}

TEST_CASE("every config can be had by its tiles") {
  for (const KernelConfig& config : kKernelConfigs) {
    AttentionCall call = sample_call({.head_dim = config.head_dim});
    call.algorithm = config.algorithm;
    call.q_tile = config.q_tile_rows;
    call.kv_tile = config.kv_tile_rows;
    const Plan p = plan(call, kH100);
    CHECK(p.config.q_tile_rows == config.q_tile_rows);
    CHECK(p.config.kv_tile_rows == config.kv_tile_rows);
  }
}

TEST_CASE("tiles that were not compiled are refused with those that were") {
  AttentionCall call = sample_call();
  call.algorithm = Algorithm::fa2;
  call.q_tile = 17;
  CHECK(refusal_of(call).starts_with(
      "q_tile 17 and kv_tile any: fa2 at head_dim 64 has the tiles 128 x 64"));
  call.q_tile = 0;
  call.kv_tile = 48;
  call.algorithm = Algorithm::automatic;
  CHECK(refusal_of(call).starts_with("q_tile any and kv_tile 48: fa2 or split_kv at head_dim 64 "));
}

TEST_CASE("a device with too little shared memory is told how much is needed") {
  AttentionCall call = sample_call({.head_dim = 256});
  call.algorithm = Algorithm::fa2;
  const std::string text = refusal_of(call, {.sm_count = 4, .shared_bytes_per_block = 16 * 1024});
  CHECK(text.starts_with("fa2 at head_dim 256 needs "));
  CHECK(text.find(
            "KiB of shared memory, and a block of this device has 16: give smaller tiles, of ") !=
        std::string::npos);
}

TEST_CASE("every head_dim of every algorithm has a config that fits an A100") {
  for (const KernelConfig& config : kKernelConfigs) {
    AttentionCall call = sample_call({.head_dim = config.head_dim});
    call.algorithm = config.algorithm;
    CHECK(shared_bytes(plan(call, kA100).config) <= kA100.shared_bytes_per_block);
  }
}

TEST_CASE("grids beyond 2^31 - 1 blocks are refused") {
  AttentionCall call = sample_call({.batch = 1 << 20,
                                    .q_heads = 1 << 10,
                                    .kv_heads = 1,
                                    .q_len = 129,
                                    .kv_len = 1,
                                    .head_dim = 32});
  call.algorithm = Algorithm::fa2;
  CHECK(refusal_of(call) ==
        "batch 1048576 x q_heads 1024 x q_len 129 takes more than the 2^31 - 1 blocks that CUDA "
        "launches: call it for one part of the batch at a time");
  call.q_len = 128;
  CHECK(refusal_of(call) == "");
}

TEST_CASE("many query rows take fa2, few take split_kv") {
  // Training: every SM has work without splitting.
  CHECK_FALSE(prefers_split_kv_on_h100(
      sample_call({.batch = 4, .q_heads = 16, .kv_heads = 16, .q_len = 4096, .kv_len = 4096})));
  // Some rows of one head: 8 q tiles for 132 SMs.
  CHECK(prefers_split_kv_on_h100(
      sample_call({.batch = 1, .q_heads = 1, .kv_heads = 1, .q_len = 1024, .kv_len = 16384})));
  // Decoding, with and without GQA.
  CHECK(prefers_split_kv_on_h100(
      sample_call({.batch = 1, .q_heads = 32, .kv_heads = 8, .q_len = 1, .kv_len = 8192})));
  CHECK(prefers_split_kv_on_h100(
      sample_call({.batch = 64, .q_heads = 32, .kv_heads = 8, .q_len = 1, .kv_len = 4096})));
  CHECK(prefers_split_kv_on_h100(
      sample_call({.batch = 1, .q_heads = 32, .kv_heads = 32, .q_len = 1, .kv_len = 8192})));
  // Decoding a large batch: nothing to split, but heads to pack.
  CHECK(splits_for(sample_call(
            {.batch = 396, .q_heads = 4, .kv_heads = 1, .q_len = 1, .kv_len = 4096})) == 1);
  CHECK(prefers_split_kv_on_h100(
      sample_call({.batch = 396, .q_heads = 4, .kv_heads = 1, .q_len = 1, .kv_len = 4096})));
  // Few rows, and few keys or nothing to pack: one launch is less than two.
  CHECK_FALSE(prefers_split_kv_on_h100(
      sample_call({.batch = 64, .q_heads = 32, .kv_heads = 8, .q_len = 1, .kv_len = 100})));
  CHECK_FALSE(prefers_split_kv_on_h100(
      sample_call({.batch = 396, .q_heads = 1, .kv_heads = 1, .q_len = 1, .kv_len = 4096})));
  CHECK_FALSE(prefers_split_kv_on_h100(
      sample_call({.batch = 1, .q_heads = 32, .kv_heads = 32, .q_len = 1, .kv_len = 100})));
  CHECK_FALSE(prefers_split_kv_on_h100(sample_call({.kv_len = 0})));
}

TEST_CASE("splits fill whole waves of blocks") {
  const auto splits = [](std::int64_t items, std::int64_t tiles, std::int64_t sm_count) {
    return choose_splits(
        {.rows = 1, .work_items = items, .kv_tiles = tiles, .visited_tiles = tiles}, sm_count);
  };
  CHECK(splits(8, 128, 132) == 16);   // 128 blocks: one wave; 17 parts would need two
  CHECK(splits(66, 128, 132) == 2);   // exactly one wave
  CHECK(splits(132, 128, 132) == 1);  // full already
  CHECK(splits(100, 128, 132) == 5);  // 500 blocks: 4 waves of 26 tiles beat one of 128
  CHECK(splits(1, 7, 132) == 1);      // no split under 4 tiles
  CHECK(splits(1, 8, 132) == 2);
  CHECK(splits(1, 1 << 20, 132) > 100);
  CHECK(splits(0, 128, 132) == 1);
  CHECK(splits(8, 0, 132) == 1);
}

TEST_CASE("only splits within the window count") {
  AttentionCall call =
      sample_call({.batch = 1, .q_heads = 8, .kv_heads = 8, .q_len = 1, .kv_len = 64 * 512});
  call.window_left = 64 * 64 - 1;
  const SplitWork work = split_work(call, kSplitKv);
  CHECK(work.work_items == 8);
  CHECK(work.kv_tiles == 512);
  CHECK(work.visited_tiles == 64);
  // 64 of 512 tiles are visited: the splits that reach into them must fill the SMs.
  CHECK(choose_splits(work, 132) > choose_splits({false, 1, 8, 64, 64}, 132));
}

TEST_CASE("split_kv packs the heads of a GQA group") {
  const SplitWork packed = split_work(
      sample_call({.batch = 3, .q_heads = 8, .kv_heads = 2, .q_len = 5, .kv_len = 640}), kSplitKv);
  CHECK(packed.pack_gqa);
  CHECK(packed.work_items == 3 * 2 * 2);  // 20 rows are two tiles of 16
  CHECK(packed.kv_tiles == 10);
  const SplitWork plain = split_work(
      sample_call({.batch = 3, .q_heads = 8, .kv_heads = 8, .q_len = 5, .kv_len = 640}), kSplitKv);
  CHECK_FALSE(plain.pack_gqa);
  CHECK(plain.work_items == 3 * 8);
  // Packed rows are counted in 32 bits: where they would not fit, heads stay apart.
  CHECK_FALSE(split_work(sample_call({.q_heads = 8, .kv_heads = 1, .q_len = 300000000}), kSplitKv)
                  .pack_gqa);
}

TEST_CASE("heads run together: four waves of unequal q tiles, or 2 MiB of K and V of equal ones") {
  const auto together = [](const Sizes& sizes, bool causal = false, std::int64_t window = -1) {
    AttentionCall call = sample_call(sizes);
    call.causal = causal;
    call.window_left = call.window_right = window;
    return choose_heads_together(call, 128, kH100);
  };
  // K and V of one head: 2 * 1024 * 64 * 2 bytes = 256 KiB.
  Sizes sizes{.batch = 4, .q_heads = 16, .kv_heads = 16, .q_len = 1024, .kv_len = 1024};
  CHECK(together(sizes) == 8);
  sizes.kv_heads = 4;  // whole groups of 4 heads
  CHECK(together(sizes) == 32);
  sizes.kv_len = sizes.q_len = 4096;
  CHECK(together(sizes) == 8);
  sizes.kv_len = sizes.q_len = 1 << 20;
  CHECK(together(sizes) == 4);
  CHECK(together(sizes, false, 512) > 4);
  CHECK(together(sizes, true) == 4);
  // Four waves of 264 blocks: 32 q tiles a head.
  sizes.kv_len = sizes.q_len = 4096;
  CHECK(together(sizes, true) == 36);
  sizes.kv_heads = 16;
  CHECK(together(sizes, true) == 33);
  sizes.kv_len = sizes.q_len = 128;
  CHECK(together(sizes, true) == 64);
  sizes.kv_len = 0;
  CHECK(together(sizes) == 64);
}

TEST_CASE("automatic plans") {
  const AttentionCall training =
      sample_call({.batch = 4, .q_heads = 16, .kv_heads = 16, .q_len = 4096, .kv_len = 4096});
  CHECK(plan(training, kH100).algorithm == Algorithm::fa2);
  CHECK(plan(training, kH100).splits == 1);
  CHECK(plan(training, kH100).workspace_bytes == 0);
  if (!has_kernels(Algorithm::split_kv)) return;
  AttentionCall decoding =
      sample_call({.batch = 1, .q_heads = 32, .kv_heads = 8, .q_len = 1, .kv_len = 8192});
  const Plan p = plan(decoding, kH100);
  CHECK(p.algorithm == Algorithm::split_kv);
  CHECK(p.splits > 1);
  CHECK(p.pack_gqa);
  CHECK(p.workspace_bytes > 0);
  AttentionCall split_training = training;
  split_training.splits = 3;  // only split_kv can
  CHECK(plan(split_training, kH100).algorithm == Algorithm::split_kv);
  CHECK(plan(split_training, kH100).splits == 3);
}

// What the simulator is told is a Program it can walk, of the grid that the kernels have.
TEST_CASE("random calls: plans are within their bounds and make Programs") {
  const auto seed = std::random_device{}();
  INFO("seed ", seed);
  std::mt19937 random(seed);
  const auto number = [&](int low, int high) {
    return std::int64_t{std::uniform_int_distribution<int>(low, high)(random)};
  };
  for (int round = 0; round < 300; ++round) {
    const auto row = static_cast<std::size_t>(number(0, kKernelConfigs.size() - 1));
    const std::int64_t kv_heads = number(1, 3);
    AttentionCall call =
        sample_call({number(0, 3), kv_heads * number(1, 4), kv_heads, number(0, 700),
                     number(0, 700), kKernelConfigs[row].head_dim});
    call.causal = number(0, 1) != 0;
    call.window_left = number(-1, 300);
    call.window_right = number(-1, 300);
    call.algorithm = number(0, 1) != 0 ? kKernelConfigs[row].algorithm : Algorithm::automatic;
    const Plan p = plan(call, number(0, 1) != 0 ? kH100 : kA100);
    CHECK(p.algorithm != Algorithm::automatic);
    CHECK(p.config.algorithm == p.algorithm);
    CHECK((p.splits >= 1 && p.splits <= kMostSplits));
    CHECK((p.splits == 1 || p.algorithm == Algorithm::split_kv));
    const flashscope::Algorithm table = load_algorithm(name_of(p.algorithm));
    const Problem problem = problem_of(call);
    const Program program(problem, table, tiling_of(p), default_precision(table, call.dtype));
    if (p.algorithm == Algorithm::fa2) {
      CHECK(program.work_items() ==
            call.batch * call.q_heads * ceil_div(call.q_len, p.config.q_tile_rows));
    }
    if (p.algorithm == Algorithm::split_kv) {
      CHECK(program.work_items_of(0) == split_work(call, p.config).work_items * p.splits);
    }
  }
}

}  // namespace flashscope::gpu
