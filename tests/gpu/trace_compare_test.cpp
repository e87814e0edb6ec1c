// Logs made from a Program agree with it; logs that were spoilt in one place are found out, and the
// place is named.
#include "gpu/verify/trace_compare.h"

#include <cmath>

#include <doctest/doctest.h>

#include "gpu/verify/kernel_list.h"
#include "gpu/verify/trace_check.h"
#include "gpu/verify/trace_file.h"
#include "gpu/verify/trace_run.h"
#include "host_backend.h"
#include "sample_call.h"
#include "sim/debugger/trace.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::gpu;
using test::logs_of;

namespace {

struct Traced {
  Scenario scenario;
  Program program;
  ExpectedTrace expected;
  std::vector<PhaseLog> logs;

  TraceComparison compare() const {
    return gpu::compare(expected, logs, state_tolerance(scenario, program));
  }
  // The one difference that there is.
  TraceDifference difference() const {
    const TraceComparison result = compare();
    REQUIRE(result.differences.size() == 1);
    CHECK(result.total().differing_items == 1);
    return result.differences.front();
  }
};

Problem problem_of(std::int64_t q_len, std::int64_t kv_len, bool causal) {
  Problem problem;
  problem.batch = 2;
  problem.q_heads = 4;
  problem.kv_heads = 2;
  problem.q_len = q_len;
  problem.kv_len = kv_len;
  problem.head_dim = 16;
  problem.scale = 0.25;
  problem.mask.causal = causal;
  return problem;
}

Traced traced(const std::string& algorithm, const Problem& problem, Tiling tiling) {
  Scenario scenario = generated_scenario(problem, 3, Distribution{});
  const flashscope::Algorithm table = load_algorithm(algorithm);
  Program program(problem, table, tiling, default_precision(table, problem.dtype));
  ExpectedTrace expected = expected_trace(scenario, program);
  std::vector<PhaseLog> logs = logs_of(expected);
  return {std::move(scenario), std::move(program), std::move(expected), std::move(logs)};
}

Tiling tiles(std::int64_t q_tile, std::int64_t kv_tile) {
  Tiling tiling;
  tiling.q_tile_rows = q_tile;
  tiling.kv_tile_rows = kv_tile;
  return tiling;
}

// fa2 on 2 x 4 heads of 5 q tiles, each with all 4 kv tiles: work item 17 is batch 0, head 3, q
// tile 2.
Traced sample() { return traced("fa2", problem_of(70, 50, false), tiles(16, 16)); }

std::size_t slot(const PhaseLog& log, std::size_t item, std::size_t step) {
  return item * static_cast<std::size_t>(log.max_steps) + step;
}

}  // namespace

TEST_CASE("a kernel that does what its Program does agrees, in every phase of every algorithm") {
  for (const bool causal : {false, true}) {
    for (const std::string& name : built_in_algorithm_names()) {
      CAPTURE(name);
      Tiling tiling = tiles(16, 16);
      if (name == "split_kv") tiling.splits = 3;
      const Traced run = traced(name, problem_of(70, 50, causal), tiling);
      const TraceComparison result = run.compare();
      CHECK(result.total().differing_items == 0);
      CHECK(result.total().work_items == run.program.work_items());
      CHECK(result.total().states > 0);
    }
  }
  Tiling packed = tiles(16, 16);
  packed.splits = 2;
  packed.pack_gqa = true;
  const Traced run = traced("split_kv", problem_of(9, 50, true), packed);
  CHECK(run.compare().total().differing_items == 0);
  CHECK(run.expected.phases[0].items.size() == 2 * 2 * 2 * 2);  // batch, kv head, q tile, split
}

