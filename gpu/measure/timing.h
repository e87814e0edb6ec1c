// How long the device takes for a call: CUDA events on a stream of our own, L2 emptied before every
// timed call, and what is said about a call is a median. Host time does not show, as long as a call
// is queued while the flush before it still runs. Left out: energy, and clocks held fixed; what the
// clock was is noted beside the times (nvml.h).
#pragma once

#include <functional>

#include "gpu/device/device_array.h"
#include "sim/model/record.h"

namespace flashscope::gpu {

struct TimingOptions {
  int warm_ups = 3;
  int repeats = 30;
};

class Stopwatch {
 public:
  // The buffer that is read to empty L2 has at least twice its size. Throws Error without a device.
  Stopwatch();

  void* stream() const { return stream_.get(); }
  void flush_l2();  // queued

  // Microseconds of what `call` queues on stream(). Throws Error with what CUDA reports.
  Spread time_us(const std::function<void()>& call, const TimingOptions& options);

  // Bytes a second of a large device-to-device copy, read and written both counted: the bandwidth
  // that a kernel can hope for.
  double copy_bytes_per_s();

 private:
  DeviceStream stream_;
  DeviceArray flush_buffer_;
};

}  // namespace flashscope::gpu
