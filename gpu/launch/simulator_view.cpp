// A call and its plan as the simulator sees them.
#include "gpu/launch/plan.h"

namespace flashscope::gpu {

Problem problem_of(const AttentionCall& call) {
  Problem problem;
  problem.batch = call.batch;
  problem.q_heads = call.q_heads;
  problem.kv_heads = call.kv_heads;
  problem.q_len = call.q_len;
  problem.kv_len = call.kv_len;
  problem.head_dim = call.head_dim;
  problem.scale = call.scale;
  problem.mask.causal = call.causal;
  problem.mask.window_left = call.window_left;
  problem.mask.window_right = call.window_right;
  problem.dtype = call.dtype;
  return problem;
}

Tiling tiling_of(const Plan& plan) {
  Tiling tiling;
  tiling.q_tile_rows = plan.config.q_tile_rows;
  tiling.kv_tile_rows = plan.config.kv_tile_rows;
  tiling.splits = plan.splits;
  tiling.pack_gqa = plan.pack_gqa;
  tiling.kv_order = KvOrder::ascending;
  return tiling;
}

}  // namespace flashscope::gpu