TEST_CASE("what a trace consists of: steps with m and l, and loopless work items") {
  Tiling tiling = tiles(16, 16);
  const Traced standard = traced("standard", problem_of(20, 40, false), tiling);
  REQUIRE(standard.expected.phases.size() == 3);
  const auto& [scores, softmax, output] = std::tie(
      standard.expected.phases[0], standard.expected.phases[1], standard.expected.phases[2]);
  CHECK(scores.items.size() == 8 * 2 * 3);
  CHECK_FALSE(scores.has_state);
  CHECK(scores.items[4].steps.size() == 1);
  CHECK(scores.items[4].steps[0].tiles.q_tile == 1);
  CHECK(scores.items[4].steps[0].tiles.kv_tile == 1);
  CHECK(softmax.items.size() == 8 * 20);
  CHECK(softmax.has_state);
  CHECK(softmax.rows == 1);
  CHECK(softmax.items[27].steps[0].tiles.q_tile == 7);
  CHECK(softmax.items[27].steps[0].tiles.kv_tile == -1);
  CHECK_FALSE(output.has_state);
  CHECK(output.items[0].steps.size() == 3);

  const Traced fa1 = traced("fa1", problem_of(40, 20, true), tiling);
  REQUIRE(fa1.expected.phases.size() == 3);
  CHECK(fa1.expected.phases[0].items.size() == 8 * 3);  // init
  CHECK(fa1.expected.phases[0].items[0].steps.empty());
  CHECK(fa1.expected.phases[1].items.size() == 8);  // unseen: q tile 0 of each head
  CHECK(fa1.expected.phases[1].items[0].steps.empty());
  CHECK(fa1.expected.phases[2].items.size() == 8);  // heads
  CHECK(fa1.expected.phases[2].has_state);
  CHECK(fa1.expected.phases[2].items[0].steps.size() == 3);
  CHECK(fa1.expected.phases[2].items[0].steps[2].tiles.q_tile == 2);
  CHECK(fa1.expected.phases[2].items[0].steps[2].tiles.kv_tile == 1);

  tiling.splits = 3;
  const Traced split = traced("split_kv", problem_of(20, 40, false), tiling);
  CHECK(split.expected.phases[0].has_state);
  CHECK(split.expected.phases[0].items[4].steps[0].tiles.kv_tile == 1);  // q tile 1, split 1
  CHECK_FALSE(split.expected.phases[1].has_state);
  CHECK(split.expected.phases[1].items[0].steps.size() == 3);
  CHECK(split.expected.phases[1].items[0].steps[2].tiles.kv_tile == -1);
}

TEST_CASE("two steps in the wrong order are named") {
  Traced run = sample();
  PhaseLog& log = run.logs[0];
  std::swap(log.visited[slot(log, 17, 1)], log.visited[slot(log, 17, 2)]);
  const TraceDifference found = run.difference();
  CHECK(describe(found) ==
        "attention, work item 17 (batch 0, head 3), step 1: should be q tile 2, kv tile 1, is q "
        "tile 2, kv tile 2");
}

TEST_CASE("a missing step is named: at the end, and in the middle") {
  Traced run = sample();
  run.logs[0].steps[17] = 3;
  CHECK(describe(run.difference()) ==
        "attention, work item 17 (batch 0, head 3): should be 4 steps, is 3 steps: q tile 2, kv "
        "tile 3 is missing");
  run = sample();
  PhaseLog& log = run.logs[0];
  log.steps[17] = 3;
  log.visited[slot(log, 17, 1)] = log.visited[slot(log, 17, 2)];
  log.visited[slot(log, 17, 2)] = log.visited[slot(log, 17, 3)];
  CHECK(describe(run.difference()) ==
        "attention, work item 17 (batch 0, head 3), step 1: should be q tile 2, kv tile 1, is q "
        "tile 2, kv tile 2 (3 steps, not 4)");
}

TEST_CASE("a step too many is named, also far beyond the log") {
  Traced run = sample();
  PhaseLog& log = run.logs[0];
  log.steps[17] = 5;
  log.visited[slot(log, 17, 4)] = {2, 4};
  CHECK(describe(run.difference()) ==
        "attention, work item 17 (batch 0, head 3): should be 4 steps, is 5 steps: q tile 2, kv "
        "tile 4 is too many");
  log.steps[17] = 1000000;
  CHECK(run.difference().got == "1000000 steps: q tile 2, kv tile 4 is too many");
}

TEST_CASE("a work item that never started is named") {
  Traced run = sample();
  run.logs[0].start_order[17] = -1;
  CHECK(describe(run.difference()) == "attention, work item 17 (batch 0, head 3): never started");
}

TEST_CASE("a wrong m or l at one row is named with both numbers") {
  Traced run = sample();
  PhaseLog& log = run.logs[0];
  const std::size_t at = slot(log, 17, 2) * 16 + 5;
  log.m[at] += 0.5F;
  TraceDifference found = run.difference();
  CHECK(found.step == 2);
  CHECK(found.row == 2 * 16 + 5);
  CHECK(found.what == "m");
  CHECK(std::stof(found.got) - std::stof(found.expected) == doctest::Approx(0.5));

  run = sample();
  run.logs[0].l[at] *= 1.001F;
  found = run.difference();
  CHECK(found.row == 37);
  CHECK(found.what == "l");

  run = sample();
  run.logs[0].l[at] = NAN;
  CHECK(run.difference().got == "nan");
}

