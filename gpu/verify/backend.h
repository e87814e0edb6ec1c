// What a verification runs on: memory, streams, and something that computes attention there. The
// GPU with the kernels (cuda_backend.h); in tests host memory with the simulator, which may be told
// to make mistakes, so that the verification itself is verified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "gpu/launch/attention.h"
#include "gpu/launch/plan.h"

namespace flashscope::gpu {

// Bytes at an address of the backend, aligned to 256; freed with the object.
class BackendArray {
 public:
  virtual ~BackendArray() = default;
  virtual void* data() const = 0;
  virtual std::size_t bytes() const = 0;
  // Queued on `stream` (null: the default one); upload() and download() return when they are done,
  // and so does everything queued before on the default stream.
  virtual void fill(std::uint8_t value, void* stream) = 0;
  virtual void copy_from(const BackendArray& other, void* stream) = 0;
  virtual void upload(std::span<const std::byte> from, std::size_t offset) = 0;
  virtual void download(std::span<std::byte> to, std::size_t offset) const = 0;
};

// Everything throws Error: what the backend reports, in one line.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string description() const = 0;  // "NVIDIA H100 80GB HBM3, CUDA 13.0"
  virtual DeviceLimits limits() const = 0;
  virtual std::int64_t free_bytes() const = 0;
  virtual std::unique_ptr<BackendArray> allocate(std::size_t bytes) = 0;
  virtual void* other_stream() = 0;  // not the default stream, and not waiting for it
  virtual void attention(const AttentionCall& call, const TraceLogs* trace) = 0;
  virtual void wait() = 0;  // until all streams are done
  // False once a fault (such as an illegal address) has made every further call fail.
  virtual bool is_usable() = 0;
};

}  // namespace flashscope::gpu
