// The C ABI: the struct into an AttentionCall, exceptions into numbers and a line.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "gpu/launch/attention.h"
#include "gpu/launch/check.h"
#include "gpu/launch/device.h"
#include "gpu/launch/flashscope_gpu.h"
#include "gpu/launch/plan.h"
#include "sim/error.h"

namespace flashscope::gpu {
namespace {

// The sizes that the struct has had, from the first.
constexpr std::size_t kFirstBytes = offsetof(flashscope_attention, workspace);
constexpr std::size_t kBytes = sizeof(flashscope_attention);

flashscope_attention read_struct(const flashscope_attention* attention) {
  if (attention == nullptr) throw Error("attention is a null pointer");
  flashscope_attention fields = {};
  std::memcpy(&fields.struct_bytes, attention, sizeof fields.struct_bytes);
  const std::size_t bytes = fields.struct_bytes;
  if (bytes != kFirstBytes && bytes != kBytes) {
    throw Error("struct_bytes is " + std::to_string(bytes) + ": this library's struct has " +
                std::to_string(kBytes) + " bytes, or " + std::to_string(kFirstBytes) +
                " without the workspace; set it to sizeof(struct flashscope_attention)");
  }
  std::memcpy(&fields, attention, bytes);
  return fields;
}

Strides strides_of(const std::int64_t (&stride)[3]) { return {stride[0], stride[1], stride[2]}; }

Format format_of(std::int32_t dtype) {
  if (dtype == FLASHSCOPE_FP16) return Format::fp16;
  if (dtype == FLASHSCOPE_BF16) return Format::bf16;
  throw Error("dtype is " + std::to_string(dtype) + ": it must be 0 (fp16) or 1 (bf16)");
}

AttentionCall call_of(const flashscope_attention& a) {
  AttentionCall call;
  call.dtype = format_of(a.dtype);
  call.q = a.q;
  call.k = a.k;
  call.v = a.v;
  call.o = a.o;
  call.lse = a.lse;
  call.batch = a.batch;
  call.q_heads = a.q_heads;
  call.kv_heads = a.kv_heads;
  call.q_len = a.q_len;
  call.kv_len = a.kv_len;
  call.head_dim = a.head_dim;
  call.q_stride = strides_of(a.q_stride);
  call.k_stride = strides_of(a.k_stride);
  call.v_stride = strides_of(a.v_stride);
  call.o_stride = strides_of(a.o_stride);
  call.scale = a.scale;
  call.causal = a.causal != 0;
  call.window_left = a.window_left;
  call.window_right = a.window_right;
  call.algorithm = static_cast<Algorithm>(a.algorithm);
  call.q_tile = a.q_tile;
  call.kv_tile = a.kv_tile;
  call.splits = a.splits;
  call.stream = a.stream;
  call.workspace = a.workspace;
  call.workspace_bytes = static_cast<std::size_t>(a.workspace_bytes);
  return call;
}

void write_message(std::string_view message, char* error, std::size_t error_size) noexcept {
  if (error == nullptr || error_size == 0) return;
  const std::size_t length = std::min(message.size(), error_size - 1);
  std::memcpy(error, message.data(), length);
  error[length] = '\0';
}

// Runs `work`; nothing that it throws gets out.
template <typename Work>
int guarded(char* error, std::size_t error_size, Work work) noexcept {
  write_message("", error, error_size);
  try {
    work();
    return FLASHSCOPE_OK;
  } catch (const DeviceError& e) {
    write_message(e.what(), error, error_size);
    return FLASHSCOPE_DEVICE_ERROR;
  } catch (const std::bad_alloc&) {
    write_message("the host has no memory left", error, error_size);
    return FLASHSCOPE_NO_MEMORY;
  } catch (const std::exception& e) {
    write_message(e.what(), error, error_size);
    return FLASHSCOPE_BAD_CALL;
  }
}

}  // namespace
}  // namespace flashscope::gpu

using namespace flashscope::gpu;

int flashscope_attention_forward(const flashscope_attention* attention, char* error,
                                 size_t error_size) {
  return guarded(error, error_size, [&] { attention_forward(call_of(read_struct(attention))); });
}

int flashscope_attention_workspace_bytes(const flashscope_attention* attention, uint64_t* bytes,
                                         char* error, size_t error_size) {
  return guarded(error, error_size, [&] {
    const AttentionCall call = call_of(read_struct(attention));
    if (bytes == nullptr) throw flashscope::Error("bytes is a null pointer");
    check_call(call);
    *bytes = is_empty(call) ? 0 : plan(call, current_device()).workspace_bytes;
  });
}

const char* flashscope_gpu_version() { return FLASHSCOPE_GPU_VERSION; }
