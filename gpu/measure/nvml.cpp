// NVML through dlopen, with the few declarations that are needed of its (stable) interface.
#include "gpu/measure/nvml.h"

#include <array>
#include <dlfcn.h>

namespace flashscope::gpu {
namespace {

using Handle = void*;  // nvmlDevice_t
constexpr int kSuccess = 0, kSmClock = 1, kGpuSensor = 0;
constexpr unsigned kVersionBytes = 96;

class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    ready_ = library_ != nullptr && call<int()>("nvmlInit_v2");
  }
  ~Nvml() {
    if (ready_) call<int()>("nvmlShutdown");
    if (library_ != nullptr) dlclose(library_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Whether the function is there and returns success.
  template <typename Signature, typename... Arguments>
  bool call(const char* name, Arguments... arguments) {
    if (library_ == nullptr) return false;
    auto* const function = reinterpret_cast<Signature*>(dlsym(library_, name));
    return function != nullptr && function(arguments...) == kSuccess;
  }
  bool ready() const { return ready_; }

 private:
  void* library_;
  bool ready_ = false;
};

}  // namespace

DeviceState device_state(const std::string& pci_bus_id) {
  DeviceState state;
  Nvml nvml;
  if (!nvml.ready()) return state;
  std::array<char, kVersionBytes> version = {};
  if (nvml.call<int(char*, unsigned)>("nvmlSystemGetDriverVersion", version.data(),
                                      kVersionBytes - 1)) {
    state.driver = version.data();
  }
  Handle device = nullptr;
  if (!nvml.call<int(const char*, Handle*)>("nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str(),
                                            &device)) {
    return state;
  }
  unsigned value = 0;
  if (nvml.call<int(Handle, int, unsigned*)>("nvmlDeviceGetClockInfo", device, kSmClock, &value)) {
    state.sm_clock_mhz = value;
  }
  if (nvml.call<int(Handle, int, unsigned*)>("nvmlDeviceGetTemperature", device, kGpuSensor,
                                             &value)) {
    state.temperature_c = value;
  }
  if (nvml.call<int(Handle, unsigned*)>("nvmlDeviceGetPowerUsage", device, &value)) {
    state.power_w = value / 1000.0;
  }
  return state;
}

}  // namespace flashscope::gpu
