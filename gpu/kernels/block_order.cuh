// Which work item a block takes, and where its tensors are.
//
// Blocks start in the order of their number. Two things make a good order, and pull apart: the
// fewer heads run together, the better L2 holds their K and V; and long work items go first, so
// that no long one is left for the end (causal: the last q tiles see most keys), which takes the
// long ones of many heads. gpu/launch/choose.h weighs them. Hence heads in groups of
// `heads_together`, and in a group the q tiles from the last to the first, each for all heads of
// the group.
#pragma once

#include "gpu/kernels/arguments.h"

namespace flashscope::gpu {

struct WorkItem {
  std::int64_t index;  // as the Program counts: head by head, q tile by q tile
  int batch, head;     // a q head
  int q_tile;
};

__device__ __forceinline__ WorkItem q_tile_of_block(const KernelArguments& a, int q_tile_rows) {
  const int q_tiles = (a.q_len + q_tile_rows - 1) / q_tile_rows;
  const int all_heads = a.batch * a.q_heads;
  const int block = static_cast<int>(blockIdx.x);
  const int group = block / (a.heads_together * q_tiles);
  const int first_head = group * a.heads_together;
  const int heads = min(a.heads_together, all_heads - first_head);
  const int in_group = block - first_head * q_tiles;
  const int head = first_head + in_group % heads;
  const int q_tile = q_tiles - 1 - in_group / heads;
  return {static_cast<std::int64_t>(head) * q_tiles + q_tile, head / a.q_heads, head % a.q_heads,
          q_tile};
}

// First elements of one head: q and o of the q head, k and v of the kv head that it reads.
template <typename T>
struct HeadPointers {
  const T* q;
  const T* k;
  const T* v;
  T* o;
  float* lse;  // or null

  __device__ __forceinline__ HeadPointers(const KernelArguments& a, int batch, int head)
      : q(at(a.q, batch, head)),
        k(at(a.k, batch, head / a.group)),
        v(at(a.v, batch, head / a.group)),
        o(at(a.o, batch, head)),
        lse(a.lse == nullptr
                ? nullptr
                : a.lse + (static_cast<std::int64_t>(batch) * a.q_heads + head) * a.q_len) {}

 private:
  static __device__ __forceinline__ T* at(const TensorArgument& x, int batch, int head) {
    return static_cast<T*>(x.data) + batch * x.batch_stride + head * x.head_stride;
  }
};

}  // namespace flashscope::gpu
