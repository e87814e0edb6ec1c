// The compare panel's numbers: against diff(), whatever the tiling and order of the other side; the
// search on its own thread finds what diff() finds, and can be stopped.
#include "viz/views/compare_view.h"

#include <doctest/doctest.h>

#include "sim/attention/faults.h"
#include "sim/scenario/whisper.h"

using namespace flashscope;
using namespace flashscope::views;

namespace {

struct Side {
  std::string algorithm = "fa2", fault;
  std::int64_t q_tile = 8, kv_tile = 4, splits = 1;
  KvOrder order = KvOrder::ascending;
  bool pack = false;
};

Program program_of(const Scenario& scenario, const Side& side) {
  Algorithm algorithm = load_algorithm(side.algorithm);
  if (!side.fault.empty()) apply_fault(algorithm, side.fault);
  Tiling tiling;
  tiling.q_tile_rows = side.q_tile;
  tiling.kv_tile_rows = side.kv_tile;
  tiling.splits = side.splits;
  tiling.kv_order = side.order;
  tiling.pack_gqa = side.pack;
  const Precision precision = default_precision(algorithm, scenario.problem.dtype);
  return {scenario.problem, std::move(algorithm), tiling, precision};
}

Scenario grouped_queries() {
  Problem problem;
  problem.q_heads = 4;
  problem.kv_heads = 2;
  problem.q_len = 21;
  problem.kv_len = 37;
  problem.head_dim = 8;
  problem.scale = 0.7;
  problem.dtype = Format::fp32;
  problem.mask.causal = true;
  return generated_scenario(problem, 5, {});
}

ChainRecording record(const Scenario& scenario, const Program& program, std::int64_t head,
                      std::int64_t query) {
  const std::int64_t group = program.group(), row = query * group + head % group;
  ChainRecorder recorder(scenario, program);
  recorder.start({0, head / group, row / program.tiling().q_tile_rows}, {row}, {}, true);
  while (!recorder.advance(1)) continue;
  return recorder.recording();
}

// The growth along the first row that differs is diff()'s, when the recordings are of that row.
void check_against_diff(const Scenario& scenario, const Program& a, const Program& b) {
  const double tolerance = diff_tolerance(a.precision(), b.precision());
  const DiffResult want = diff(scenario, a, ProgramSide(scenario, b), {tolerance, {}});
  const std::int64_t head = want.first ? want.first->head : 0;
  const std::int64_t row = want.first ? want.first->row : 1;
  const ChainRecording of_a = record(scenario, a, head, row), of_b = record(scenario, b, head, row);
  const auto points = common_points(of_a, of_b, scenario.problem.kv_len);
  CHECK(points.back().final);
  bool any = false;
  for (const CommonPoint& point : points) {
    const auto values = compared_values(of_a, of_b, point, tolerance);
    REQUIRE(values.size() == static_cast<std::size_t>(scenario.problem.head_dim) + 1);
    for (const ComparedValue& v : values) {
      if (any || !v.differs) continue;
      any = true;
      REQUIRE(want.first);
      CHECK(point.op_a == want.first->op_a + 1);
      CHECK(v.a == want.first->a);
      CHECK(v.b == want.first->b);
    }
  }
  CHECK(any == want.first.has_value());
  if (want.first) {
    const std::vector<Growth> growth = growth_of(of_a, of_b, points);
    REQUIRE(growth.size() == want.growth.size());
    for (std::size_t n = 0; n < growth.size(); ++n) {
      CHECK(growth[n].keys == want.growth[n].keys);
      CHECK(growth[n].lse == want.growth[n].lse);
      CHECK(growth[n].o == want.growth[n].o);
    }
  }
  CHECK(compare_sheet(of_a, of_b, points).rows.size() == points.size());

  DiffJob job(scenario, a, b, std::nullopt);
  while (!job.finished()) std::this_thread::yield();
  REQUIRE(job.result());
  CHECK(job.result()->compared_points == want.compared_points);
  CHECK(job.result()->differing_rows == want.differing_rows);
  CHECK(job.result()->first.has_value() == want.first.has_value());
  if (want.first) CHECK(job.result()->first->op_a == want.first->op_a);
}

}  // namespace

TEST_CASE("compare: the pencil problem, honest and with each half of the correction missing") {
  const Scenario scenario = pencil_scenario();
  const Program a = program_of(scenario, {"fa2", "", 2, 2});
  check_against_diff(scenario, a, program_of(scenario, {"fa1", "", 2, 2}));
  check_against_diff(scenario, a, program_of(scenario, {"fa2", "o_not_rescaled", 2, 2}));
  check_against_diff(scenario, a, program_of(scenario, {"fa2", "l_not_rescaled", 2, 2}));
  check_against_diff(scenario, a, program_of(scenario, {"standard", "", 2, 2}));
}

TEST_CASE("compare: real data under a causal mask") {
  Scenario scenario;
  for (const WhisperProblem& problem : whisper_problems()) {
    if (problem.name == "whisper-decoder") scenario = whisper_scenario(problem);
  }
  const Program a = program_of(scenario, {"fa2", "", 16, 16});
  check_against_diff(scenario, a, program_of(scenario, {"split_kv", "", 16, 16, 2}));
  check_against_diff(scenario, a, program_of(scenario, {"fa2", "l_not_rescaled", 16, 16}));
}

TEST_CASE("compare: grouped queries, other tiles, orders and packing") {
  const Scenario scenario = grouped_queries();
  const Program a = program_of(scenario, {});
  Side other{"fa2", "", 16, 8};
  check_against_diff(scenario, a, program_of(scenario, other));
  other.order = KvOrder::descending;
  check_against_diff(scenario, a, program_of(scenario, other));
  other = {"fa2", "o_not_rescaled", 4, 8};
  other.pack = true;
  check_against_diff(scenario, a, program_of(scenario, other));
}

TEST_CASE("compare: descending against ascending meet at the end only") {
  Scenario scenario = grouped_queries();
  scenario.problem.mask.causal = false;
  Side other;
  other.order = KvOrder::descending;
  const Program a = program_of(scenario, {}), b = program_of(scenario, other);
  const auto points =
      common_points(record(scenario, a, 0, 3), record(scenario, b, 0, 3), scenario.problem.kv_len);
  REQUIRE(points.size() == 2);
  CHECK_FALSE(points[0].final);
  CHECK(points[0].keys == 37);
  CHECK_FALSE(point_at(points, points[0].op_a - 1));
  CHECK(point_at(points, points[0].op_a) == 0);
  CHECK(point_at(points, points[1].op_a) == 1);
}

TEST_CASE("compare: the search keeps to its rows, and stops when told to") {
  const Scenario scenario = grouped_queries();
  const Program a = program_of(scenario, {}), b = program_of(scenario, {"fa2", "o_not_rescaled"});
  const DiffScope scope = scope_of_row(a, {0, 2, 1}, 9);
  CHECK(scope.head == 2);
  CHECK(scope.rows == IndexRange{8, 16});
  DiffJob job(scenario, a, b, scope);
  while (!job.finished()) std::this_thread::yield();
  REQUIRE(job.result());
  CHECK(job.result()->compared_rows == 8);
  if (job.result()->first) CHECK(job.result()->first->head == 2);
  const Program packed = program_of(scenario, {"fa2", "", 8, 4, 1, KvOrder::ascending, true});
  CHECK(scope_of_row(packed, {0, 1, 1}, 9).head == 3);
  CHECK(scope_of_row(packed, {0, 1, 1}, 9).rows == IndexRange{4, 8});
  DiffJob stopped(scenario, a, b, std::nullopt);
  stopped.stop();
}
