// The kernels that are compiled: tile sizes, warps and stages for each algorithm and head_dim. The
// first row of an algorithm and head_dim is its default. This is the one list: the kernels are
// instantiated from it, the launcher picks from it and `gpu tune` searches it.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/launch/algorithm.h"

namespace flashscope::gpu {

struct KernelConfig {
  Algorithm algorithm = Algorithm::fa2;
  int head_dim = 64;
  int q_tile_rows = 128, kv_tile_rows = 64;
  int warps = 4;
  int stages = 2;  // kv tiles in shared memory at once
};

inline constexpr std::array kKernelConfigs = std::to_array<KernelConfig>({
    {Algorithm::fa2, 32, 128, 128, 4, 2},
    {Algorithm::fa2, 64, 128, 64, 4, 2},
    {Algorithm::fa2, 96, 128, 64, 4, 2},
    {Algorithm::fa2, 128, 128, 64, 4, 2},
    {Algorithm::fa2, 256, 128, 64, 8, 2},
});

}  // namespace flashscope::gpu
