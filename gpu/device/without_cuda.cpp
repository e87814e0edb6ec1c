// The same functions in a build without CUDA: each says so, as current_device() does.
#include "gpu/device/device_array.h"
#include "gpu/device/device_info.h"
#include "gpu/launch/device.h"

namespace flashscope::gpu {

DeviceInfo device_info() {
  current_device();
  return {};
}

DeviceStream::DeviceStream() { current_device(); }
DeviceStream::~DeviceStream() = default;

DeviceArray::DeviceArray(std::size_t) { current_device(); }
DeviceArray::~DeviceArray() = default;
DeviceArray::DeviceArray(DeviceArray&&) noexcept {}
DeviceArray& DeviceArray::operator=(DeviceArray&&) noexcept { return *this; }
void DeviceArray::fill(std::uint8_t, void*) { current_device(); }
void DeviceArray::upload(std::span<const std::byte>, std::size_t) { current_device(); }
void DeviceArray::download(std::span<std::byte>, std::size_t) const { current_device(); }
void DeviceArray::copy_from(const DeviceArray&, void*) { current_device(); }

void wait_for_device() { current_device(); }
std::int64_t free_device_bytes() {
  current_device();
  return 0;
}
bool device_is_usable() { return false; }

}  // namespace flashscope::gpu
