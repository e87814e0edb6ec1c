// The limits of the current device, by the CUDA runtime.
#include "gpu/launch/device.h"

#include <cuda_runtime_api.h>
#include <mutex>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "gpu/launch/cuda_check.h"

namespace flashscope::gpu {
namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  require_success(cudaDeviceGetAttribute(&value, which, device), "asking for the device's limits");
  return value;
}

DeviceLimits limits_of(int device) {
  const int major = attribute(cudaDevAttrComputeCapabilityMajor, device);
  if (major < 8) {
    throw DeviceError(
        fmt::format("device {} has compute capability {}.{}: the kernels need 8.0 (an "
                    "A100) or newer",
                    device, major, attribute(cudaDevAttrComputeCapabilityMinor, device)));
  }
  DeviceLimits limits;
  limits.sm_count = attribute(cudaDevAttrMultiProcessorCount, device);
  limits.shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  limits.l2_bytes = attribute(cudaDevAttrL2CacheSize, device);
  return limits;
}

// The first call into CUDA: this is where a missing driver or device shows.
int current_device_number() {
  int device = 0;
  const cudaError_t answer = cudaGetDevice(&device);
  if (answer == cudaErrorInsufficientDriver) {
    cudaGetLastError();
    int driver = 0, runtime = 0;  // 1000 * major + 10 * minor; 0: no driver at all
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
      throw DeviceError("there is no GPU to run on: this machine has no NVIDIA driver");
    }
    cudaRuntimeGetVersion(&runtime);
    throw DeviceError(
        fmt::format("the NVIDIA driver knows CUDA {}.{}, but this is built with CUDA "
                    "{}.{}: install a newer driver",
                    driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10));
  }
  require_success(answer, "there is no GPU to run on");
  return device;
}

}  // namespace

DeviceLimits current_device() {
  static std::mutex mutex;
  static std::vector<std::optional<DeviceLimits>> known;
  const auto device = static_cast<std::size_t>(current_device_number());
  const std::lock_guard lock(mutex);
  if (known.size() <= device) known.resize(device + 1);
  if (!known[device]) known[device] = limits_of(static_cast<int>(device));
  return *known[device];
}

}  // namespace flashscope::gpu
