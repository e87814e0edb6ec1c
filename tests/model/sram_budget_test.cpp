// Budgets against numbers worked out by hand, and the text of refusals.
#include "sim/model/sram_budget.h"

#include <doctest/doctest.h>

#include "sim/error.h"

using namespace flashscope;

namespace {

constexpr std::int64_t kKib = 1024;

Problem square(std::int64_t length, std::int64_t head_dim, Format dtype = Format::fp16) {
  Problem problem;
  problem.q_len = problem.kv_len = length;
  problem.head_dim = head_dim;
  problem.dtype = dtype;
  return problem;
}

Tiling tiles(std::int64_t q_tile, std::int64_t kv_tile) {
  Tiling tiling;
  tiling.q_tile_rows = q_tile;
  tiling.kv_tile_rows = kv_tile;
  return tiling;
}

Budget budget_of(const char* name, const Problem& problem, const Tiling& tiling, const char* device,
                 Placement placement) {
  const Algorithm algorithm = load_algorithm(name);
  return budget(algorithm, problem, tiling, default_precision(algorithm, problem.dtype),
                find_device(device), placement);
}

void require(const char* name, const Problem& problem, const Tiling& tiling, const char* device,
             Placement placement) {
  const Algorithm algorithm = load_algorithm(name);
  require_fit(algorithm, problem, tiling, default_precision(algorithm, problem.dtype),
              find_device(device), placement);
}

const BudgetItem& item(const Budget& budget, const std::string& phase, const std::string& buffer) {
  for (const BudgetItem& candidate : budget.items) {
    if (candidate.phase == phase && candidate.buffer == buffer) return candidate;
  }
  FAIL("no such item: ", phase, " ", buffer);
  return budget.items.front();
}

}  // namespace

TEST_CASE("fa2, Br 128, Bc 64, D 128, fp16 as a kernel: 96 KiB shared, 162 registers") {
  const Budget needs =
      budget_of("fa2", square(4096, 128), tiles(128, 64), "a100-80", Placement::kernel);
  CHECK(item(needs, "attention", "Q").bytes == 32 * kKib);
  CHECK(item(needs, "attention", "K").bytes == 2 * 16 * kKib);
  CHECK(item(needs, "attention", "V").stages == 2);
  CHECK(needs.shared_bytes == 96 * kKib);
  CHECK(needs.shared_limit_bytes == 163 * kKib);
  CHECK(needs.threads == 256);
  CHECK(item(needs, "attention", "S").registers_per_thread == 32);  // 128 x 64 / 256
  CHECK(item(needs, "attention", "P").registers_per_thread == 16);  // half of it in fp16
  CHECK(item(needs, "attention", "O").registers_per_thread == 64);  // 128 x 128 / 256
  CHECK(item(needs, "attention", "m").registers_per_thread == 2);   // 128 x 4 copies / 256
  CHECK(needs.registers_per_thread == 32 + 16 + 64 + 5 * 2 + 40);
  CHECK(needs.registers_limit == 255);
  CHECK(needs.fits);
  CHECK(needs.reason.empty());
}

TEST_CASE("the paper's one memory holds every buffer once: 178.5 KiB for the same tiles") {
  const Budget needs =
      budget_of("fa2", square(4096, 128), tiles(128, 64), "h100", Placement::paper);
  // Q 32, K 16, V 16, S 32, P 16, O 64, and m, l, m_new, alpha, LSE of half a KiB each.
  CHECK(needs.shared_bytes == 178 * kKib + 512);
  CHECK(needs.registers_per_thread == 0);
  CHECK(needs.fits);
  CHECK_FALSE(
      budget_of("fa2", square(4096, 128), tiles(128, 64), "a100-80", Placement::paper).fits);
}

TEST_CASE("blocks per SM follow from shared memory or from registers, whichever is scarcer") {
  // 64x64, D 64: 8 + 16 + 16 KiB + 1 KiB of the system's: 4 of them in 164 KiB. Registers:
  // 32 + 16 + 32 + 5 x 2 + 40 = 130, handed out as 136, x 128 threads: 3 of them in 65536.
  const Budget small =
      budget_of("fa2", square(4096, 64), tiles(64, 64), "a100-80", Placement::kernel);
  CHECK(small.shared_bytes == 40 * kKib);
  CHECK(small.registers_per_thread == 130);
  CHECK(small.blocks_per_sm == 3);
  // 64x32, D 256 in 128 threads: 32 + 32 + 32 KiB a block.
  const Budget wide =
      budget_of("fa2", square(4096, 256), tiles(64, 32), "a100-80", Placement::kernel);
  CHECK(wide.shared_bytes == 96 * kKib);
  CHECK(wide.blocks_per_sm == 1);
  CHECK(budget_of("fa2", square(4096, 128), tiles(256, 128), "a100-80", Placement::kernel)
            .blocks_per_sm == 0);
}

TEST_CASE("a block has 4 warps for up to 64 q rows and 8 above") {
  const auto threads = [](std::int64_t q_tile) {
    return budget_of("fa2", square(4096, 64), tiles(q_tile, 16), "h100", Placement::kernel).threads;
  };
  CHECK(threads(1) == 128);
  CHECK(threads(64) == 128);
  CHECK(threads(65) == 256);
  CHECK(threads(256) == 256);
}

TEST_CASE("standard's softmax row counts at its true length, and phases count apart") {
  const Budget needs =
      budget_of("standard", square(4096, 64), tiles(64, 64), "a100-80", Placement::kernel);
  REQUIRE(needs.phases.size() == 3);
  CHECK(needs.phases[0].shared_bytes == 16 * kKib);  // Q and K
  CHECK(item(needs, "softmax", "S_row").rows == 1);
  CHECK(item(needs, "softmax", "S_row").columns == 4096);
  CHECK(needs.phases[1].shared_bytes == 8 * kKib);
  CHECK(needs.phases[1].threads == 256);
  // P_row 4096 x 2 bytes / 256 threads, and m, l, LSE of a single row.
  CHECK(needs.phases[1].registers_per_thread == 8 + 3 + 40);
  CHECK(needs.phases[2].shared_bytes == 16 * kKib);  // P and V
  CHECK(needs.shared_bytes == 16 * kKib);
}

