// What the search for tiles tries and leaves out, and the file that keeps its winners.
#include "gpu/measure/tune.h"

#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>

#include "gpu/kernels/shared_bytes.h"
#include "gpu/measure/tune_cache.h"
#include "sim/error.h"
#include "tests/io/io_test_support.h"

namespace flashscope::gpu {
namespace {

Problem problem(std::int64_t head_dim, std::int64_t length) {
  Problem result;
  result.q_heads = result.kv_heads = 4;
  result.q_len = result.kv_len = length;
  result.head_dim = head_dim;
  result.scale = default_scale(head_dim);
  return result;
}

TEST_CASE("every compiled config of the head_dim is a candidate") {
  for (const int head_dim : {32, 64, 96, 128, 256}) {
    std::size_t expected = 0;
    for (const KernelConfig& config : kKernelConfigs) {
      expected += config.algorithm == Algorithm::fa2 && config.head_dim == head_dim ? 1 : 0;
    }
    const std::vector<Candidate> all = candidates(Algorithm::fa2, problem(head_dim, 1024), {});
    CHECK(all.size() == expected);
    // The default is fit for an H100.
    CHECK(all.front().pruned == "");
  }
  CHECK_THROWS_WITH_AS(candidates(Algorithm::fa2, problem(80, 1024), {}),
                       "--head-dim 80: fa2 has no kernel for it", Error);
}

TEST_CASE("nothing that is compiled is pruned on an H100: the list has only what runs well there") {
  using enum Algorithm;
  for (const Algorithm algorithm : {standard, fa1, fa2, split_kv}) {
    for (const int head_dim : {32, 64, 96, 128, 256}) {
      for (const Candidate& candidate : candidates(algorithm, problem(head_dim, 1024), {})) {
        CHECK_MESSAGE(candidate.pruned == "", std::string(name_of(algorithm)), " ", head_dim, " ",
                      candidate.config.q_tile_rows, "x", candidate.config.kv_tile_rows);
      }
    }
  }
}

TEST_CASE("what needs more shared memory than a block has is pruned, and says so") {
  DeviceLimits small;
  small.shared_bytes_per_block = 48 * 1024;
  for (const Candidate& candidate : candidates(Algorithm::fa2, problem(128, 1024), small)) {
    if (shared_bytes(candidate.config) > small.shared_bytes_per_block) {
      CHECK(candidate.pruned.find("KiB of shared memory, a block has 48") != std::string::npos);
    }
  }
}

TEST_CASE("registers are those of the tiles that live at the same time") {
  // O 128x128 and S 128x64 (P takes its place) in fp32 over 128 threads, m, l and the like, and 40.
  const KernelConfig config = {Algorithm::fa2, 128, 128, 64, 4, 2};
  const std::int64_t needed = registers_needed(config, problem(128, 1024));
  CHECK(needed > 128 + 64 + 40);
  CHECK(needed <= 255);
  // Twice the warps hold half as much each; twice the keys do not fit.
  CHECK(registers_needed({Algorithm::fa2, 128, 128, 64, 8, 2}, problem(128, 1024)) < needed - 80);
  CHECK(registers_needed({Algorithm::fa2, 128, 128, 128, 4, 2}, problem(128, 1024)) > 255);
}

TEST_CASE("splits are tried up to one kv tile each, and only where keys are split") {
  const KernelConfig split = {Algorithm::split_kv, 64, 16, 64, 4, 2};
  CHECK(splits_to_try(split, problem(64, 64)) == std::vector{0, 1});
  CHECK(splits_to_try(split, problem(64, 300)) == std::vector{0, 1, 2, 4});
  CHECK(splits_to_try(split, problem(64, 1 << 20)).back() == 128);
  CHECK(splits_to_try(kKernelConfigs.front(), problem(64, 4096)) == std::vector{0});
}

TEST_CASE("lengths within a factor of two share a key; what differs otherwise does not") {
  const auto key = [](const Problem& p) { return TuneCache::key("GPU", p, Algorithm::fa2); };
  CHECK(key(problem(64, 4096)) == "GPU/fp16/fa2/d64/full/q4096/k4096");
  CHECK(key(problem(64, 2049)) == key(problem(64, 4096)));
  CHECK(key(problem(64, 2048)) != key(problem(64, 4096)));
  CHECK(key(problem(64, 4096)) != key(problem(128, 4096)));
  Problem causal = problem(64, 4096);
  causal.mask.causal = true;
  CHECK(key(causal) != key(problem(64, 4096)));
}

TEST_CASE("winners survive the file, in a folder that is made for it") {
  const io::TemporaryFolder folder;
  const std::string path = folder / "new" + "/tune.json";
  CHECK_FALSE(TuneCache::read(path).find("a").has_value());
  TuneCache cache;
  cache.set("a", {128, 64, 0, 12.5});
  cache.set("b/\"c\"", {16, 32, 7, 1});
  cache.write(path);
  const TuneCache read = TuneCache::read(path);
  CHECK(read.find("a")->q_tile == 128);
  CHECK(read.find("a")->us == 12.5);
  CHECK(read.find("b/\"c\"")->splits == 7);
  CHECK_FALSE(read.find("c").has_value());
}

TEST_CASE("a file that is no tuning cache is refused, not overwritten") {
  const io::TemporaryFolder folder;
  const auto refused = [&](const std::string& content) {
    std::ofstream(folder / "tune.json", std::ios::binary) << content;
    try {
      TuneCache::read(folder / "tune.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused("{").find("this is no tuning cache") != std::string::npos);
  CHECK(refused("[1]").find("this is no tuning cache") != std::string::npos);
  CHECK(refused(R"({"schema": "flashscope.tune/1"})").find("\"winners\" is missing") !=
        std::string::npos);
  CHECK(refused(R"({"schema": "flashscope.tune/1", "winners": {"a": {"q_tile": "x"}}})")
            .find("winners.a.q_tile: ") != std::string::npos);
}

TEST_CASE("the cache is where the desktop's convention puts it") {
  setenv("XDG_CACHE_HOME", "/cache", 1);
  CHECK(TuneCache::default_path() == "/cache/flashscope/tune.json");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/me", 1);
  CHECK(TuneCache::default_path() == "/home/me/.cache/flashscope/tune.json");
}

}  // namespace
}  // namespace flashscope::gpu
