// The tilings that suit a problem on a device: those whose tiles fit, ranked by the traffic they
// cause. Traffic is all that counts here: that many small work items fill a GPU better than few
// large ones, or that a tile of 16 keys starves the tensor cores, is for the time model to say.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/attention/algorithm.h"
#include "sim/attention/problem.h"
#include "sim/attention/tiling.h"
#include "sim/model/device.h"
#include "sim/model/sram_budget.h"

namespace flashscope {

struct FitCandidate {
  Tiling tiling;
  Budget budget;                 // shared memory, registers, blocks per SM; it fits
  std::int64_t total_bytes = 0;  // HBM <-> SRAM, no cache: loads + stores of the whole problem
  std::int64_t steps = 0;        // non-empty tiles of all heads' score matrices
};

// The best tilings that fit, best first: least traffic, then fewest steps, then the larger kv tile,
// then the least shared memory. Tried are the powers of two from the device's smallest tile up to
// 256, no larger than it takes to hold the whole length; everything else is taken from `base`.
// Empty when nothing fits. At most `how_many`; each of these is counted exactly, which takes a
// while for long problems with a mask expression. Throws Error when the problem or an option of
// `base` is not valid for the algorithm.
std::vector<FitCandidate> best_tilings(const Algorithm& algorithm, const Problem& problem,
                                       const Precision& precision, const Device& device,
                                       Placement placement, const Tiling& base,
                                       std::size_t how_many);

// The best tiling under placement `kernel`; tens of milliseconds also for a million rows, more
// only for windows of many thousand keys.
// Throws Error when nothing fits, with the budget of the smallest tiles itemised.
Tiling default_tiling(const Algorithm& algorithm, const Problem& problem,
                      const Precision& precision, const Device& device, const Tiling& base);

}  // namespace flashscope
