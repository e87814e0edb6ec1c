// What can be said about a call without choosing a kernel and without a device.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/launch/attention.h"

namespace flashscope::gpu {

// Throws Error when a shape, stride, alignment, dtype, window or scale is one that no kernel takes.
// The message starts with the field's name.
void check_call(const AttentionCall& call);

// No query row: O and LSE have no elements, and nothing is to be launched.
bool is_empty(const AttentionCall& call);

// Throws Error when a grid with so many blocks for each (batch, q head) is more than CUDA launches.
void require_grid(const AttentionCall& call, std::int64_t blocks_per_head);

// The head_dims that have kernels, "32, 64 or 128", or ""; of one algorithm, or of any for
// automatic.
std::string head_dims_of(Algorithm algorithm);

}  // namespace flashscope::gpu
