// How long a cold jump to some op takes: the session forgets everything and replays the op's chain.
// Ops are spread over the whole program, the last ones of long chains among them.
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "sim/debugger/session.h"

namespace flashscope {
namespace {

struct World {
  World(const std::string& name, std::int64_t length)
      : scenario(generated_scenario(problem_of(length), 1, {})), program(make(name)) {}

  static Problem problem_of(std::int64_t length) {
    Problem problem;
    problem.q_heads = problem.kv_heads = length > 8192 ? 1 : 8;
    problem.q_len = problem.kv_len = length;
    problem.head_dim = 64;
    problem.scale = 0.125;
    problem.dtype = Format::fp32;
    return problem;
  }

  Program make(const std::string& name) const {
    Algorithm algorithm = load_algorithm(name);
    const Precision precision = default_precision(algorithm, scenario.problem.dtype);
    return {scenario.problem, std::move(algorithm), Tiling{}, precision};
  }

  Scenario scenario;
  Program program;
};

void cold_seek(benchmark::State& state, const std::string& name) {
  const World world(name, state.range(0));
  Session session(world.scenario, world.program);
  const std::int64_t size = world.program.size();
  // A step of the golden ratio visits places evenly and in no order.
  std::int64_t op = 0;
  for (auto _ : state) {
    op = (op + static_cast<std::int64_t>(0.6180339887 * static_cast<double>(size))) % size;
    state.PauseTiming();
    session.set_events({});  // forgets the machine's state
    session.seek(0);
    state.ResumeTiming();
    session.seek(op);
  }
}

BENCHMARK_CAPTURE(cold_seek, fa2, "fa2")->Arg(4096)->Arg(65536)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cold_seek, fa1, "fa1")->Arg(4096)->Arg(65536)->Unit(benchmark::kMillisecond);

// The worst place: the last op of the last chain.
void cold_seek_end(benchmark::State& state, const std::string& name) {
  const World world(name, state.range(0));
  Session session(world.scenario, world.program);
  for (auto _ : state) {
    state.PauseTiming();
    session.seek(0);
    state.ResumeTiming();
    session.seek(world.program.size() - 1);
  }
}

BENCHMARK_CAPTURE(cold_seek_end, fa2, "fa2")->Arg(4096)->Arg(65536)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cold_seek_end, fa1, "fa1")->Arg(4096)->Arg(65536)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flashscope

BENCHMARK_MAIN();
