// Takes the place of the files that call CUDA in a build without it: each function says so.
#include "gpu/launch/device.h"
#include "gpu/measure/cupti.h"
#include "gpu/measure/pci.h"
#include "gpu/measure/repeat.h"
#include "gpu/measure/timing.h"

namespace flashscope::gpu {

Stopwatch::Stopwatch() { current_device(); }
void Stopwatch::flush_l2() { current_device(); }
Spread Stopwatch::time_us(const std::function<void()>&, const TimingOptions&) {
  current_device();
  return {};
}
double Stopwatch::copy_bytes_per_s() {
  current_device();
  return 0;
}

void repeat(DeviceArray&, std::size_t) { current_device(); }

std::string pci_bus_id() {
  current_device();
  return "";
}

std::unique_ptr<Cupti> Cupti::open(std::string* why_not) {
  *why_not = "this build is without CUDA";
  return nullptr;
}

}  // namespace flashscope::gpu
