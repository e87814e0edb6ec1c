// See trial.h.
#include "gpu/verify/trial.h"

#include <atomic>
#include <vector>

#include <fmt/format.h>

#include "sim/machine/threads.h"

namespace flashscope::gpu {
namespace {

// Rows are shared out over the machine's cores; every element depends on its index alone.
TensorView make_tensor(const Trial& trial, const Shape& shape, const Fill& fill,
                       std::uint32_t stream) {
  Tensor tensor(trial.problem.dtype, shape);
  const std::int64_t rows = shape[0] * shape[1] * shape[2];
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    std::vector<float> values(static_cast<std::size_t>(shape[3]));
    for (std::int64_t row = next++; row < rows; row = next++) {
      const std::int64_t head = row / shape[2], b = head / shape[1], h = head % shape[1];
      for (std::int64_t d = 0; d < shape[3]; ++d) {
        values[static_cast<std::size_t>(d)] =
            fill ? static_cast<float>(fill(b, h, row % shape[2], d))
                 : trial.distribution.sample(trial.seed, stream,
                                             static_cast<std::uint64_t>(row * shape[3] + d));
      }
      tensor.write_row(b, h, row % shape[2], values);
    }
  };
  work_on_threads(rows > 256 ? machine_threads() : 1, work);
  return tensor.view();
}

}  // namespace

Trial& Trial::causal() {
  problem.mask.causal = true;
  return *this;
}

Trial& Trial::window(std::int64_t left, std::int64_t right) {
  problem.mask.window_left = left;
  problem.mask.window_right = right;
  return *this;
}

Trial& Trial::scale(double value) {
  problem.scale = value;
  return *this;
}

Trial& Trial::in(MemoryLayout value) {
  layout = value;
  return *this;
}

Trial trial(const Element& element, std::int64_t batch, std::int64_t q_heads, std::int64_t kv_heads,
            std::int64_t q_len, std::int64_t kv_len) {
  Trial result;
  Problem& problem = result.problem;
  problem.batch = batch;
  problem.q_heads = q_heads;
  problem.kv_heads = kv_heads;
  problem.q_len = q_len;
  problem.kv_len = kv_len;
  problem.head_dim = element.head_dim;
  problem.dtype = element.dtype;
  // A call's scale is an fp32 number.
  problem.scale = static_cast<float>(default_scale(element.head_dim));
  return result;
}

Scenario make_scenario(const Trial& trial) {
  const Problem& problem = trial.problem;
  const Shape q{problem.batch, problem.q_heads, problem.q_len, problem.head_dim};
  const Shape kv{problem.batch, problem.kv_heads, problem.kv_len, problem.head_dim};
  return {describe(problem),
          problem,
          {make_tensor(trial, q, trial.q, 0), make_tensor(trial, kv, trial.k, 1),
           make_tensor(trial, kv, trial.v, 2)}};
}

LaunchOptions launch_options(const Trial& trial, const KernelConfig& config) {
  LaunchOptions options;
  options.algorithm = config.algorithm;
  options.q_tile = config.q_tile_rows;
  options.kv_tile = config.kv_tile_rows;
  options.splits = config.algorithm == Algorithm::split_kv ? trial.splits : 0;
  options.with_lse = trial.with_lse;
  options.give_workspace = trial.give_workspace;
  options.on_busy_stream = trial.on_busy_stream;
  return options;
}

std::string describe(const Trial& trial) {
  std::string text = flashscope::describe(trial.problem);
  if (trial.problem.scale != static_cast<float>(default_scale(trial.problem.head_dim))) {
    text += fmt::format(" scale {:g}", trial.problem.scale);
  }
  if (trial.layout != MemoryLayout::bhsd) text += fmt::format(", {}", name_of(trial.layout));
  if (trial.splits > 0) text += fmt::format(", splits {}", trial.splits);
  if (!trial.with_lse) text += ", no LSE";
  if (trial.give_workspace) text += ", workspace given";
  return text;
}

}  // namespace flashscope::gpu
