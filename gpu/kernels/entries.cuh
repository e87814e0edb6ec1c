// From the rows of kKernelConfigs to compiled kernels: what each file that CMake writes (from
// entries.cu.in) consists of. A Family stands for one algorithm's kernel:
//
//   Family::Shape<T, kHeadDim, kQTile, kKvTile, kWarps, kStages, kTraced>   its parameters as a
//   type Family::launch<Shape>(arguments, stream)                                queues it
#pragma once

#include <cstddef>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <utility>
#include <vector>

#include "gpu/kernels/registry.h"
#include "gpu/kernels/shared_bytes.h"
#include "gpu/kernels/trace_log.h"

namespace flashscope::gpu {

template <typename Family, std::size_t kRow, typename T, bool kTraced>
KernelEntry make_entry(Format dtype) {
  constexpr KernelConfig c = kKernelConfigs[kRow];
  using Shape = typename Family::template Shape<T, c.head_dim, c.q_tile_rows, c.kv_tile_rows,
                                                c.warps, c.stages, kTraced>;
  static_assert(Shape::kSharedBytes == shared_bytes(c),
                "shared_bytes.h has another figure for this kernel");
  return {c, dtype, kTraced, &Family::template launch<Shape>};
}

template <typename Family, Algorithm kAlgorithm, int kHeadDim, std::size_t kRow>
void add_entries(std::vector<KernelEntry>& entries) {
  constexpr KernelConfig c = kKernelConfigs[kRow];
  if constexpr (c.algorithm == kAlgorithm && c.head_dim == kHeadDim) {
    entries.push_back(make_entry<Family, kRow, __half, false>(Format::fp16));
    entries.push_back(make_entry<Family, kRow, __nv_bfloat16, false>(Format::bf16));
    if constexpr (kHeadDim == kTracedHeadDim) {
      entries.push_back(make_entry<Family, kRow, __half, true>(Format::fp16));
      entries.push_back(make_entry<Family, kRow, __nv_bfloat16, true>(Format::bf16));
    }
  }
}

template <typename Family, Algorithm kAlgorithm, int kHeadDim>
std::span<const KernelEntry> entries_of() {
  static const std::vector<KernelEntry> entries = [] {
    std::vector<KernelEntry> all;
    [&]<std::size_t... kRows>(std::index_sequence<kRows...>) {
      (add_entries<Family, kAlgorithm, kHeadDim, kRows>(all), ...);
    }
    (std::make_index_sequence<kKernelConfigs.size()>());
    return all;
  }();
  return entries;
}

}  // namespace flashscope::gpu
