// One measurement: an algorithm on a problem, checked first (a wrong kernel is not timed), then
// timed, as a row of a record.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gpu/device/device_info.h"
#include "gpu/launch/plan.h"
#include "gpu/measure/device_problem.h"
#include "gpu/measure/timing.h"
#include "sim/model/record.h"

namespace flashscope::gpu {

// What to run. 0: plan() chooses.
struct Choice {
  Algorithm algorithm = Algorithm::fa2;
  int q_tile = 0, kv_tile = 0, splits = 0;
};

class Bench {
 public:
  // Throws Error without a device.
  Bench();

  const DeviceInfo& device() const { return info_; }
  Stopwatch& stopwatch() { return stopwatch_; }
  // With the copy bandwidth, measured at the first call, and the clock and temperature of now.
  RecordedDevice recorded_device();
  double copy_bytes_per_s();

  // The row as planned, without figures. Throws Error when no kernel takes it.
  RecordRow planned(const DeviceProblem& problem, const Choice& choice) const;
  // Checked and timed; `us` is missing when the result was wrong.
  RecordRow measure(DeviceProblem& problem, const Choice& choice, const TimingOptions& options);
  // L2 emptied, then the call once: what a profiler is pointed at. Waits for the device.
  void run_once(const DeviceProblem& problem, const Choice& choice);
  // `flush` and `call` as functions, workspace included, for whoever repeats them (Cupti).
  void with_call(const DeviceProblem& problem, const Choice& choice,
                 const std::function<void(const std::function<void()>& flush,
                                          const std::function<void()>& call)>& use);

 private:
  AttentionCall call(const DeviceProblem& problem, const Choice& choice) const;

  DeviceInfo info_;
  Stopwatch stopwatch_;
  double copy_bytes_per_s_ = 0;
};

// By the tables' names, and "auto". Throws Error, naming the option, for others.
Algorithm algorithm_of(const std::string& name);

}  // namespace flashscope::gpu