TEST_CASE("rounding is no difference, and rows past the last query are not looked at") {
  Traced run = sample();
  for (PhaseLog& log : run.logs) {
    for (float& m : log.m) m = std::nextafter(m, 100.0F);
    for (float& l : log.l) l = std::nextafter(l, 0.0F);
    log.m[slot(log, 19, 0) * 16 + 6] = 1e9F;  // q tile 4 has rows 64 to 69
  }
  const TraceComparison result = run.compare();
  CHECK(result.total().differing_items == 0);
  CHECK(result.used_share > 0);
  CHECK(result.used_share < 0.1);
}

TEST_CASE("one difference is listed for each work item, and not all of thousands") {
  Traced run = sample();
  for (float& l : run.logs[0].l) l *= 2;
  const TraceComparison result = run.compare();
  CHECK(result.total().differing_items == 40);
  CHECK(result.differences.size() == kListedDifferences);
}

TEST_CASE("the order in which blocks started is reported, not compared") {
  const Traced run = sample();
  const std::vector<std::int64_t> order = start_order(run.logs[0]);
  CHECK(order.front() == 39);
  CHECK(order.back() == 0);
}

TEST_CASE("a written trace reads back as the same states") {
  const std::string path = "/tmp/flashscope_trace_compare_test.jsonl";
  for (const std::string name : {"fa1", "fa2"}) {
    CAPTURE(name);
    const Traced run = traced(name, problem_of(40, 50, true), tiles(16, 16));
    const std::int64_t records = write_trace(path, run.program, run.expected, run.logs);
    const TraceSide side(run.scenario, path);
    CHECK(side.records() == records);
    CHECK(side.convention() == "natural logarithm, scaled (declared)");
    const DiffResult result =
        diff(run.scenario, run.program, side,
             {.tolerance = diff_tolerance(run.program.precision(), run.program.precision()),
              .progress = nullptr});
    CHECK_FALSE(result.first.has_value());
    CHECK(result.compared_points > 0);
  }
  std::remove(path.c_str());
  const Traced standard = traced("standard", problem_of(20, 20, false), tiles(16, 16));
  CHECK_THROWS_AS(write_trace(path, standard.program, standard.expected, standard.logs), Error);
}

TEST_CASE("a traced call on a backend: right, with a fault, and spoilt") {
  Problem problem = problem_of(200, 150, true);
  problem.head_dim = kTracedHeadDim;
  const Scenario scenario = generated_scenario(problem, 1, Distribution{});
  LaunchOptions options;
  options.algorithm = gpu::Algorithm::fa2;
  const TraceCheck right = check_trace(*test::host_backend(), scenario, options);
  CHECK(right.passed());
  CHECK(right.comparison.total().states > 1000);

  test::Mistakes mistakes;
  mistakes.fault = "l_not_rescaled";
  const TraceCheck faulty = check_trace(*test::host_backend(mistakes), scenario, options);
  REQUIRE(!faulty.comparison.differences.empty());
  CHECK(faulty.comparison.differences.front().what == "l");
  CHECK(faulty.result_failure.find("must be") != std::string::npos);

  test::Mistakes late;
  late.spoil_trace = [](std::vector<PhaseLog>& logs) { logs[0].steps[3] -= 1; };
  const TraceCheck short_of_one = check_trace(*test::host_backend(late), scenario, options);
  CHECK(short_of_one.result_failure.empty());
  CHECK(short_of_one.comparison.total().differing_items == 1);
  CHECK(short_of_one.comparison.differences.front().what == "steps");

  problem.head_dim = 32;
  CHECK_THROWS_WITH_AS(
      check_trace(*test::host_backend(), generated_scenario(problem, 1, Distribution{}), options),
      "--head-dim 32: traced kernels are built for 64 only", Error);
}

TEST_CASE("the whole grid of traced problems can be expected of every traced kernel") {
  const auto backend = test::host_backend();
  for (const KernelConfig& kernel :
       compiled_kernels(backend->limits(), std::nullopt, kTracedHeadDim)) {
    for (const std::size_t n : {std::size_t{5}, std::size_t{27}, std::size_t{54}}) {
      const Problem problem = trace_grid()[n];
      const std::string what = std::string(name_of(kernel.algorithm)) + " " + describe(problem);
      CAPTURE(what);
      LaunchOptions options;
      options.algorithm = kernel.algorithm;
      options.q_tile = kernel.q_tile_rows;
      options.kv_tile = kernel.kv_tile_rows;
      const Scenario scenario = generated_scenario(problem, n, Distribution{});
      CHECK(check_trace(*backend, scenario, options).passed());
    }
  }
}
