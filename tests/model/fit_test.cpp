// The ranking against trying every tiling, and the defaults that come of it.
#include "sim/model/fit.h"

#include <limits>

#include <doctest/doctest.h>

#include "sim/attention/program.h"
#include "sim/error.h"
#include "sim/machine/count.h"

using namespace flashscope;

namespace {

Problem problem_of(std::int64_t q_len, std::int64_t kv_len, std::int64_t head_dim,
                   Format dtype = Format::fp16) {
  Problem problem;
  problem.q_len = q_len;
  problem.kv_len = kv_len;
  problem.head_dim = head_dim;
  problem.dtype = dtype;
  return problem;
}

// The least traffic of any tiling that fits, each counted in full.
std::int64_t least_bytes(const Algorithm& algorithm, const Problem& problem, const Device& device,
                         Placement placement, const Tiling& base) {
  const Precision precision = default_precision(algorithm, problem.dtype);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t q_tile = device.smallest_tile_rows; q_tile <= 256; q_tile *= 2) {
    for (std::int64_t kv_tile = device.smallest_tile_rows; kv_tile <= 256; kv_tile *= 2) {
      Tiling tiling = base;
      tiling.q_tile_rows = q_tile;
      tiling.kv_tile_rows = kv_tile;
      if (!budget(algorithm, problem, tiling, precision, device, placement).fits) continue;
      const Program program(problem, algorithm, tiling, precision);
      least = std::min(least, count(program).ledger.total_bytes());
    }
  }
  return least;
}

void check_best(const std::string& name, const Problem& problem, const char* device_name,
                Placement placement, const Tiling& base = {}) {
  CAPTURE(name);
  CAPTURE(describe(problem));
  CAPTURE(std::string(device_name));
  CAPTURE(name_of(placement));
  const Algorithm algorithm = load_algorithm(name);
  const Precision precision = default_precision(algorithm, problem.dtype);
  const Device& device = find_device(device_name);
  const auto best = best_tilings(algorithm, problem, precision, device, placement, base, 4);
  REQUIRE_FALSE(best.empty());
  CHECK(best.size() <= 4);
  CHECK(best.front().total_bytes == least_bytes(algorithm, problem, device, placement, base));
  for (std::size_t n = 0; n < best.size(); ++n) {
    CHECK_NOTHROW(require_fit(algorithm, problem, best[n].tiling, precision, device, placement));
    CHECK(best[n].budget.blocks_per_sm >= 1);
    if (n > 0) CHECK(best[n - 1].total_bytes <= best[n].total_bytes);
  }
}

Tiling default_of(const char* name, const Problem& problem, const char* device) {
  const Algorithm algorithm = load_algorithm(name);
  return default_tiling(algorithm, problem, default_precision(algorithm, problem.dtype),
                        find_device(device), {});
}

}  // namespace

TEST_CASE("every best tiling fits, and none that fits has less traffic") {
  for (const std::string& name : built_in_algorithm_names()) {
    for (const Placement placement : {Placement::paper, Placement::kernel}) {
      Problem problem = problem_of(1000, 1000, 128);
      check_best(name, problem, "a100-80", placement);
      problem.mask.causal = true;
      check_best(name, problem, "h100", placement);
      problem = problem_of(300, 777, 64, Format::fp32);
      problem.mask.window_left = 100;
      problem.mask.window_right = 7;
      check_best(name, problem, "a100-40", placement);
      problem = problem_of(64, 64, 16);
      problem.mask.expression = expression::MaskExpression::parse("q>=k && q-k<20 || k<4");
      check_best(name, problem, "toy", placement);
      check_best(name, problem_of(5, 70, 16), "toy", placement);
    }
  }
}

TEST_CASE("long problems, ranked on shorter ones, still give the tiling of least traffic") {
  for (const std::string& name : built_in_algorithm_names()) {
    Problem problem = problem_of(40'037, 40'037, 64);
    check_best(name, problem, "h200", Placement::kernel);
    problem.mask.causal = true;
    check_best(name, problem, "a100-80", Placement::kernel);
    problem.kv_len += 5'003;
    problem.mask.window_left = 3'000;
    check_best(name, problem, "a100-80", Placement::kernel);
    problem = problem_of(2'001, 2'001, 32);
    problem.mask.causal = true;
    check_best(name, problem, "toy", Placement::kernel);
  }
}

TEST_CASE("what the base says is kept, and packed heads lengthen the q side") {
  Problem problem = problem_of(8, 4096, 64);
  problem.q_heads = 16;
  problem.mask.causal = true;
  Tiling base;
  base.pack_gqa = true;
  base.splits = 4;
  check_best("split_kv", problem, "a100-80", Placement::kernel, base);
  const Algorithm algorithm = load_algorithm("split_kv");
  const auto best = best_tilings(algorithm, problem, default_precision(algorithm, problem.dtype),
                                 find_device("a100-80"), Placement::kernel, base, 1);
  CHECK(best.front().tiling.splits == 4);
  CHECK(best.front().tiling.pack_gqa);
  CHECK(best.front().tiling.q_tile_rows == 128);  // 16 heads of 8 rows
}

