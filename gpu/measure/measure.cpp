// See measure.h.
#include "gpu/measure/measure.h"

#include <fmt/format.h>

#include "gpu/launch/device.h"
#include "gpu/measure/nvml.h"
#include "gpu/measure/pci.h"
#include "sim/error.h"
#include "sim/expression/nearest_name.h"

namespace flashscope::gpu {

Bench::Bench() : info_(device_info()) {}

double Bench::copy_bytes_per_s() {
  if (copy_bytes_per_s_ == 0) copy_bytes_per_s_ = stopwatch_.copy_bytes_per_s();
  return copy_bytes_per_s_;
}

RecordedDevice Bench::recorded_device() {
  const DeviceState state = device_state(pci_bus_id());
  RecordedDevice device;
  device.name = info_.name;
  device.compute_capability = fmt::format("{}.{}", info_.compute_major, info_.compute_minor);
  device.driver = state.driver.value_or("CUDA " + info_.driver);
  device.runtime = "CUDA " + info_.runtime;
  device.sm_count = info_.sm_count;
  device.l2_bytes = info_.l2_bytes;
  device.memory_bytes = info_.memory_bytes;
  device.copy_bytes_per_s = copy_bytes_per_s();
  device.sm_clock_mhz = state.sm_clock_mhz;
  device.temperature_c = state.temperature_c;
  return device;
}

AttentionCall Bench::call(const DeviceProblem& problem, const Choice& choice) const {
  AttentionCall call = problem.call(choice.algorithm, stopwatch_.stream());
  call.q_tile = choice.q_tile;
  call.kv_tile = choice.kv_tile;
  call.splits = choice.splits;
  return call;
}

RecordRow Bench::planned(const DeviceProblem& problem, const Choice& choice) const {
  const Plan plan = gpu::plan(call(problem, choice), current_device());
  RecordRow row;
  row.algorithm = name_of(plan.algorithm);
  row.problem = problem.problem();
  row.tiling = tiling_of(plan);
  row.warps = plan.config.warps;
  row.stages = plan.config.stages;
  return row;
}

void Bench::with_call(
    const DeviceProblem& problem, const Choice& choice,
    const std::function<void(const std::function<void()>&, const std::function<void()>&)>& use) {
  AttentionCall call = this->call(problem, choice);
  const DeviceArray workspace(gpu::plan(call, current_device()).workspace_bytes);
  call.workspace = workspace.data();
  call.workspace_bytes = workspace.bytes();
  use([this] { stopwatch_.flush_l2(); }, [&call] { attention_forward(call); });
  wait_for_device();  // before the workspace is freed
}

RecordRow Bench::measure(DeviceProblem& problem, const Choice& choice,
                         const TimingOptions& options) {
  RecordRow row = planned(problem, choice);
  problem.spoil_output();
  with_call(problem, choice, [&](const std::function<void()>&, const std::function<void()>& call) {
    call();
    const Accuracy accuracy = problem.accuracy();
    row.max_abs_error = accuracy.max_abs_error;
    row.tolerance = accuracy.tolerance;
    if (accuracy.right()) row.us = stopwatch_.time_us(call, options);
  });
  return row;
}

void Bench::run_once(const DeviceProblem& problem, const Choice& choice) {
  with_call(problem, choice,
            [](const std::function<void()>& flush, const std::function<void()>& call) {
              flush();
              call();
            });
}

Algorithm algorithm_of(const std::string& name) {
  if (name == "auto") return Algorithm::automatic;
  std::vector<std::string> names = {"auto"};
  for (const Algorithm algorithm :
       {Algorithm::standard, Algorithm::fa1, Algorithm::fa2, Algorithm::split_kv}) {
    if (name == name_of(algorithm)) return algorithm;
    names.emplace_back(name_of(algorithm));
  }
  throw Error(fmt::format("--algorithm '{}': there is no kernel of that name: {}", name,
                          nearest_name(name, names)));
}

}  // namespace flashscope::gpu
