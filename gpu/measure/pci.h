// Which device NVML is asked about.
#pragma once

#include <string>

namespace flashscope::gpu {

// Of the current CUDA device: "0000:0f:00.0". Throws Error without one.
std::string pci_bus_id();

}  // namespace flashscope::gpu
