// Questions to the CUDA runtime; see device_info.h.
#include "gpu/device/device_info.h"

#include <fmt/format.h>

#include "gpu/launch/cuda_check.h"
#include "gpu/launch/device.h"

namespace flashscope::gpu {
namespace {

// Clocks have left the attributes of some drivers: not knowing one is no failure.
double megahertz(cudaDeviceAttr which, int device) {
  int kilohertz = 0;
  if (cudaDeviceGetAttribute(&kilohertz, which, device) == cudaSuccess) return kilohertz / 1000.0;
  cudaGetLastError();
  return 0;
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

DeviceInfo device_info() {
  const DeviceLimits limits = current_device();
  int device = 0, driver = 0, runtime = 0;
  require_success(cudaGetDevice(&device), "choosing a device");
  cudaDeviceProp properties;
  require_success(cudaGetDeviceProperties(&properties, device), "asking for the device's name");
  DeviceInfo info;
  info.name = properties.name;
  info.compute_major = properties.major;
  info.compute_minor = properties.minor;
  info.sm_count = limits.sm_count;
  info.shared_bytes_per_block = limits.shared_bytes_per_block;
  info.l2_bytes = limits.l2_bytes;
  info.sm_clock_mhz = megahertz(cudaDevAttrClockRate, device);
  info.memory_clock_mhz = megahertz(cudaDevAttrMemoryClockRate, device);
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  info.driver = version_text(driver);
  info.runtime = version_text(runtime);
  return info;
}

}  // namespace flashscope::gpu
