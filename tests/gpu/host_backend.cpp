// See host_backend.h. A stream is a list of things to do at the next wait().
#include "host_backend.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "gpu/verify/trace_run.h"
#include "sim/attention/faults.h"
#include "sim/error.h"
#include "sim/machine/numerics.h"
#include "sim/machine/runner.h"

namespace flashscope::test {
namespace {

using gpu::AttentionCall;
using gpu::BackendArray;

using Todo = std::vector<std::function<void()>>;

class HostArray final : public BackendArray {
 public:
  HostArray(std::size_t bytes, Todo& todo)
      : bytes_((bytes + 255) / 256 * 256), size_(bytes), todo_(todo) {
    data_ = static_cast<std::byte*>(std::aligned_alloc(256, std::max<std::size_t>(bytes_, 256)));
  }
  ~HostArray() override { std::free(data_); }
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;

  void* data() const override { return data_; }
  std::size_t bytes() const override { return size_; }
  void fill(std::uint8_t value, void* stream) override {
    queue(stream, [this, value] { std::memset(data_, value, size_); });
  }
  void copy_from(const BackendArray& other, void* stream) override {
    queue(stream, [this, from = other.data(), n = std::min(size_, other.bytes())] {
      std::memcpy(data_, from, n);
    });
  }
  void upload(std::span<const std::byte> from, std::size_t offset) override {
    std::copy(from.begin(), from.end(), data_ + offset);
  }
  void download(std::span<std::byte> to, std::size_t offset) const override {
    std::copy_n(data_ + offset, to.size(), to.begin());
  }

 private:
  void queue(void* stream, std::function<void()> work) {
    if (stream == nullptr) {
      work();
    } else {
      todo_.push_back(std::move(work));
    }
  }
  std::size_t bytes_, size_;
  Todo& todo_;
  std::byte* data_;
};

TensorView view(const void* data, const gpu::Strides& strides, const AttentionCall& call,
                std::int64_t heads, std::int64_t rows) {
  return {static_cast<const std::byte*>(data),
          call.dtype,
          {call.batch, heads, rows, call.head_dim},
          {strides.batch, strides.head, strides.row, 1},
          nullptr};
}

Program program_of(const AttentionCall& call, const gpu::Plan& plan, const std::string& fault) {
  Algorithm table = load_algorithm(gpu::name_of(plan.algorithm));
  if (!fault.empty()) apply_fault(table, fault);
  const Precision precision = default_precision(table, call.dtype);
  return Program(gpu::problem_of(call), table, gpu::tiling_of(plan), precision);
}

class HostBackend final : public gpu::Backend {
 public:
  explicit HostBackend(Mistakes mistakes) : mistakes_(std::move(mistakes)) {}

  std::string description() const override { return "the simulator"; }
  gpu::DeviceLimits limits() const override { return {}; }
  std::int64_t free_bytes() const override { return std::int64_t{1} << 30; }
  std::unique_ptr<BackendArray> allocate(std::size_t bytes) override {
    return std::make_unique<HostArray>(bytes, todo_);
  }
  void* other_stream() override { return this; }
  bool is_usable() override { return true; }

  void wait() override {
    for (const auto& work : todo_) work();
    todo_.clear();
  }

  void attention(const AttentionCall& call, const gpu::TraceLogs* trace) override {
    gpu::Plan plan;
    try {
      plan = gpu::plan(call, limits());
    } catch (const Error&) {
      if (mistakes_.takes_everything) return;
      throw;
    }
    if (call.workspace != nullptr && call.workspace_bytes < plan.workspace_bytes) {
      throw Error("workspace_bytes is " + std::to_string(call.workspace_bytes) + ": too few");
    }
    if (call.batch == 0 || call.q_len == 0) return;
    const auto work = [this, call, plan] { compute(call, plan); };
    if (call.stream == nullptr || mistakes_.ignores_the_stream) {
      work();
    } else {
      todo_.push_back(work);
    }
    if (trace != nullptr) write_trace(call, plan, *trace);
  }

 private:
  Scenario scenario_of(const AttentionCall& call) const {
    return {"",
            gpu::problem_of(call),
            {view(call.q, call.q_stride, call, call.q_heads, call.q_len),
             view(call.k, call.k_stride, call, call.kv_heads, call.kv_len),
             view(call.v, call.v_stride, call, call.kv_heads, call.kv_len)}};
  }

