// Finding the fastest tiles for a problem: the compiled kernels of an algorithm and head_dim
// (kKernelConfigs) that fit the device are timed on it, right results only. What does not fit is
// known beforehand, from the kernel's shared memory and the simulator's budget of registers.
// Winners are remembered by tune_cache.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/kernels/configs.h"
#include "gpu/launch/plan.h"
#include "gpu/measure/measure.h"
#include "sim/attention/problem.h"

namespace flashscope::gpu {

struct Candidate {
  KernelConfig config;
  std::string pruned;  // why it is not tried; empty: it is
};

// Every compiled config of the algorithm (not automatic) for this problem's head_dim, in the list's
// order. Throws Error when there is none.
std::vector<Candidate> candidates(Algorithm algorithm, const Problem& problem,
                                  const DeviceLimits& device);

// 32-bit registers that a thread needs at least, by the simulator's budget: all its tiles in
// registers, where a phase's score tiles (S, then P) take each other's place. Phases without score
// tiles are left out: a kernel cuts them up otherwise (split_kv's combine goes row by row).
std::int64_t registers_needed(const KernelConfig& config, const Problem& problem);

// For split_kv, the numbers of splits to try: 0 (the plan's own choice) and the powers of two that
// leave a split a tile; 0 alone for the others.
std::vector<int> splits_to_try(const KernelConfig& config, const Problem& problem);

struct TuneResult {
  std::vector<Candidate> candidates;
  std::vector<RecordRow> rows;  // fastest first; wrong ones, without `us`, last
};

// Times the candidates that were not pruned.
TuneResult tune(Bench& bench, DeviceProblem& problem, Algorithm algorithm,
                const TimingOptions& options);

}  // namespace flashscope::gpu
