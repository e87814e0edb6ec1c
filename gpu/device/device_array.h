// Memory of the GPU, without a CUDA type in the header: arrays that free themselves, copies, fills
// and streams. Everything throws DeviceError (gpu/launch/device.h) with one line when there is no
// device, when its memory runs out, or with what CUDA reports. Left out: which device (the current
// one) and timing (gpu/measure).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace flashscope::gpu {

// A stream of its own (a cudaStream_t that does not wait for the default stream).
class DeviceStream {
 public:
  DeviceStream();
  ~DeviceStream();
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  void* get() const { return stream_; }

 private:
  void* stream_ = nullptr;
};

// Bytes of device memory, aligned to 256. Copies and fills go to `stream` (null: the default
// stream) and may return before they are done; upload() and download() return when they are.
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t bytes);  // not cleared
  ~DeviceArray();
  DeviceArray(DeviceArray&& other) noexcept;
  DeviceArray& operator=(DeviceArray&& other) noexcept;

  void* data() const { return data_; }  // a device pointer; null when empty
  std::size_t bytes() const { return bytes_; }

  void fill(std::uint8_t value, void* stream = nullptr);  // every byte
  void upload(std::span<const std::byte> from, std::size_t offset = 0);
  void download(std::span<std::byte> to, std::size_t offset = 0) const;
  void copy_from(const DeviceArray& other, void* stream = nullptr);  // as many bytes as both have

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

// For arrays of numbers: `std::vector<T>` to and from the device.
template <typename T>
DeviceArray to_device(std::span<const T> values) {
  DeviceArray array(values.size_bytes());
  array.upload(std::as_bytes(values));
  return array;
}
template <typename T>
std::vector<T> from_device(const DeviceArray& array) {
  std::vector<T> values(array.bytes() / sizeof(T));
  array.download(std::as_writable_bytes(std::span(values)));
  return values;
}

// Returns when everything queued on every stream is done. Throws DeviceError with what went
// wrong there.
void wait_for_device();

std::int64_t free_device_bytes();

// Whether the device still answers: after a fault such as an illegal address it does not, for as
// long as the process lives.
bool device_is_usable();

}  // namespace flashscope::gpu
