// See cuda_backend.h.
#include "gpu/verify/cuda_backend.h"

#include <fmt/format.h>

#include "gpu/device/device_array.h"
#include "gpu/device/device_info.h"

namespace flashscope::gpu {
namespace {

class CudaArray final : public BackendArray {
 public:
  explicit CudaArray(std::size_t bytes) : array_(bytes) {}
  void* data() const override { return array_.data(); }
  std::size_t bytes() const override { return array_.bytes(); }
  void fill(std::uint8_t value, void* stream) override { array_.fill(value, stream); }
  void copy_from(const BackendArray& other, void* stream) override {
    array_.copy_from(static_cast<const CudaArray&>(other).array_, stream);
  }
  void upload(std::span<const std::byte> from, std::size_t offset) override {
    array_.upload(from, offset);
  }
  void download(std::span<std::byte> to, std::size_t offset) const override {
    array_.download(to, offset);
  }

 private:
  DeviceArray array_;
};

class CudaBackend final : public Backend {
 public:
  CudaBackend() : info_(device_info()) {}

  std::string description() const override {
    return fmt::format("{}, CUDA {}", info_.name, info_.runtime);
  }
  DeviceLimits limits() const override {
    return {info_.sm_count, info_.shared_bytes_per_block, info_.l2_bytes};
  }
  std::int64_t free_bytes() const override { return free_device_bytes(); }
  std::unique_ptr<BackendArray> allocate(std::size_t bytes) override {
    return std::make_unique<CudaArray>(bytes);
  }
  void* other_stream() override { return stream_.get(); }
  void attention(const AttentionCall& call, const TraceLogs* trace) override {
    attention_forward(call, trace);
  }
  void wait() override { wait_for_device(); }
  bool is_usable() override { return device_is_usable(); }

 private:
  DeviceInfo info_;
  DeviceStream stream_;
};

}  // namespace

std::unique_ptr<Backend> cuda_backend() { return std::make_unique<CudaBackend>(); }

}  // namespace flashscope::gpu