  void compute(AttentionCall call, const gpu::Plan& plan) {
    if (mistakes_.reads_behind_v) ++call.kv_len;
    const Scenario scenario = scenario_of(call);
    const Program program = program_of(call, plan, mistakes_.fault);
    Outputs outputs = make_outputs(scenario.problem, program.precision());
    RunOptions options;
    options.threads = 1;
    run(program, scenario.inputs, outputs, options);
    std::vector<float> row(static_cast<std::size_t>(call.head_dim));
    auto* const o = static_cast<std::uint16_t*>(call.o);
    for (std::int64_t b = 0; b < call.batch; ++b) {
      for (std::int64_t h = 0; h < call.q_heads; ++h) {
        for (std::int64_t r = 0; r < call.q_len; ++r) {
          outputs.o.read_row(b, h, r, row);
          std::uint16_t* const to =
              o + b * call.o_stride.batch + h * call.o_stride.head + r * call.o_stride.row;
          encode(call.dtype, row, reinterpret_cast<std::byte*>(to));
          const std::int64_t at = (b * call.q_heads + h) * call.q_len + r;
          if (call.lse != nullptr) call.lse[at] = outputs.lse.at(b, h, r, 0);
        }
      }
    }
    spoil(call, plan);
  }

  void spoil(const AttentionCall& call, const gpu::Plan& plan) {
    auto* const o = static_cast<std::uint16_t*>(call.o);
    if (mistakes_.other_bits_each_call) o[0] = static_cast<std::uint16_t>(o[0] ^ (calls_++ & 1));
    if (mistakes_.writes_behind_o) {
      o[(call.batch - 1) * call.o_stride.batch + (call.q_heads - 1) * call.o_stride.head +
        (call.q_len - 1) * call.o_stride.row + call.head_dim + 3] = 0;
    }
    if (mistakes_.writes_before_lse && call.lse != nullptr) call.lse[-1] = 0;
    if (mistakes_.writes_into_q) {
      auto* const q = static_cast<std::uint16_t*>(const_cast<void*>(call.q));
      q[0] = static_cast<std::uint16_t>(q[0] ^ 1);
    }
    if (mistakes_.writes_behind_workspace && call.workspace != nullptr) {
      static_cast<std::byte*>(call.workspace)[plan.workspace_bytes + 40] = std::byte{0};
    }
  }

  void write_trace(const AttentionCall& call, const gpu::Plan& plan, const gpu::TraceLogs& trace) {
    const Scenario scenario = scenario_of(call);
    const Program program = program_of(call, plan, mistakes_.fault);
    std::vector<gpu::PhaseLog> logs = logs_of(gpu::expected_trace(scenario, program));
    if (mistakes_.spoil_trace) mistakes_.spoil_trace(logs);
    for (std::size_t phase = 0; phase < logs.size(); ++phase) {
      const gpu::PhaseLog& log = logs[phase];
      const gpu::TraceLog& to = trace[phase];
      std::copy(log.steps.begin(), log.steps.end(), to.steps);
      std::copy(log.start_order.begin(), log.start_order.end(), to.start_order);
      std::copy(log.visited.begin(), log.visited.end(), to.visited);
      if (to.m != nullptr) std::copy(log.m.begin(), log.m.end(), to.m);
      if (to.l != nullptr) std::copy(log.l.begin(), log.l.end(), to.l);
    }
  }

  Mistakes mistakes_;
  Todo todo_;
  int calls_ = 0;
};

}  // namespace

std::vector<gpu::PhaseLog> logs_of(const gpu::ExpectedTrace& expected) {
  std::vector<gpu::PhaseLog> logs;
  for (const gpu::ExpectedPhase& phase : expected.phases) {
    gpu::PhaseLog& log = logs.emplace_back(gpu::cleared_log(phase));
    for (std::size_t index = 0; index < phase.items.size(); ++index) {
      const auto& steps = phase.items[index].steps;
      log.steps[index] = static_cast<std::int32_t>(steps.size());
      // Blocks start from the last to the first.
      log.start_order[index] = static_cast<std::int32_t>(phase.items.size() - 1 - index);
      for (std::size_t n = 0; n < steps.size(); ++n) {
        const std::size_t slot = index * static_cast<std::size_t>(log.max_steps) + n;
        log.visited[slot] = steps[n].tiles;
        for (std::size_t r = 0; r < steps[n].m.size(); ++r) {
          log.m[slot * static_cast<std::size_t>(log.rows) + r] = steps[n].m[r];
          log.l[slot * static_cast<std::size_t>(log.rows) + r] = steps[n].l[r];
        }
      }
    }
  }
  return logs;
}

std::unique_ptr<gpu::Backend> host_backend(Mistakes mistakes) {
  return std::make_unique<HostBackend>(std::move(mistakes));
}

}  // namespace flashscope::test
