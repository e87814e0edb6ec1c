// From a checked and planned call to queued kernels.
#include "gpu/launch/attention.h"

#include <algorithm>
#include <cuda_runtime_api.h>

#include <fmt/format.h>

#include "gpu/kernels/arguments.h"
#include "gpu/kernels/registry.h"
#include "gpu/launch/check.h"
#include "gpu/launch/choose.h"
#include "gpu/launch/cuda_check.h"
#include "gpu/launch/device.h"
#include "gpu/launch/plan.h"
#include "gpu/launch/workspace_memory.h"
#include "sim/error.h"

namespace flashscope::gpu {
namespace {

TensorArgument tensor(const void* data, const Strides& strides) {
  return {const_cast<void*>(data), strides.batch, strides.head, strides.row};
}

KernelArguments arguments_of(const AttentionCall& call, const Plan& plan,
                             const DeviceLimits& device) {
  const auto narrow = [](std::int64_t x) { return static_cast<std::int32_t>(x); };  // checked
  KernelArguments a = {};
  a.q = tensor(call.q, call.q_stride);
  a.k = tensor(call.k, call.k_stride);
  a.v = tensor(call.v, call.v_stride);
  a.o = tensor(call.o, call.o_stride);
  a.lse = call.lse;
  a.batch = narrow(call.batch);
  a.q_heads = narrow(call.q_heads);
  a.kv_heads = narrow(call.kv_heads);
  a.group = narrow(call.q_heads / call.kv_heads);
  a.q_len = narrow(call.q_len);
  a.kv_len = narrow(call.kv_len);
  a.band = make_band(call.q_len, call.kv_len, call.causal, call.window_left, call.window_right);
  a.scale = call.scale;
  a.heads_together = narrow(choose_heads_together(call, plan.config.q_tile_rows, device));
  a.splits = plan.splits;
  a.pack_gqa = plan.pack_gqa ? 1 : 0;
  return a;
}

}  // namespace

void attention_forward(const AttentionCall& call, const TraceLogs* trace) {
  check_call(call);
  if (is_empty(call)) return;
  const DeviceLimits device = current_device();
  const Plan plan = gpu::plan(call, device);
  const KernelEntry* kernel = find_kernel(plan.config, call.dtype, trace != nullptr);
  if (kernel == nullptr) {  // only traced ones are not compiled for every config
    throw Error(fmt::format("head_dim is {}: traced kernels exist for {} only", call.head_dim,
                            kTracedHeadDim));
  }
  KernelArguments arguments = arguments_of(call, plan, device);
  if (trace != nullptr) std::copy(trace->begin(), trace->end(), arguments.trace);

  require_success(cudaPeekAtLastError(), "an earlier CUDA call of this thread failed");
  const auto stream = static_cast<cudaStream_t>(call.stream);
  const WorkspaceMemory workspace(call.workspace, call.workspace_bytes, plan.workspace_bytes,
                                  stream);
  arguments.workspace = workspace.data();
  require_success(kernel->launch(arguments, stream), name_of(plan.algorithm));
}

}  // namespace flashscope::gpu
