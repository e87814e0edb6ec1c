// See timing.h.
#include "gpu/measure/timing.h"

#include <algorithm>
#include <cuda_runtime_api.h>
#include <vector>

#include "gpu/launch/cuda_check.h"
#include "gpu/launch/device.h"
#include "gpu/measure/flush_l2.h"
#include "gpu/measure/statistics.h"

namespace flashscope::gpu {
namespace {

// Reading it takes longer than queueing a call, so that the call is there when it is done.
constexpr std::int64_t kLeastFlush = std::int64_t{256} << 20;
constexpr std::int64_t kLargestCopy = std::int64_t{1} << 30;
constexpr double kMicroseconds = 1e3;  // in a millisecond

class Event {
 public:
  Event() { require_success(cudaEventCreate(&event_), "creating an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) {
    require_success(cudaEventRecord(event_, stream), "recording an event");
  }
  double us_since(const Event& begin) const {
    float milliseconds = 0;
    require_success(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "reading the time");
    return static_cast<double>(milliseconds) * kMicroseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

Stopwatch::Stopwatch()
    : flush_buffer_(
          static_cast<std::size_t>(std::max(2 * current_device().l2_bytes, kLeastFlush))) {
  flush_buffer_.fill(0);
  wait_for_device();
}

void Stopwatch::flush_l2() {
  require_success(gpu::flush_l2(flush_buffer_.data(), flush_buffer_.bytes(),
                                static_cast<cudaStream_t>(stream())),
                  "emptying L2");
}

Spread Stopwatch::time_us(const std::function<void()>& call, const TimingOptions& options) {
  const auto stream = static_cast<cudaStream_t>(this->stream());
  for (int i = 0; i < options.warm_ups; ++i) {
    flush_l2();
    call();
  }
  const auto count = static_cast<std::size_t>(std::max(options.repeats, 1));
  std::vector<Event> begins(count), ends(count);
  for (std::size_t i = 0; i < count; ++i) {
    flush_l2();
    begins[i].record(stream);
    call();
    ends[i].record(stream);
  }
  require_success(cudaStreamSynchronize(stream), "running the kernels");
  std::vector<double> us;
  for (std::size_t i = 0; i < count; ++i) us.push_back(ends[i].us_since(begins[i]));
  return spread_of(std::move(us));
}

double Stopwatch::copy_bytes_per_s() {
  const std::int64_t bytes = std::min(kLargestCopy, free_device_bytes() / 4);
  const DeviceArray from(static_cast<std::size_t>(bytes));
  DeviceArray to(static_cast<std::size_t>(bytes));
  const Spread us = time_us([&] { to.copy_from(from, stream()); }, {3, 10});
  return 2 * static_cast<double>(bytes) / (us.median / 1e6);
}

}  // namespace flashscope::gpu
