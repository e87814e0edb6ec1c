// Strides and places; see layout.h.
#include "gpu/verify/layout.h"

#include <algorithm>
#include <cassert>

#include "sim/attention/tile_plan.h"

namespace flashscope::gpu {
namespace {

// As much as the largest tile reads at once, so that a kernel that reads or writes a whole tile
// past an end is caught.
constexpr std::int64_t kGuardRows = 256;
constexpr std::int64_t kAlignment = 128;  // elements
constexpr std::int64_t kFar = (std::int64_t{1} << 31) + (std::int64_t{1} << 20);

std::int64_t aligned(std::int64_t elements) { return ceil_div(elements, kAlignment) * kAlignment; }

Strides rows_inner(const Shape& shape, std::int64_t row_padding, std::int64_t head_padding) {
  const std::int64_t row = shape[3] + row_padding;
  const std::int64_t head = shape[2] * row + head_padding;
  return {shape[1] * head, head, row};
}

Strides heads_inner(const Shape& shape, std::int64_t tensors_together) {
  const std::int64_t row = tensors_together * shape[1] * shape[3];
  return {shape[2] * row, shape[3], row};
}

bool is_empty(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n == 0; });
}

// Elements from the first to the last of one batch item, inclusive.
std::int64_t item_extent(const PlacedTensor& tensor) {
  if (is_empty(tensor.shape)) return 0;
  return (tensor.shape[1] - 1) * tensor.strides.head + (tensor.shape[2] - 1) * tensor.strides.row +
         tensor.shape[3];
}

std::int64_t extent(const PlacedTensor& tensor) {
  if (is_empty(tensor.shape)) return 0;
  return (tensor.shape[0] - 1) * tensor.strides.batch + item_extent(tensor);
}

void give_own_buffers(Placement& placement) {
  int buffer = 0;
  for (PlacedTensor* tensor : {&placement.q, &placement.k, &placement.v, &placement.o}) {
    tensor->buffer = buffer++;
    tensor->first = placement.guard;
    placement.buffer_elements.push_back(extent(*tensor) + 2 * placement.guard);
  }
}

// q, k and v in one buffer, k and v `shift` and 2 * shift elements behind q.
void share_buffer(Placement& placement, std::int64_t shift) {
  std::int64_t end = 0;
  std::int64_t place = placement.guard;
  for (PlacedTensor* tensor : {&placement.q, &placement.k, &placement.v}) {
    tensor->first = place;
    end = std::max(end, place + extent(*tensor));
    place += shift;
  }
  placement.o.buffer = 1;
  placement.o.first = placement.guard;
  placement.buffer_elements = {end + placement.guard, extent(placement.o) + 2 * placement.guard};
}

}  // namespace

std::string_view name_of(MemoryLayout layout) {
  switch (layout) {
    case MemoryLayout::bhsd:
      return "bhsd";
    case MemoryLayout::bshd:
      return "bshd";
    case MemoryLayout::packed:
      return "packed (b,s,3,h,d)";
    case MemoryLayout::padded:
      return "padded rows";
    case MemoryLayout::far_apart:
      return "batch items 2^31 elements apart";
  }
  return "?";
}

bool can_lie(const Problem& problem, MemoryLayout layout) {
  return layout != MemoryLayout::packed ||
         (problem.q_len == problem.kv_len && problem.q_heads == problem.kv_heads);
}

std::vector<IndexRange> Placement::regions(int buffer) const {
  std::vector<IndexRange> found;
  for (const PlacedTensor* tensor : {&q, &k, &v, &o}) {
    if (tensor->buffer != buffer) continue;
    const std::int64_t items = is_empty(tensor->shape) ? 1 : tensor->shape[0];
    for (std::int64_t b = 0; b < items; ++b) {
      const std::int64_t begin = tensor->first + b * tensor->strides.batch;
      found.push_back({begin - guard, begin + item_extent(*tensor) + guard});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const IndexRange& a, const IndexRange& b) { return a.begin < b.begin; });
  std::vector<IndexRange> joined;
  for (const IndexRange& range : found) {
    if (!joined.empty() && range.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

Placement place(const Problem& problem, MemoryLayout layout) {
  assert(can_lie(problem, layout));
  Placement placement;
  const Shape q_shape{problem.batch, problem.q_heads, problem.q_len, problem.head_dim};
  const Shape kv_shape{problem.batch, problem.kv_heads, problem.kv_len, problem.head_dim};
  placement.q.shape = placement.o.shape = q_shape;
  placement.k.shape = placement.v.shape = kv_shape;
  std::int64_t padding = 8;
  std::int64_t longest_row = problem.head_dim;
  for (PlacedTensor* tensor : {&placement.q, &placement.k, &placement.v, &placement.o}) {
    const bool is_input = tensor != &placement.o;
    switch (layout) {
      case MemoryLayout::bhsd:
        tensor->strides = rows_inner(tensor->shape, 0, 0);
        break;
      case MemoryLayout::bshd:
        tensor->strides = heads_inner(tensor->shape, 1);
        break;
      case MemoryLayout::packed:
        tensor->strides = heads_inner(tensor->shape, is_input ? 3 : 1);
        break;
      case MemoryLayout::padded:
        tensor->strides = rows_inner(tensor->shape, padding, 3 * padding);
        padding += 8;
        break;
      case MemoryLayout::far_apart:
        tensor->strides = rows_inner(tensor->shape, 0, 0);
        tensor->strides.batch = kFar;
        break;
    }
    longest_row = std::max(longest_row, tensor->strides.row);
  }
  placement.guard = aligned(kGuardRows * longest_row);
  if (layout == MemoryLayout::packed) {
    share_buffer(placement, problem.q_heads * problem.head_dim);
  } else if (layout == MemoryLayout::far_apart) {
    share_buffer(placement, aligned(std::max(item_extent(placement.q), item_extent(placement.k))) +
                                2 * placement.guard);
  } else {
    give_own_buffers(placement);
  }
  return placement;
}

}  // namespace flashscope::gpu
