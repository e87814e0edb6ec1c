// Scenarios that need no file; see scenario.h.
#include "sim/scenario/scenario.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "sim/machine/numerics.h"
#include "sim/machine/threads.h"

namespace flashscope {
namespace {

constexpr std::uint32_t kStreamQ = 0, kStreamK = 1, kStreamV = 2;

Tensor from_rows(const std::vector<std::vector<float>>& rows) {
  Tensor tensor(Format::fp32, {1, 1, static_cast<std::int64_t>(rows.size()),
                               static_cast<std::int64_t>(rows[0].size())});
  for (std::size_t r = 0; r < rows.size(); ++r) {
    tensor.write_row(0, 0, static_cast<std::int64_t>(r), rows[r]);
  }
  return tensor;
}

// Rows are shared out over the machine's cores; every element depends on its index alone.
Tensor generate(const Shape& shape, std::uint64_t seed, std::uint32_t stream,
                const Distribution& distribution) {
  Tensor tensor(Format::fp32, shape);
  const std::int64_t rows = shape[0] * shape[1] * shape[2];
  std::atomic<std::int64_t> next = 0;
  const auto fill = [&] {
    std::vector<float> values(static_cast<std::size_t>(shape[3]));
    for (std::int64_t row = next++; row < rows; row = next++) {
      for (std::size_t c = 0; c < values.size(); ++c) {
        values[c] =
            distribution.sample(seed, stream, static_cast<std::uint64_t>(row * shape[3]) + c);
      }
      const std::int64_t head = row / shape[2];
      tensor.write_row(head / shape[1], head % shape[1], row % shape[2], values);
    }
  };
  work_on_threads(static_cast<int>(std::min<std::int64_t>(machine_threads(), rows / 256 + 1)),
                  fill);
  return tensor;
}

reference::RowReader row_reader(TensorView view, Format input, ReferenceInput which) {
  return [view, input, which](std::int64_t b, std::int64_t h, std::int64_t row, double* out) {
    thread_local std::vector<float> values;
    values.resize(static_cast<std::size_t>(view.shape[3]));
    view.read_row(b, h, row, values);
    if (which == ReferenceInput::rounded) round_in_place(input, values);
    std::copy(values.begin(), values.end(), out);
  };
}

}  // namespace

Scenario pencil_scenario() {
  Scenario scenario;
  scenario.title = "pencil";
  Problem& problem = scenario.problem;
  problem.q_len = problem.kv_len = 4;
  problem.head_dim = 2;
  problem.scale = 1;
  problem.dtype = Format::fp32;
  scenario.inputs = {from_rows({{1, 0}, {0, 1}, {1, 1}, {1, -1}}).view(),
                     from_rows({{1, 2}, {0, 1}, {3, 0}, {2, 1}}).view(),
                     from_rows({{1, 0}, {0, 1}, {2, 0}, {0, 2}}).view()};
  return scenario;
}

Scenario generated_scenario(const Problem& problem, std::uint64_t seed,
                            const Distribution& distribution) {
  validate(problem);
  const Shape q{problem.batch, problem.q_heads, problem.q_len, problem.head_dim};
  const Shape kv{problem.batch, problem.kv_heads, problem.kv_len, problem.head_dim};
  return {"generated",
          problem,
          {generate(q, seed, kStreamQ, distribution).view(),
           generate(kv, seed, kStreamK, distribution).view(),
           generate(kv, seed, kStreamV, distribution).view()}};
}

reference::Inputs reference_inputs(const Scenario& scenario, Format input, ReferenceInput which) {
  return {row_reader(scenario.inputs.q, input, which), row_reader(scenario.inputs.k, input, which),
          row_reader(scenario.inputs.v, input, which)};
}

}  // namespace flashscope
