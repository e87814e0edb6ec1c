// The GPU that is current on the calling thread.
#pragma once

#include "gpu/launch/plan.h"
#include "sim/error.h"

namespace flashscope::gpu {

// The call is right, but this machine or build cannot do it: no CUDA, no device, too old a device,
// or what CUDA reports.
class DeviceError : public Error {
 public:
  using Error::Error;
};

// Asked once per device, then remembered; never waits for the device. Throws DeviceError when there
// is none, or none of compute capability 8.0 or newer.
DeviceLimits current_device();

}  // namespace flashscope::gpu
