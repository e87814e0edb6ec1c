// What one asks about the GPU at hand: for reports and records of measurements, and for planning.
#pragma once

#include <cstdint>
#include <string>

namespace flashscope::gpu {

struct DeviceInfo {
  std::string name;                          // "NVIDIA H100 80GB HBM3"
  int compute_major = 0, compute_minor = 0;  // 9, 0
  int sm_count = 0;
  std::int64_t shared_bytes_per_block = 0;  // with opting in
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;  // free ones: free_device_bytes() of device_array.h
  double sm_clock_mhz = 0, memory_clock_mhz = 0;  // the highest; 0 where the driver does not say
  std::string driver, runtime;                    // CUDA versions: "13.0"
};

// Of the current device. Throws DeviceError (gpu/launch/device.h) when there is none.
DeviceInfo device_info();

}  // namespace flashscope::gpu
