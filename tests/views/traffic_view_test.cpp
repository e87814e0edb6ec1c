// What the traffic panel shows equals the simulator's integers.
#include "viz/views/traffic_view.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "sim/attention/closed_forms.h"
#include "sim/debugger/debugger.h"
#include "sim/machine/count.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/whisper.h"

namespace flashscope::test {
namespace {

Program make_program(const Problem& problem, const std::string& name, std::int64_t q_tile,
                     std::int64_t kv_tile) {
  Algorithm algorithm = load_algorithm(name);
  Tiling tiling;
  tiling.q_tile_rows = q_tile;
  tiling.kv_tile_rows = kv_tile;
  if (algorithm.has_splits()) tiling.splits = 4;
  const Precision precision = default_precision(algorithm, problem.dtype);
  return {problem, std::move(algorithm), tiling, precision};
}

struct Case {
  Problem problem;
  std::int64_t q_tile, kv_tile;
};

// The pencil problem, a real model's decoder, and a long causal one.
std::vector<Case> cases() {
  Problem causal;
  causal.q_heads = causal.kv_heads = 8;
  causal.q_len = causal.kv_len = 4096;
  causal.head_dim = 64;
  causal.mask.causal = true;
  Problem decoder;
  for (const WhisperProblem& problem : whisper_problems()) {
    if (problem.name == std::string("whisper-decoder")) {
      decoder = whisper_scenario(problem).problem;
    }
  }
  REQUIRE(decoder.q_len > 0);
  return {{pencil_scenario().problem, 2, 2}, {decoder, 16, 16}, {causal, 128, 64}};
}

void check_view(const Program& program, std::int64_t op) {
  CAPTURE(op);
  const Ledger so_far = ledger_before(program, op);
  const Count counted = count(program);
  const views::Lane lane(program);
  const views::TrafficView view =
      views::traffic_view(program, op, so_far, lane.whole(), find_device("a100-80"));

  // The whole program: count(), row by row.
  const std::vector<TrafficRow> whole = counted.ledger.traffic();
  REQUIRE(view.items.size() == whole.size());
  std::int64_t bytes = 0, whole_bytes = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    CHECK(view.items[n].phase == whole[n].phase);
    CHECK(view.items[n].tensor == whole[n].tensor);
    CHECK(view.items[n].direction == whole[n].direction);
    CHECK(view.items[n].whole_bytes == whole[n].bytes);
    bytes += view.items[n].bytes;
    whole_bytes += view.items[n].whole_bytes;
  }
  CHECK(view.whole_bytes == whole_bytes);
  CHECK(view.whole_bytes == counted.ledger.total_bytes() + counted.ledger.init_bytes());
  CHECK(view.whole_work == counted.ledger.work());

  // So far: ledger_before(), none of whose rows is lost.
  CHECK(view.bytes == bytes);
  CHECK(view.bytes == so_far.all_load_bytes() + so_far.all_store_bytes());
  CHECK(view.work == so_far.work());
  for (const TrafficRow& row : so_far.traffic()) {
    const bool shown = std::any_of(view.items.begin(), view.items.end(), [&](const auto& item) {
      return item.phase == row.phase && item.tensor == row.tensor &&
             item.direction == row.direction && item.bytes == row.bytes;
    });
    CHECK(shown);
  }

