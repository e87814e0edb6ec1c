// What the driver's management library (NVML) says about the device's state: clock and temperature
// go with every measurement. The library is looked for when asked; where it is missing, or does not
// answer, there is nothing to read.
#pragma once

#include <optional>
#include <string>

namespace flashscope::gpu {

struct DeviceState {
  std::optional<double> sm_clock_mhz;  // now
  std::optional<double> temperature_c;
  std::optional<double> power_w;
  std::optional<std::string> driver;  // "580.65.06"
};

// pci_bus_id: as CUDA gives it, "0000:0f:00.0".
DeviceState device_state(const std::string& pci_bus_id);

}  // namespace flashscope::gpu
