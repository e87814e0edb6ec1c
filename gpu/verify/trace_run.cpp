// See trace_run.h.
#include "gpu/verify/trace_run.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope::gpu {
namespace {

// A log's arrays on the backend.
class DeviceLog {
 public:
  DeviceLog(Backend& backend, PhaseLog log) : backend_(backend), log_(std::move(log)) {
    const std::vector<std::int32_t> no_arrivals(1, 0);
    steps_ = send(log_.steps);
    start_order_ = send(log_.start_order);
    arrivals_ = send(no_arrivals);
    visited_ = send(log_.visited);
    m_ = send(log_.m);
    l_ = send(log_.l);
  }

  TraceLog pointers() const {
    TraceLog log;
    log.steps = address<std::int32_t>(steps_);
    log.start_order = address<std::int32_t>(start_order_);
    log.arrivals = address<std::int32_t>(arrivals_);
    log.visited = address<TraceStep>(visited_);
    if (!log_.m.empty()) {
      log.m = address<float>(m_);
      log.l = address<float>(l_);
    }
    log.max_steps = log_.max_steps;
    log.rows = log_.rows;
    return log;
  }

  PhaseLog fetch() {
    receive(*steps_, log_.steps);
    receive(*start_order_, log_.start_order);
    receive(*visited_, log_.visited);
    receive(*m_, log_.m);
    receive(*l_, log_.l);
    return std::move(log_);
  }

 private:
  template <typename T>
  std::unique_ptr<BackendArray> send(const std::vector<T>& values) {
    // At least one element, so that every pointer is one.
    auto array = backend_.allocate(std::max<std::size_t>(values.size(), 1) * sizeof(T));
    array->upload(std::as_bytes(std::span(values)), 0);
    return array;
  }
  template <typename T>
  static void receive(const BackendArray& array, std::vector<T>& values) {
    array.download(std::as_writable_bytes(std::span(values)), 0);
  }
  template <typename T>
  static T* address(const std::unique_ptr<BackendArray>& array) {
    return static_cast<T*>(array->data());
  }

  Backend& backend_;
  PhaseLog log_;
  std::unique_ptr<BackendArray> steps_, start_order_, arrivals_, visited_, m_, l_;
};

}  // namespace

Plan plan_of(Backend& backend, const Scenario& scenario, const LaunchOptions& options) {
  if (scenario.problem.head_dim != kTracedHeadDim) {
    throw Error(fmt::format("--head-dim {}: traced kernels are built for {} only",
                            scenario.problem.head_dim, kTracedHeadDim));
  }
  const GuardedProblem tensors(backend, scenario, MemoryLayout::bhsd);
  return plan(tensors.call(options), backend.limits());
}

Program program_of(const Scenario& scenario, const Plan& plan) {
  const flashscope::Algorithm table = load_algorithm(name_of(plan.algorithm));
  return Program(scenario.problem, table, tiling_of(plan),
                 default_precision(table, scenario.problem.dtype));
}

Program program_of(Backend& backend, const Scenario& scenario, const LaunchOptions& options) {
  return program_of(scenario, plan_of(backend, scenario, options));
}

std::int64_t log_bytes(const ExpectedTrace& expected) {
  std::int64_t bytes = 0;
  for (const ExpectedPhase& phase : expected.phases) {
    const auto items = static_cast<std::int64_t>(phase.items.size());
    const std::int64_t slots = items * (phase.max_steps + 1);
    bytes += items * 8 + slots * static_cast<std::int64_t>(sizeof(TraceStep));
    if (phase.has_state) bytes += slots * phase.rows * 8;
  }
  return bytes;
}

TraceRun run_traced(Backend& backend, const Scenario& scenario, const LaunchOptions& options,
                    const ExpectedTrace& expected) {
  if (log_bytes(expected) > backend.free_bytes() / 2) {
    throw Error(
        fmt::format("the trace would take {} bytes of device memory, {} are free: make the "
                    "problem smaller",
                    log_bytes(expected), backend.free_bytes()));
  }
  GuardedProblem tensors(backend, scenario, MemoryLayout::bhsd);
  std::vector<DeviceLog> device_logs;
  TraceLogs pointers;
  for (std::size_t phase = 0; phase < expected.phases.size(); ++phase) {
    device_logs.emplace_back(backend, cleared_log(expected.phases[phase]));
    pointers[phase] = device_logs.back().pointers();
  }
  TraceRun run;
  run.result = tensors.run(options, &pointers);
  for (DeviceLog& log : device_logs) run.logs.push_back(log.fetch());
  return run;
}

std::vector<std::int64_t> start_order(const PhaseLog& log) {
  std::vector<std::int64_t> items(log.start_order.size());
  std::iota(items.begin(), items.end(), std::int64_t{0});
  std::stable_sort(items.begin(), items.end(), [&](std::int64_t a, std::int64_t b) {
    return log.start_order[static_cast<std::size_t>(a)] <
           log.start_order[static_cast<std::size_t>(b)];
  });
  return items;
}

}  // namespace flashscope::gpu
