// What a Program's work items do step by step, with the m and l that the simulator computes; see
// trace_compare.h.
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <unordered_map>

#include "gpu/verify/trace_compare.h"
#include "sim/machine/interpreter.h"
#include "sim/machine/threads.h"

namespace flashscope::gpu {
namespace {

// Lines that compute the running sum; setting it to 0 does not count.
bool moves_l(const flashscope::Algorithm& algorithm, std::span<const int> lines, int l) {
  return std::any_of(lines.begin(), lines.end(), [&](int index) {
    const Line& line = algorithm.lines[static_cast<std::size_t>(index)];
    return line.result == l && line.kind != LineKind::load && line.kind != LineKind::store &&
           line.kind != LineKind::fill;
  });
}

class Builder {
 public:
  Builder(const Scenario& scenario, const Program& program)
      : scenario_(scenario),
        program_(program),
        m_(program.algorithm().find("m", false)),
        l_(program.algorithm().find("l", false)) {}

  ExpectedTrace build() {
    const auto phases = static_cast<int>(program_.algorithm().phases.size());
    std::int64_t first_item = 0;
    for (int phase = 0; phase < phases; ++phase) {
      first_items_.push_back(first_item);
      first_item += program_.work_items_of(phase);
      list_steps(phase);
    }
    compute_states();
    return std::move(trace_);
  }

 private:
  bool has_loop(int phase) const {
    return program_.algorithm().phases[static_cast<std::size_t>(phase)].step_axis != StepAxis::none;
  }

  ExpectedStep step_of(const Segment& segment) const {
    ExpectedStep step;
    const std::int64_t row_axis = segment.q_row >= 0 ? segment.q_row : segment.q_tile;
    step.tiles = {static_cast<std::int32_t>(row_axis), static_cast<std::int32_t>(segment.kv_tile)};
    step.first_row = program_.q_rows(segment).begin;
    step.keys = program_.kv_rows(segment);
    return step;
  }

  // Every work item's steps in the Program's order, and where to find them by their op.
  void list_steps(int phase) {
    ExpectedPhase& expected = trace_.phases.emplace_back();
    expected.name = program_.algorithm().phases[static_cast<std::size_t>(phase)].name;
    expected.items.resize(static_cast<std::size_t>(program_.work_items_of(phase)));
    expected.rows = program_.tiling().q_tile_rows;
    if (expected.items.empty()) return;
    for (std::int64_t b = 0; b < program_.problem().batch; ++b) {
      for (std::int64_t h = 0; h < program_.heads(); ++h) {
        program_.visit(program_.ops_of_head(phase, b, h), [&](const Segment& segment) {
          const std::int64_t index =
              segment.work_item - first_items_[static_cast<std::size_t>(phase)];
          ExpectedItem& item = expected.items[static_cast<std::size_t>(index)];
          item.batch = b;
          item.head = h;
          if (segment.q_row >= 0) expected.rows = 1;
          if (has_loop(phase) && segment.part != Part::step) return;
          const bool has_state = moves_l(program_.algorithm(), segment.lines, l_);
          if (!has_loop(phase) && !has_state) return;
          expected.has_state = expected.has_state || has_state;
          places_[segment.first_op] = {phase, index, item.steps.size()};
          item.steps.push_back(step_of(segment));
          expected.max_steps =
              std::max(expected.max_steps, static_cast<std::int64_t>(item.steps.size()));
        });
      }
    }
  }

  void compute_states() {
    std::atomic<std::int64_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    Outputs outputs = make_outputs(program_.problem(), program_.precision());
    work_on_threads(machine_threads(), [&] {
      try {
        Interpreter machine(program_, scenario_.inputs, outputs);
        for (std::int64_t n = next++; n < program_.chains(); n = next++) {
          const Chain chain = program_.chain(n);
          machine.begin(chain);
          program_.visit_chain(chain, [&](const Segment& segment) {
            machine.execute(segment, nullptr);
            record(segment, machine);
          });
        }
      } catch (...) {
        const std::scoped_lock lock(mutex);
        failure = std::current_exception();
        next = program_.chains();
      }
    });
    if (failure) std::rethrow_exception(failure);
  }

  // Steps of different chains are different entries: no two threads write one.
  void record(const Segment& segment, const Interpreter& machine) {
    const auto found = places_.find(segment.first_op);
    if (found == places_.end()) return;
    ExpectedPhase& phase = trace_.phases[static_cast<std::size_t>(found->second.phase)];
    if (!phase.has_state) return;
    ExpectedStep& step =
        phase.items[static_cast<std::size_t>(found->second.item)].steps[found->second.step];
    const std::int64_t rows = program_.q_rows(segment).size();
    for (std::int64_t r = 0; r < rows; ++r) {
      step.m.push_back(machine.tile(m_).at(r, 0));
      step.l.push_back(machine.tile(l_).at(r, 0));
    }
  }

  struct Position {
    int phase = 0;
    std::int64_t item = 0;
    std::size_t step = 0;
  };
  const Scenario& scenario_;
  const Program& program_;
  int m_, l_;
  std::vector<std::int64_t> first_items_;  // by phase, counted over the program
  std::unordered_map<std::int64_t, Position> places_;
  ExpectedTrace trace_;
};

}  // namespace

ExpectedTrace expected_trace(const Scenario& scenario, const Program& program) {
  return Builder(scenario, program).build();
}

}  // namespace flashscope::gpu
