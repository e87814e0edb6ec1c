// How a problem's tensors lie in device memory: the orders that frameworks use, padding between
// rows, views into one packed tensor, and offsets that need 64 bits. Around and between the
// elements lies memory that belongs to nobody: guarded_problem.h fills and watches it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "gpu/launch/attention.h"
#include "sim/attention/problem.h"
#include "sim/index_range.h"
#include "sim/machine/tensor.h"

namespace flashscope::gpu {

enum class MemoryLayout : std::uint8_t {
  bhsd,       // (batch, heads, rows, head_dim), contiguous
  bshd,       // (batch, rows, heads, head_dim), contiguous
  packed,     // q, k, v as views into one (batch, rows, 3, heads, head_dim)
  padded,     // bhsd with padding behind each row and each head, of another size in each tensor
  far_apart,  // batch items 2^31 elements and more from each other
};
std::string_view name_of(MemoryLayout layout);

// Whether the problem can lie so: packed needs as many keys and kv heads as query rows and q heads.
bool can_lie(const Problem& problem, MemoryLayout layout);

// One tensor in its buffer; all in elements.
struct PlacedTensor {
  int buffer = 0;
  std::int64_t first = 0;  // element (0, 0, 0, 0)
  Strides strides;
  Shape shape{};  // batch, heads, rows, head_dim

  std::int64_t row(std::int64_t batch, std::int64_t head, std::int64_t row) const {
    return first + batch * strides.batch + head * strides.head + row * strides.row;
  }
};

struct Placement {
  PlacedTensor q, k, v, o;
  std::vector<std::int64_t> buffer_elements;
  // Elements around each tensor's, and each batch item's, that are filled and watched.
  std::int64_t guard = 0;

  // Parts of a buffer with elements of some tensor in them, guards included; ascending, disjoint.
  std::vector<IndexRange> regions(int buffer) const;
};

// Needs can_lie(). Every stride and every `first` is a multiple of 8 elements (16 bytes), as the
// kernels require, when head_dim is.
Placement place(const Problem& problem, MemoryLayout layout);

}  // namespace flashscope::gpu