TEST_CASE("fa1's phases without Q, K, V need no shared memory, and it has no double buffer") {
  const Budget needs = budget_of("fa1", square(1024, 128, Format::fp32), tiles(64, 64), "a100-80",
                                 Placement::kernel);
  REQUIRE(needs.phases.size() == 3);
  CHECK(needs.phases[0].shared_bytes == 0);
  CHECK(needs.phases[2].shared_bytes == 3 * 32 * kKib);
}

TEST_CASE("the formats come from the precision") {
  const Algorithm fa2 = load_algorithm("fa2");
  Precision precision = default_precision(fa2, Format::e4m3);
  precision.score = Format::bf16;
  const Budget needs = budget(fa2, square(512, 64, Format::e4m3), tiles(64, 64), precision,
                              find_device("h100"), Placement::paper);
  CHECK(item(needs, "attention", "Q").bytes == 4 * kKib);
  CHECK(item(needs, "attention", "S").bytes == 8 * kKib);
  CHECK(item(needs, "attention", "P").bytes == 4 * kKib);
  CHECK(item(needs, "attention", "O").bytes == 16 * kKib);
}

TEST_CASE("the pencil problem fits the toy device, N 64 D 16 only in small tiles") {
  CHECK(budget_of("fa2", square(4, 2, Format::fp32), tiles(2, 2), "toy", Placement::paper).fits);
  CHECK(budget_of("fa2", square(4, 2, Format::fp32), tiles(2, 2), "toy", Placement::kernel).fits);
  const Problem lesson = square(64, 16, Format::fp32);
  CHECK_FALSE(budget_of("fa2", lesson, tiles(64, 64), "toy", Placement::kernel).fits);
  CHECK_FALSE(budget_of("fa2", lesson, tiles(16, 16), "toy", Placement::kernel).fits);
  CHECK(budget_of("fa2", lesson, tiles(16, 8), "toy", Placement::kernel).fits);
  CHECK(budget_of("fa2", lesson, tiles(8, 8), "toy", Placement::paper).fits);
}

TEST_CASE("a refusal itemises what does not fit and says what to do") {
  CHECK_THROWS_WITH_AS(
      require("fa2", square(4096, 128), tiles(256, 128), "a100-80", Placement::kernel),
      "tiles 256x128 do not fit a100-80's shared memory of 163 KiB per block (placement kernel): "
      "Q 256x128 fp16 64 KiB + K 128x128 fp16 x2 64 KiB + V 128x128 fp16 x2 64 KiB = 192 KiB; use "
      "a smaller --q-tile or --kv-tile",
      Error);
  CHECK_THROWS_WITH_AS(
      require("fa2", square(4096, 128), tiles(256, 128), "h100", Placement::kernel),
      "tiles 256x128 do not fit h100's 255 registers per thread (placement kernel, 256 threads): "
      "S 256x128 fp32 128 + P 256x128 fp16 64 + O 256x128 fp32 128 + m 256 fp32 4 + l 256 fp32 4 + "
      "m_new 256 fp32 4 + alpha 256 fp32 4 + LSE 256 fp32 4 + 40 for addresses and temporaries = "
      "380; use a smaller --q-tile or --kv-tile",
      Error);
  CHECK_THROWS_WITH_AS(
      require("standard", square(131072, 64), tiles(128, 64), "a100-80", Placement::kernel),
      "tiles 128x64 do not fit a100-80's shared memory of 163 KiB per block (placement kernel, "
      "phase softmax): S_row 1x131072 fp16 256 KiB = 256 KiB; no smaller tile helps: use a larger "
      "--device or another --algorithm",
      Error);
  CHECK_NOTHROW(require("fa2", square(4096, 128), tiles(128, 64), "h100", Placement::kernel));
}

TEST_CASE("a sum just above the limit is printed exactly") {
  const Budget needs =
      budget_of("fa2", square(64, 16, Format::fp32), tiles(16, 8), "toy", Placement::paper);
  // 1024 + 512 + 512 + 512 + 512 + 1024 + 5 x 64 = 4416 bytes.
  CHECK(needs.shared_bytes == 4416);
  CHECK(needs.reason.ends_with("= 4.3125 KiB"));
}

TEST_CASE("absurd tiles do not overflow") {
  const std::int64_t largest = std::int64_t{1} << 20;
  const Budget wide = budget_of("fa2", square(1, 512, Format::fp32), tiles(largest, largest),
                                "h200", Placement::kernel);
  CHECK_FALSE(wide.fits);
  CHECK(wide.shared_bytes == 5 * largest * 512 * 4);
  CHECK_THROWS_AS(budget_of("fa2", square(1, 1), tiles(largest + 1, 1), "h200", Placement::paper),
                  Error);

  Algorithm whole_matrix = load_algorithm("fa2");
  Buffer& scores = whole_matrix.buffers[static_cast<std::size_t>(whole_matrix.find("S", false))];
  scores.rows = Dim::q_len;
  scores.columns = Dim::kv_len;
  scores.stages = largest;
  const Budget capped = budget(whole_matrix, square(std::int64_t{1} << 26, 1), tiles(16, 16), {},
                               find_device("h200"), Placement::kernel);
  CHECK(item(capped, "attention", "S").bytes == std::int64_t{1} << 48);
  CHECK_FALSE(capped.fits);
}