TEST_CASE("equal traffic is decided by steps: fa2 takes the largest kv tile that fits") {
  const Algorithm fa2 = load_algorithm("fa2");
  const Problem problem = problem_of(4096, 4096, 64);
  const auto best = best_tilings(fa2, problem, default_precision(fa2, problem.dtype),
                                 find_device("a100-80"), Placement::kernel, {}, 3);
  REQUIRE(best.size() == 3);
  for (const FitCandidate& candidate : best) {
    CHECK(candidate.tiling.q_tile_rows == 256);
    // Q and O once, K and V once per q tile, LSE.
    CHECK(candidate.total_bytes == 4096 * 64 * 2 * (2 + 2 * 16) + 4 * 4096);
  }
  CHECK(best[0].tiling.kv_tile_rows == 64);
  CHECK(best[0].steps == 16 * 64);
  CHECK(best[1].tiling.kv_tile_rows == 32);
  CHECK(best[2].tiling.kv_tile_rows == 16);
}

TEST_CASE("default tilings of fa2") {
  struct Case {
    const char* device;
    std::int64_t length, head_dim;
    Format dtype;
    std::int64_t q_tile, kv_tile;
  };
  for (const Case& c : std::vector<Case>{
           {"a100-80", 4096, 64, Format::fp16, 256, 64},
           {"a100-80", 4096, 128, Format::fp16, 256, 32},
           {"a100-80", 4096, 256, Format::fp16, 128, 32},
           {"a100-80", 4096, 64, Format::fp32, 256, 64},
           {"a100-80", 4096, 128, Format::fp32, 256, 16},
           {"a100-80", 4096, 256, Format::fp32, 64, 16},
           {"h100", 4096, 128, Format::fp16, 256, 32},
           {"h100", 4096, 256, Format::fp16, 128, 64},
           {"toy", 64, 16, Format::fp16, 64, 16},
           {"toy", 64, 16, Format::fp32, 32, 8},
           {"toy", 64, 64, Format::fp16, 16, 4},
           {"toy", 64, 64, Format::fp32, 8, 2},
           {"toy", 64, 128, Format::fp16, 8, 2},
           {"toy", 64, 128, Format::fp32, 4, 1},
           {"toy", 64, 256, Format::fp16, 4, 1},
       }) {
    CAPTURE(std::string(c.device));
    CAPTURE(c.head_dim);
    CAPTURE(name_of(c.dtype));
    const Tiling tiling =
        default_of("fa2", problem_of(c.length, c.length, c.head_dim, c.dtype), c.device);
    CHECK(tiling.q_tile_rows == c.q_tile);
    CHECK(tiling.kv_tile_rows == c.kv_tile);
  }
}

TEST_CASE("tiles are no larger than it takes to hold the problem, and empty problems have one") {
  const Tiling decode = default_of("fa2", problem_of(1, 4096, 64), "a100-80");
  CHECK(decode.q_tile_rows == 16);
  const Tiling tiny = default_of("fa2", problem_of(3, 5, 2, Format::fp32), "toy");
  CHECK(tiny.q_tile_rows == 4);
  CHECK(tiny.kv_tile_rows == 8);
  CHECK(default_of("fa1", problem_of(0, 0, 64), "h100").q_tile_rows == 16);
}

TEST_CASE("where nothing fits, the smallest tiles are itemised") {
  CHECK_THROWS_WITH_AS(
      default_of("fa2", problem_of(64, 64, 256, Format::fp32), "toy"),
      "no tiling of fa2 fits: even tiles 1x1 do not fit toy's shared memory of 4 KiB per block "
      "(placement kernel): Q 1x256 fp32 1 KiB + K 1x256 fp32 x2 2 KiB + V 1x256 fp32 x2 2 KiB = 5 "
      "KiB; use a larger --device or another --algorithm",
      Error);
  const Algorithm fa2 = load_algorithm("fa2");
  CHECK(best_tilings(fa2, problem_of(64, 64, 256, Format::fp32), {}, find_device("toy"),
                     Placement::kernel, {}, 3)
            .empty());
}

TEST_CASE(
    "a million rows, and masks that would take minutes to classify, get their default at once") {
  Problem problem = problem_of(std::int64_t{1} << 20, std::int64_t{1} << 20, 64);
  problem.q_heads = problem.kv_heads = 64;
  problem.mask.causal = true;
  CHECK(default_of("fa2", problem, "a100-80").q_tile_rows == 256);
  problem.mask.expression = expression::MaskExpression::parse("q-k < 1000*(h+1)");
  CHECK(default_of("fa2", problem, "a100-80").q_tile_rows == 256);
}