  const auto closed = closed_form_bytes(program.problem(), program.tiling(), program.precision(),
                                        program.algorithm().name);
  CHECK(view.closed_form == closed);
  CHECK(view.closed_form == view.whole_bytes - view.whole_init_bytes);
}

TEST_CASE("traffic panel: numbers are those of count(), ledger_before() and the closed forms") {
  for (const Case& c : cases()) {
    for (const char* name : {"standard", "fa1", "fa2", "split_kv"}) {
      CAPTURE(name);
      const Program program = make_program(c.problem, name, c.q_tile, c.kv_tile);
      for (const std::int64_t op : {std::int64_t{0}, program.size() / 3, program.size()}) {
        check_view(program, op);
      }
    }
  }
}

TEST_CASE("traffic panel: the debugger's running ledger is what is shown") {
  const Scenario scenario = pencil_scenario();
  const Program program = make_program(scenario.problem, "fa2", 2, 2);
  Debugger debugger(scenario, program);
  const views::Lane lane(program);
  for (std::int64_t op = 0; op <= program.size(); ++op) {
    const views::TrafficView view =
        views::traffic_view(program, op, debugger.ledger(), lane.whole(), find_device("toy"));
    CHECK(view.bytes == views::bytes_passed(ledger_before(program, op)));
    debugger.step();
  }
}

TEST_CASE("traffic panel: curves rise from nothing to the total, at the same fractions") {
  for (const Case& c : cases()) {
    for (const char* name : {"standard", "fa1", "fa2", "split_kv"}) {
      CAPTURE(name);
      const Program program = make_program(c.problem, name, c.q_tile, c.kv_tile);
      views::Lane lane(program);
      while (lane.sample()) {
      }
      REQUIRE(lane.curve().size() == views::Lane::kPoints);
      CHECK(lane.curve().front() == 0);
      CHECK(lane.curve().back() == views::bytes_passed(count(program).ledger));
      CHECK(std::is_sorted(lane.curve().begin(), lane.curve().end()));
      const views::LaneState middle = views::lane_state(lane, 0.5);
      CHECK(middle.op == program.size() / 2);
      CHECK(middle.bytes == lane.curve()[32]);
      CHECK(middle.bytes == views::bytes_passed(ledger_before(program, middle.op)));
      CHECK(lane.op_at(0) == 0);
      CHECK(lane.op_at(1) == program.size());
      const views::LaneState end = views::lane_state(lane, 1);
      CHECK(end.work == count(program).ledger.work());
      CHECK(end.intensity == end.whole_intensity);
    }
  }
}

TEST_CASE("traffic panel: formulas are shown only where the papers state them") {
  const Device& device = find_device("a100-80");
  const auto view_of = [&](const Problem& problem, const char* name) {
    const Program program = make_program(problem, name, 128, 64);
    return views::traffic_view(program, 0, Ledger(program.algorithm()),
                               ledger_before(program, program.size()), device);
  };
  Problem problem;
  problem.batch = 2;
  problem.q_heads = problem.kv_heads = 3;
  problem.q_len = problem.kv_len = 2048;
  problem.head_dim = 64;
  const views::TrafficView standard = view_of(problem, "standard");
  REQUIRE(standard.paper);
  CHECK(standard.paper->bytes == standard_paper_elements(2048, 64) * 6 * 2);
  CHECK(!standard.paper->order_of_growth);
  const views::TrafficView fa2 = view_of(problem, "fa2");
  REQUIRE(fa2.paper);
  CHECK(fa2.paper->bytes == flash_paper_elements(2048, 64, 163 * 1024 / 2) * 6 * 2);
  CHECK(fa2.paper->order_of_growth);
  CHECK(!view_of(problem, "split_kv").paper);

  Problem masked = problem;
  masked.mask.causal = true;
  CHECK(!view_of(masked, "standard").paper);
  CHECK(view_of(masked, "standard").closed_form);
  masked.mask.expression = expression::MaskExpression::parse("k % 3 != 0");
  CHECK(!view_of(masked, "fa2").closed_form);
  CHECK(!view_of(masked, "fa2").no_closed_form.empty());
  CHECK(!view_of(pencil_scenario().problem, "fa2").paper);  // M is more than Nd
}

TEST_CASE("traffic panel: problems without rows, keys or heads have no intensity") {
  for (const char* name : {"standard", "fa1", "fa2", "split_kv"}) {
    for (int lacking = 0; lacking < 3; ++lacking) {
      Problem problem;
      problem.q_len = lacking == 0 ? 0 : 4;
      problem.kv_len = lacking == 1 ? 0 : 4;
      problem.batch = lacking == 2 ? 0 : 1;
      const Program program = make_program(problem, name, 2, 2);
      views::Lane lane(program);
      while (lane.sample()) {
      }
      CHECK(lane.curve().back() == views::bytes_passed(count(program).ledger));
      const views::LaneState state = views::lane_state(lane, 0.5);
      if (state.bytes == 0) CHECK(!state.intensity);
      views::traffic_sheet(
          views::traffic_view(program, 0, ledger_before(program, 0), lane.whole(), devices()[0]));
    }
  }
}

TEST_CASE("roofline: memory below the ridge, tensor cores above it") {
  for (const Device& device : devices()) {
    const views::Roofline roof(device);
    CHECK(roof.attainable(roof.ridge() / 4) == doctest::Approx(roof.flops_per_s / 4));
    CHECK(roof.attainable(roof.ridge() * 4) == roof.flops_per_s);
    CHECK(roof.attainable(0) == 0);
  }
}

}  // namespace
}  // namespace flashscope::test
