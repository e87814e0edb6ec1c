// The GPU and its kernels as what a verification runs on.
#pragma once

#include <memory>

#include "gpu/verify/backend.h"

namespace flashscope::gpu {

// The current device. Throws Error, in one line, when there is none or no CUDA was built in.
std::unique_ptr<Backend> cuda_backend();

}  // namespace flashscope::gpu
