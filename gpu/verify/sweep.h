// Random trials: shapes, masks, head groups, layouts, scales and distributions nobody thought of.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/kernels/configs.h"
#include "gpu/verify/trial.h"

namespace flashscope::gpu {

struct SweepTrial {
  Trial trial;
  KernelConfig kernel;  // one of those given
};

// The n-th of `seed`: a function of the two and of the kernels alone. `kernels` is not empty.
SweepTrial sweep_trial(std::uint64_t seed, std::int64_t n, std::span<const KernelConfig> kernels);

}  // namespace flashscope::gpu
