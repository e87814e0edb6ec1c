// See workspace_memory.h.
#include "gpu/launch/workspace_memory.h"

#include <cstdint>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "gpu/launch/cuda_check.h"
#include "sim/error.h"

namespace flashscope::gpu {
namespace {

constexpr std::uint64_t kKeptBytes = 64 << 20;
constexpr const char* kNoPool = "no memory pool for a workspace (give one with the call)";

cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;  // the name for device memory
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  require_success(cudaMemPoolCreate(&pool, &properties), kNoPool);
  std::uint64_t kept = kKeptBytes;
  require_success(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), kNoPool);
  return pool;
}

// One for each device, for the life of the process: freeing it would need CUDA, which ends first.
cudaMemPool_t pool_of_current_device() {
  static std::mutex mutex;
  static std::vector<cudaMemPool_t> pools;
  int device = 0;
  require_success(cudaGetDevice(&device), kNoPool);
  const auto index = static_cast<std::size_t>(device);
  const std::lock_guard lock(mutex);
  if (pools.size() <= index) pools.resize(index + 1, nullptr);
  if (pools[index] == nullptr) pools[index] = make_pool(device);
  return pools[index];
}

}  // namespace

WorkspaceMemory::WorkspaceMemory(void* given, std::size_t given_bytes, std::size_t needed_bytes,
                                 cudaStream_t stream)
    : stream_(stream) {
  if (needed_bytes == 0) return;
  if (given == nullptr) {
    require_success(cudaMallocFromPoolAsync(&data_, needed_bytes, pool_of_current_device(), stream),
                    "allocating the workspace");
    is_own_ = true;
    return;
  }
  if (given_bytes < needed_bytes) {
    throw Error(
        fmt::format("workspace_bytes is {}: this call needs {}", given_bytes, needed_bytes));
  }
  if (reinterpret_cast<std::uintptr_t>(given) % 16 != 0) {
    throw Error(fmt::format("workspace is at {}: it must be aligned to 16 bytes", given));
  }
  data_ = given;
}

WorkspaceMemory::~WorkspaceMemory() {
  if (is_own_) cudaFreeAsync(data_, stream_);
}

}  // namespace flashscope::gpu
