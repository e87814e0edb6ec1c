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
  int stages = 2;  // kv tiles in shared memory at once; in standard's output, slices of 64 keys
};

inline constexpr std::array kKernelConfigs = std::to_array<KernelConfig>({
    {Algorithm::standard, 32, 128, 128, 4, 3},  {Algorithm::standard, 64, 128, 128, 4, 3},
    {Algorithm::standard, 64, 128, 64, 4, 3},   {Algorithm::standard, 96, 128, 128, 4, 3},
    {Algorithm::standard, 128, 128, 128, 4, 3}, {Algorithm::standard, 128, 128, 64, 4, 3},
    {Algorithm::standard, 128, 256, 128, 8, 3}, {Algorithm::standard, 256, 128, 64, 8, 3},
    {Algorithm::fa1, 32, 128, 128, 8, 1},       {Algorithm::fa1, 64, 128, 128, 8, 1},
    {Algorithm::fa1, 64, 128, 256, 8, 1},       {Algorithm::fa1, 96, 128, 128, 8, 1},
    {Algorithm::fa1, 128, 128, 128, 8, 1},      {Algorithm::fa1, 256, 64, 64, 4, 1},
    {Algorithm::fa1, 256, 128, 32, 8, 1},       {Algorithm::fa2, 32, 128, 64, 4, 2},
    {Algorithm::fa2, 64, 128, 64, 4, 2},        {Algorithm::fa2, 64, 128, 128, 4, 2},
    {Algorithm::fa2, 64, 64, 64, 4, 2},         {Algorithm::fa2, 96, 128, 64, 4, 2},
    {Algorithm::fa2, 128, 128, 64, 4, 2},       {Algorithm::fa2, 128, 128, 32, 4, 2},
    {Algorithm::fa2, 128, 64, 64, 4, 2},        {Algorithm::fa2, 256, 128, 64, 8, 2},
    {Algorithm::fa2, 256, 128, 32, 8, 2},       {Algorithm::split_kv, 32, 16, 128, 4, 4},
    {Algorithm::split_kv, 32, 64, 128, 4, 3},   {Algorithm::split_kv, 64, 16, 128, 4, 3},
    {Algorithm::split_kv, 64, 16, 64, 4, 4},    {Algorithm::split_kv, 64, 64, 64, 4, 3},
    {Algorithm::split_kv, 96, 16, 64, 4, 4},    {Algorithm::split_kv, 96, 64, 64, 4, 3},
    {Algorithm::split_kv, 128, 16, 64, 4, 3},   {Algorithm::split_kv, 128, 16, 32, 2, 3},
    {Algorithm::split_kv, 128, 64, 64, 4, 3},   {Algorithm::split_kv, 256, 16, 32, 2, 3},
    {Algorithm::split_kv, 256, 16, 64, 4, 3},   {Algorithm::split_kv, 256, 64, 64, 4, 2},
});

}  // namespace flashscope::gpu
