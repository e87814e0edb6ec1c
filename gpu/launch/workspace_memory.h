// The device memory that one call keeps its intermediate results in.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

namespace flashscope::gpu {

// The caller's workspace, or memory that is allocated and, with this object, freed in the order of
// the stream: it is there for all that is queued in between. Such memory comes from a pool of the
// device that keeps a little of it between calls, so that a decode loop does not ask the system for
// memory at each step.
class WorkspaceMemory {
 public:
  // `given` may be null. Throws Error when it is too small or not aligned to 16 bytes, DeviceError
  // when there is no memory left.
  WorkspaceMemory(void* given, std::size_t given_bytes, std::size_t needed_bytes,
                  cudaStream_t stream);
  ~WorkspaceMemory();
  WorkspaceMemory(const WorkspaceMemory&) = delete;
  WorkspaceMemory& operator=(const WorkspaceMemory&) = delete;

  void* data() const { return data_; }  // null when nothing is needed

 private:
  void* data_ = nullptr;
  bool is_own_ = false;
  cudaStream_t stream_ = nullptr;
};

}  // namespace flashscope::gpu
