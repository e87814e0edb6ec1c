// A session moved about at random, with values set by hand, always shows what a fresh walk along
// the chain shows, bit for bit.
#include "sim/debugger/session.h"

#include <cmath>
#include <cstring>
#include <random>

#include <doctest/doctest.h>

using namespace flashscope;

namespace {

Scenario small_scenario() {
  Problem problem;
  problem.q_heads = 2;
  problem.kv_heads = 1;
  problem.q_len = 9;
  problem.kv_len = 11;
  problem.head_dim = 4;
  problem.scale = 0.5;
  problem.dtype = Format::fp16;
  problem.mask.causal = true;
  return generated_scenario(problem, 5, {});
}

Program small_program(const Scenario& scenario, const std::string& name) {
  Algorithm algorithm = load_algorithm(name);
  Tiling tiling;
  tiling.q_tile_rows = 4;
  tiling.kv_tile_rows = 3;
  if (algorithm.has_splits()) tiling.splits = 2;
  const Precision precision = default_precision(algorithm, scenario.problem.dtype);
  return {scenario.problem, std::move(algorithm), tiling, precision};
}

// The bytes of all tiles on chip as op `position` finds them, from a walk along its chain that
// starts anew; not through Session.
std::vector<std::vector<float>> fresh_tiles(const Scenario& scenario, const Program& program,
                                            std::int64_t position,
                                            const std::vector<SetEvent>& events) {
  Outputs outputs = make_outputs(program.problem(), program.precision());
  Interpreter machine(program, scenario.inputs, outputs);
  const Segment target = program.op(position).segment;
  const auto& algorithm = program.algorithm();
  bool heads = false;
  for (const Phase& phase : algorithm.phases) heads = heads || phase.grain == Grain::head;
  if (heads) {
    machine.begin(IndexRange{0, program.problem().q_len * program.group()});
  } else {
    machine.begin(Chain{target.batch, target.head, target.q_tile});
  }
  const auto blank = [&](const Segment& segment) {
    // A work item begins with nothing on chip; q tiles of one work item share nothing either.
    if (!heads) return;
    const bool starts = program.ops_of_work_item(segment.work_item).begin == segment.first_op;
    if (algorithm.phases[static_cast<std::size_t>(segment.phase)].grain != Grain::head && !starts) {
      return;
    }
    for (std::size_t n = 0; n < algorithm.buffers.size(); ++n) {
      const Buffer& buffer = algorithm.buffers[n];
      if (buffer.place == Place::hbm) continue;
      if (buffer.rows == Dim::kv_tile && segment.part == Part::step) continue;
      machine.tile(static_cast<int>(n)).values.setConstant(NAN);
    }
  };
  const auto set = [&](std::int64_t op) {
    for (const SetEvent& event : events) {
      if (event.op == op) machine.tile(event.buffer).at(event.row, event.column) = event.value;
    }
  };
  const auto walk = [&](const Segment& segment) {
    if (segment.first_op > position) return;
    if (segment.first_op == position && segment.first_op != target.first_op) return;
    machine.enter(segment);
    blank(segment);
    for (std::size_t n = 0; n < segment.lines.size(); ++n) {
      const std::int64_t op = segment.first_op + static_cast<std::int64_t>(n);
      if (op > position) return;
      set(op);
      if (op == position) return;
      machine.execute(algorithm.lines[static_cast<std::size_t>(segment.lines[n])], segment,
                      nullptr);
    }
  };
  if (target.q_tile >= 0) {
    program.visit_chain({target.batch, target.head, target.q_tile}, walk);
  } else {
    walk(target);
  }
  std::vector<std::vector<float>> tiles;
  for (std::size_t n = 0; n < algorithm.buffers.size(); ++n) {
    const Tile& tile = machine.tile(static_cast<int>(n));
    tiles.emplace_back(tile.values.data(), tile.values.data() + tile.values.size());
  }
  return tiles;
}

bool same_bits(const std::vector<std::vector<float>>& want, const Session& session) {
  for (std::size_t n = 0; n < want.size(); ++n) {
    const Tile& tile = session.tile(static_cast<int>(n));
    if (static_cast<std::size_t>(tile.values.size()) != want[n].size()) return false;
    for (std::size_t e = 0; e < want[n].size(); ++e) {
      const float a = want[n][e], b = tile.values.data()[e];
      const bool both_nan = std::isnan(a) && std::isnan(b);
      if (!both_nan && std::memcmp(&a, &b, sizeof a) != 0) return false;
    }
  }
  return true;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr int kCommands = 300, kChecks = 3;
#else
constexpr int kCommands = 10000, kChecks = 4;
#endif

// An on-chip element to set: any tile of the algorithm, any place.
void set_something(Session& session, std::mt19937_64& dice) {
  const auto& buffers = session.program().algorithm().buffers;
  const auto buffer = static_cast<int>(dice() % buffers.size());
  if (buffers[static_cast<std::size_t>(buffer)].place == Place::hbm) return;
  const Tile& tile = session.tile(buffer);
  session.set(buffer, static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(tile.rows)),
              static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(tile.columns)),
              static_cast<float>(dice() % 9) - 4.0F);
}

}  // namespace

TEST_CASE("random walks of 10,000 commands, set included, show the bits of a fresh run") {
  const Scenario scenario = small_scenario();
  for (const std::string name : {"standard", "fa1", "fa2", "split_kv"}) {
    CAPTURE(name);
    const Program program = small_program(scenario, name);
    Session session(scenario, program);
    const std::uint64_t seed = 20;
    CAPTURE(seed);
    std::mt19937_64 dice(seed);
    const auto size = static_cast<std::uint64_t>(program.size());
    int wrong = 0;
    for (int n = 0; n < kCommands; ++n) {
      switch (dice() % 10) {
        case 0:
          session.seek(static_cast<std::int64_t>(dice() % (size + 1)));
          break;
        case 1:
          session.seek(session.next_segment());
          break;
        case 2:
          session.seek(session.previous_segment());
          break;
        case 3:
          session.seek(session.next_work_item());
          break;
        case 4:
          session.seek(session.previous_work_item());
          break;
        case 5:
          if (session.position() > 0) session.seek(session.position() - 1);
          break;
        case 6:
          // A few sets only: with too many, everything is set by hand.
          if (!session.at_end() && session.events().size() < 40) set_something(session, dice);
          break;
        default:
          session.step();
          break;
      }
      if (session.at_end() || n % kChecks != 0) continue;
      const auto want = fresh_tiles(scenario, program, session.position(), session.events());
      if (!same_bits(want, session)) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("stepping from the first op to the end visits every op and fills O as a run does") {
  const Scenario scenario = small_scenario();
  for (const std::string name : {"standard", "fa1", "fa2", "split_kv"}) {
    CAPTURE(name);
    const Program program = small_program(scenario, name);
    Session session(scenario, program);
    std::int64_t steps = 0;
    while (session.step()) ++steps;
    CHECK(steps == program.size());
    Outputs plain = make_outputs(program.problem(), program.precision());
    Interpreter machine(program, scenario.inputs, plain);
    for (std::int64_t n = 0; n < program.chains(); ++n) {
      machine.begin(program.chain(n));
      program.visit_chain(program.chain(n), [&](const Segment& s) { machine.execute(s, nullptr); });
    }
    CHECK(std::memcmp(plain.o.bytes().data(), session.outputs().o.bytes().data(),
                      plain.o.bytes().size()) == 0);
    CHECK(std::memcmp(plain.lse.bytes().data(), session.outputs().lse.bytes().data(),
                      plain.lse.bytes().size()) == 0);
  }
}
