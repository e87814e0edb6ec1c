// Which kernels a call runs, with which tiles, and what they need: decided on the host, without
// CUDA, so that it can be tested, printed, and turned into the very Program that the simulator
// walks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/kernels/configs.h"
#include "gpu/launch/attention.h"
#include "sim/attention/problem.h"
#include "sim/attention/tiling.h"

namespace flashscope::gpu {

// What plan() needs to know of the device. The defaults are an H100's.
struct DeviceLimits {
  int sm_count = 132;
  std::int64_t shared_bytes_per_block = std::int64_t{227} << 10;
  std::int64_t l2_bytes = std::int64_t{50} << 20;
};

struct Plan {
  Algorithm algorithm = Algorithm::fa2;  // never automatic
  KernelConfig config;
  int splits = 1;
  bool pack_gqa = false;            // split_kv: a GQA group's heads share a q tile
  std::size_t workspace_bytes = 0;  // 256-byte aligned parts, see workspace.h
};

// Throws Error as attention_forward() does for everything that can be said without a device.
Plan plan(const AttentionCall& call, const DeviceLimits& device);

// The same call as the simulator sees it. Program(problem, table of name_of(algorithm), tiling, …)
// is what a traced run is held against.
Problem problem_of(const AttentionCall& call);
Tiling tiling_of(const Plan& plan);
const char* name_of(Algorithm algorithm);  // "fa2", as the .alg tables are called

}  // namespace flashscope::gpu
