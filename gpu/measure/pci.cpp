// See pci.h.
#include "gpu/measure/pci.h"

#include <array>
#include <cuda_runtime_api.h>

#include "gpu/launch/cuda_check.h"

namespace flashscope::gpu {

std::string pci_bus_id() {
  int device = 0;
  std::array<char, 32> text = {};
  require_success(cudaGetDevice(&device), "choosing a device");
  require_success(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device),
                  "asking for the device's address");
  return text.data();
}

}  // namespace flashscope::gpu
