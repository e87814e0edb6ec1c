// Breakpoints, watches and going back: each stop is where a plain walk over the program says it
// must be.
#include "sim/debugger/debugger.h"

#include <vector>

#include <doctest/doctest.h>

#include "sim/error.h"
#include "sim/machine/count.h"

using namespace flashscope;

namespace {

Program pencil_program(const Scenario& scenario, Algorithm algorithm) {
  Tiling tiling;
  tiling.q_tile_rows = tiling.kv_tile_rows = 2;
  const Precision precision = default_precision(algorithm, scenario.problem.dtype);
  return {scenario.problem, std::move(algorithm), tiling, precision};
}

// Ops whose line is of a kind, from the program alone.
std::vector<std::int64_t> ops_of_kind(const Program& program, LineKind kind) {
  std::vector<std::int64_t> ops;
  for (std::int64_t op = 0; op < program.size(); ++op) {
    const auto line = static_cast<std::size_t>(program.op(op).line);
    if (program.algorithm().lines[line].kind == kind) ops.push_back(op);
  }
  return ops;
}

struct Stops {
  std::vector<std::int64_t> forwards, backwards;
};

Stops all_stops(Debugger& debugger) {
  Stops stops;
  while (debugger.run_to(debugger.program().size()).reason == Stop::Reason::breakpoint) {
    stops.forwards.push_back(debugger.session().position());
  }
  while (debugger.run_back_to(0).reason == Stop::Reason::breakpoint) {
    stops.backwards.insert(stops.backwards.begin(), debugger.session().position());
  }
  return stops;
}

}  // namespace

TEST_CASE("a breakpoint on a kind or a line stops before each such op, forwards and backwards") {
  const Scenario scenario = pencil_scenario();
  for (const char* name : {"fa1", "fa2", "split_kv", "standard"}) {
    CAPTURE(std::string(name));
    const Program program = pencil_program(scenario, load_algorithm(name));
    Debugger debugger(scenario, program);
    debugger.add_breakpoint("accumulate", false);
    const std::vector<std::int64_t> want = ops_of_kind(program, LineKind::accumulate);
    const Stops stops = all_stops(debugger);
    CHECK(stops.forwards == want);
    CHECK(stops.backwards == want);
  }
  const Program program = pencil_program(scenario, load_algorithm("fa2"));
  Debugger debugger(scenario, program);
  debugger.add_breakpoint("O = alpha * O", false);
  CHECK(all_stops(debugger).forwards == ops_of_kind(program, LineKind::rescale));
}

TEST_CASE("a condition stops where it holds, and a temporary breakpoint goes after one stop") {
  const Scenario scenario = pencil_scenario();
  const Program program = pencil_program(scenario, load_algorithm("fa2"));
  Debugger debugger(scenario, program);
  // Row 0's running max moves from 1 to 3 in the second tile: alpha is e^-2 there.
  debugger.add_breakpoint("rescale if alpha[0] < 0.2 && i == 0", false);
  CHECK(debugger.run_to(program.size()).reason == Stop::Reason::breakpoint);
  CHECK(debugger.session().position() == 20);
  CHECK(debugger.run_to(program.size()).reason == Stop::Reason::end);
  debugger.remove_breakpoint(1);
  debugger.go_to(0);
  debugger.add_breakpoint("load", true);
  CHECK(debugger.run_to(program.size()).breakpoint == 2);
  CHECK(debugger.breakpoints().empty());
}

TEST_CASE("a watch stops behind every change and tells the old and the new value") {
  const Scenario scenario = pencil_scenario();
  const Program program = pencil_program(scenario, load_algorithm("fa2"));
  Debugger debugger(scenario, program);
  debugger.add_watch("row(0).m");
  std::vector<std::string> details;
  Stop stop = debugger.run_to(program.size());
  while (stop.reason == Stop::Reason::breakpoint) {
    details.push_back(stop.detail);
    stop = debugger.run_to(program.size());
  }
  CHECK(details == std::vector<std::string>{"row(0).m: nan -> -inf", "row(0).m: -inf -> 1",
                                            "row(0).m: 1 -> 3"});
}

TEST_CASE(
    "break wrong never stops in a right table, and stops at the first wrong tile of a wrong one") {
  const Scenario scenario = pencil_scenario();
  for (const char* name : {"fa1", "fa2", "split_kv"}) {
    const Program program = pencil_program(scenario, load_algorithm(name));
    Debugger debugger(scenario, program);
    debugger.add_breakpoint("if wrong", false);
    CHECK(debugger.run_to(program.size()).reason == Stop::Reason::end);
  }
  const Program broken = pencil_program(
      scenario, load_algorithm(FLASHSCOPE_SOURCE_DIR "/lessons/data/planted_bug.alg"));
  Debugger debugger(scenario, broken);
  debugger.add_breakpoint("wrong", false);
  const Stop stop = debugger.run_to(broken.size());
  CHECK(stop.reason == Stop::Reason::breakpoint);
  // The first tile is right whatever the bug; the second is where alpha matters.
  CHECK(broken.op(debugger.session().position() - 1).segment.kv_tile == 1);
  CHECK(stop.detail.starts_with("row 0: "));
}

TEST_CASE("a set is taken back by going back and comes again by going on") {
  const Scenario scenario = pencil_scenario();
  const Program program = pencil_program(scenario, load_algorithm("fa2"));
  Debugger debugger(scenario, program);
  debugger.go_to(12);
  const int m = program.algorithm().find("m_new", false);
  debugger.session().set(m, 0, 0, 100);
  debugger.go_to(14);
  CHECK(debugger.session().tile(program.algorithm().find("m", false)).at(0, 0) == 100);
  debugger.go_to(11);
  CHECK(debugger.session().tile(m).at(0, 0) == 1);
  debugger.go_to(13);
  CHECK(debugger.session().tile(program.algorithm().find("m", false)).at(0, 0) == 100);
}

TEST_CASE("the ledger at any op is the sum of the ops before it") {
  const Scenario scenario = pencil_scenario();
  for (const char* name : {"fa1", "fa2", "split_kv", "standard"}) {
    const Program program = pencil_program(scenario, load_algorithm(name));
    Debugger walking(scenario, program), jumping(scenario, program);
    for (std::int64_t op = 0; op < program.size(); ++op) {
      jumping.go_to(op);
      CHECK(walking.ledger().traffic() == jumping.ledger().traffic());
      CHECK(walking.ledger().work() == jumping.ledger().work());
      walking.step();
    }
    CHECK(walking.ledger().traffic() == count(program).ledger.traffic());
  }
}

TEST_CASE("bad breakpoints and places say what there is instead") {
  const Scenario scenario = pencil_scenario();
  const Program program = pencil_program(scenario, load_algorithm("fa2"));
  Debugger debugger(scenario, program);
  for (const char* bad :
       {"", "nowhere", "1", "999999999999", "load if", "if m > 0", "if m[", "if x"}) {
    CAPTURE(std::string(bad));
    CHECK_THROWS_AS(debugger.add_breakpoint(bad, false), Error);
  }
  CHECK_THROWS_AS(debugger.add_watch("nothing"), Error);
  CHECK_THROWS_AS(debugger.add_watch("row(99).m"), Error);
  CHECK_THROWS_AS(debugger.remove_breakpoint(7), Error);
  CHECK_THROWS_AS(debugger.go_to(-1), Error);
  CHECK_THROWS_AS(debugger.go_to(program.size() + 1), Error);
  CHECK_THROWS_AS(debugger.op_of_tile(9, 0), Error);
  CHECK(debugger.breakpoints().empty());
}
