// Device memory through the CUDA runtime; see device_array.h.
#include "gpu/device/device_array.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpu/launch/cuda_check.h"

namespace flashscope::gpu {
namespace {

cudaStream_t as_stream(void* stream) { return static_cast<cudaStream_t>(stream); }

}  // namespace

DeviceStream::DeviceStream() {
  current_device();  // says more clearly what is missing than the next call would
  cudaStream_t stream = nullptr;
  require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  stream_ = stream;
}

DeviceStream::~DeviceStream() { cudaStreamDestroy(as_stream(stream_)); }

DeviceArray::DeviceArray(std::size_t bytes) : bytes_(bytes) {
  current_device();
  if (bytes == 0) return;
  const cudaError_t error = cudaMalloc(&data_, bytes);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw DeviceError(
        fmt::format("the device has no {} bytes left: make the problem smaller", bytes));
  }
  require_success(error, "allocating device memory");
}

DeviceArray::~DeviceArray() {
  if (data_ != nullptr) cudaFree(data_);
}

DeviceArray::DeviceArray(DeviceArray&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

DeviceArray& DeviceArray::operator=(DeviceArray&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

void DeviceArray::fill(std::uint8_t value, void* stream) {
  if (bytes_ == 0) return;
  require_success(cudaMemsetAsync(data_, value, bytes_, as_stream(stream)),
                  "filling device memory");
}

void DeviceArray::upload(std::span<const std::byte> from, std::size_t offset) {
  if (from.empty()) return;
  require_success(cudaMemcpy(static_cast<std::byte*>(data_) + offset, from.data(), from.size(),
                             cudaMemcpyHostToDevice),
                  "copying to the device");
}

void DeviceArray::download(std::span<std::byte> to, std::size_t offset) const {
  if (to.empty()) return;
  require_success(cudaMemcpy(to.data(), static_cast<const std::byte*>(data_) + offset, to.size(),
                             cudaMemcpyDeviceToHost),
                  "copying from the device");
}

void DeviceArray::copy_from(const DeviceArray& other, void* stream) {
  const std::size_t bytes = std::min(bytes_, other.bytes_);
  if (bytes == 0) return;
  require_success(
      cudaMemcpyAsync(data_, other.data_, bytes, cudaMemcpyDeviceToDevice, as_stream(stream)),
      "copying on the device");
}

void wait_for_device() { require_success(cudaDeviceSynchronize(), "running on the device"); }

std::int64_t free_device_bytes() {
  std::size_t free = 0, total = 0;
  require_success(cudaMemGetInfo(&free, &total), "asking for free device memory");
  return static_cast<std::int64_t>(free);
}

bool device_is_usable() { return cudaDeviceSynchronize() == cudaSuccess; }

}  // namespace flashscope::gpu
