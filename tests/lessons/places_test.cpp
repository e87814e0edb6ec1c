// Places, held against a plain walk over all ops of the program.
#include "lessons/engine/places.h"

#include <chrono>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "lessons/engine/evaluate.h"
#include "lessons/engine/facts_options.h"
#include "sim/error.h"

namespace flashscope::lessons {
namespace {

struct World {
  World(std::vector<std::pair<std::string, std::string>> options, bool with_data = true) {
    ScenarioChange change;
    for (const auto& [name, value] : options) set_option(change.options, name, value);
    facts.define("it", change);
    facts.open("it");
    if (!with_data) return;
    scenario = facts.find("here").setup().make_scenario();
    debugger.emplace(scenario, facts.find("here").program());
  }
  std::int64_t find(const Place& place, std::int64_t from = -1) {
    return find_place(place, from, *debugger, facts);
  }
  std::string why(const Place& place) {
    try {
      find(place);
    } catch (const Error& error) {
      return error.what();
    }
    return "found";
  }
  Facts facts;
  Scenario scenario;
  std::optional<Debugger> debugger;
};

Place tile(std::int64_t i, std::int64_t j) {
  Place place;
  place.q_tile = i;
  place.kv_tile = j;
  return place;
}

Place after(Place place, const std::string& line) {
  place.after = Sourced{line, 1};
  return place;
}

Place before(Place place, const std::string& line) {
  place.before = Sourced{line, 1};
  return place;
}

Place when(Place place, const std::string& condition) {
  place.when = Sourced{condition, 1};
  return place;
}

// Positions that a line and a tile mean, by looking at every op.
std::vector<std::int64_t> all_positions(const Program& program, const std::string& line,
                                        std::int64_t i, std::int64_t j, bool behind) {
  std::vector<std::int64_t> positions;
  for (std::int64_t op = 0; op < program.size(); ++op) {
    const Op at = program.op(op);
    const Segment& s = at.segment;
    const bool is_line = program.algorithm().lines[static_cast<std::size_t>(at.line)].text == line;
    if (is_line && (s.q_tile == i || s.q_tile < 0) && (s.kv_tile == j || s.kv_tile < 0)) {
      positions.push_back(op + (behind ? 1 : 0));
    }
  }
  return positions;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a line in a tile is where a walk over all ops meets it, from any position") {
  for (const std::string algorithm : {"standard", "fa1", "fa2", "split_kv"}) {
    for (const bool causal : {false, true}) {
      CAPTURE(algorithm);
      CAPTURE(causal);
      World world({{"q-len", "12"},
                   {"kv-len", "12"},
                   {"head-dim", "4"},
                   {"q-tile", "4"},
                   {"kv-tile", "3"},
                   {"q-heads", "2"},
                   {"algorithm", algorithm},
                   {"causal", causal ? "true" : "false"}});
      const Program& program = world.debugger->program();
      for (const Line& line : program.algorithm().lines) {
        for (std::int64_t i = 0; i < 3; ++i) {
          for (std::int64_t j = 0; j < 4; ++j) {
            for (const bool behind : {true, false}) {
              CAPTURE(line.text);
              CAPTURE(i);
              CAPTURE(j);
              const auto wanted = all_positions(program, line.text, i, j, behind);
              Place place = behind ? after(tile(i, j), line.text) : before(tile(i, j), line.text);
              place.batch = 0;  // any head: not the one where the debugger stands first
              if (wanted.empty()) {
                CHECK_THROWS_AS(world.find(place), Error);
                continue;
              }
              CHECK(world.find(place) == wanted.front());
              for (std::size_t n = 0; n < wanted.size(); ++n) {
                CHECK(world.find(place, wanted[n]) == wanted[(n + 1) % wanted.size()]);
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("places of the pencil problem are those of the walk in README.md") {
  World world({{"problem", "pencil"}, {"q-tile", "2"}});
  CHECK(world.find(before(tile(0, 1), "load K")) == 13);
  CHECK(world.find(after(tile(0, 1), "l = alpha * l")) == 20);
  CHECK(world.find(after({}, "alpha = exp(m - m_new)")) == world.find(after(tile(0, 0), "alpha")));
  CHECK(world.find(tile(0, 1)) == 23);
  CHECK(world.find(tile(0, 0)) == 13);
  CHECK(world.find(when({}, "m_new[0] == 3")) == 17);
  CHECK(world.find(when({}, "load_bytes > 48")) == 14);  // Q, K, V, and the next K
  CHECK(world.find(when(tile(0, 1), "l[0] > 1.4")) == 20);
  Place place;
  place.end = true;
  CHECK(world.find(place) == world.debugger->program().size());
  place = {};
  place.op = 7;
  CHECK(world.find(place, 30) == 7);
  place = {};
  place.q_tile = 1;
  CHECK(world.find(place) == world.debugger->program().ops_of_work_item(1).begin);
  // The first op is a place as well.
  CHECK(world.find(before({}, "load Q")) == 0);
  CHECK(world.find(before({}, "load Q"), 0) == world.debugger->program().ops_of_work_item(1).begin);
}

TEST_CASE("a tile is looked for in the head where the debugger stands") {
  World world({{"q-len", "8"},
               {"head-dim", "4"},
               {"q-tile", "4"},
               {"kv-tile", "4"},
               {"q-heads", "3"},
               {"batch", "2"}});
  const Program& program = world.debugger->program();
  const std::int64_t head_1 = program.ops_of_head(0, 0, 1).begin;
  world.debugger->go_to(head_1 + 40);
  const std::int64_t found = world.find(tile(0, 0), head_1 + 40);
  CHECK(found > head_1);
  CHECK(found < head_1 + 40);
  Place place = tile(0, 0);
  place.head = 2;
  CHECK(program.op(world.find(place, head_1)).segment.head == 2);
  place.batch = 1;
  CHECK(program.op(world.find(place, head_1)).segment.batch == 1);
  place = {};
  place.head = 1;
  CHECK(world.find(place, 3) == head_1);
  place.batch = 1;
  CHECK(world.find(place, 3) == program.ops_of_head(0, 1, 1).begin);
}

TEST_CASE("impossible places are told with what there is") {
  World world(
      {{"q-len", "8"}, {"head-dim", "4"}, {"q-tile", "4"}, {"kv-tile", "2"}, {"causal", "true"}});
  CHECK(contains(world.why(tile(0, 9)), "tile [0, 9]: there are kv tiles 0 to 3"));
  CHECK(contains(world.why(tile(2, 0)), "tile [2, 0]: there are q tiles 0 to 1"));
  CHECK(contains(world.why(tile(0, 3)), "tile [0, 3] is never visited: the mask leaves it out"));
  CHECK(contains(world.why(after(tile(1, 0), "mask S")),
                 "'mask S' is not executed in tile [1, 0], which is full"));
  CHECK(contains(world.why(after({}, "alfa = exp")), "no line of the table begins with 'alfa"));
  CHECK(contains(world.why(after({}, "alfa = exp")), "the nearest is 'alpha = exp(m - m_new)'"));
  CHECK(contains(world.why(after({}, "O =")), "several lines of the table begin with"));
  CHECK(contains(world.why(after({}, "m_new = m if")), "never executed"));
  Place place;
  place.head = 1;
  CHECK(contains(world.why(place), "head 1: there are heads 0 to 0"));
  place = {};
  place.op = 100000;
  CHECK(contains(world.why(place), "op 100000: there are ops 0 to"));
  CHECK(contains(world.why(when({}, "l[0] < -1")), "'l[0] < -1' holds nowhere"));
  CHECK(contains(world.why(when({}, "lll[0] < -1")), "lll[0] < -1: "));
}

TEST_CASE("a when finds the first place that a step by step run finds, round once") {
  for (const std::string algorithm : {"fa1", "fa2", "split_kv", "standard"}) {
    for (const std::string condition :
         {"any(l > 1.3)", "i == 1", "op == 41", "j == 1 && any(P == 1)", "load_bytes >= 100",
          "any(O > 1)"}) {
      // There, P is normalised and l is a softmax phase's own.
      if (algorithm == "standard" && (contains(condition, "l >") || contains(condition, "P =="))) {
        continue;
      }
      CAPTURE(algorithm);
      CAPTURE(condition);
      World world({{"problem", "pencil"}, {"algorithm", algorithm}});
      std::vector<std::int64_t> wanted;
      Debugger& debugger = *world.debugger;
      for (std::int64_t op = 0; op <= debugger.program().size(); ++op) {
        debugger.go_to(op);
        if (holds(condition, world.facts, &debugger)) wanted.push_back(op);
      }
      REQUIRE(!wanted.empty());
      CHECK(world.find(when({}, condition)) == wanted.front());
      for (const std::int64_t from : {std::int64_t{5}, std::int64_t{30}, wanted.back()}) {
        std::int64_t next = wanted.front();
        for (const std::int64_t op : wanted) {
          if (op > from) {
            next = op;
            break;
          }
        }
        CHECK(world.find(when({}, condition), from) == next);
      }
    }
  }
}

TEST_CASE("a place in a long problem is found at once") {
  World world({{"q-len", "65536"},
               {"kv-len", "65536"},
               {"head-dim", "1"},
               {"q-tile", "128"},
               {"kv-tile", "64"}});
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t found = world.find(after(tile(400, 900), "alpha ="));
  const Segment segment = world.debugger->program().op(found).segment;
  CHECK(segment.q_tile == 400);
  CHECK(segment.kv_tile == 900);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}

}  // namespace flashscope::lessons
