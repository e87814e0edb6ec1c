// Traffic and work of the four built-in algorithms by hand-written loop nests that look at every
// score element. It shares no code with Program, TileMap, count() or the closed forms: only the
// plain structs of problem and tiling. Slow, and so for small problems only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "tests/attention/sample_problem.h"

namespace flashscope::test {

struct BruteForceCount {
  // (phase, tensor, "load" or "store") -> bytes; no entry with 0 bytes.
  std::map<std::tuple<std::string, std::string, std::string>, std::int64_t> traffic;
  std::int64_t load_bytes = 0, store_bytes = 0, init_bytes = 0;
  std::int64_t exponentials = 0, rescales = 0, matmul_flops = 0, nonmatmul_flops = 0;
  std::int64_t useful_flops = 0;
  std::int64_t full = 0, partial = 0, empty = 0;
  std::int64_t work_items = 0;
};

BruteForceCount brute_force_count(const Sample& sample, const std::string& algorithm);

}  // namespace flashscope::test
