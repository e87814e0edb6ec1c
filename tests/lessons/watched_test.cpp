// What a condition looks at, as whoever tries to fulfil it is told.
#include "lessons/engine/watched.h"

#include <doctest/doctest.h>

#include "sim/error.h"

namespace flashscope::lessons {
namespace {

struct World {
  World() {
    ScenarioChange change;
    change.options.problem = "pencil";
    facts.define("start", change);
    facts.open("start");
    ScenarioChange large;
    large.options.q_len = 4096;
    large.options.q_tile = large.options.kv_tile = 64;
    facts.define("large", large);
    large.options.kv_order = "descending";
    large.options.kv_len = 4097;
    facts.define("larger", large);
    scenario = facts.find("here").setup().make_scenario();
    debugger.emplace(scenario, facts.find("here").program());
  }
  std::string at(std::int64_t op, const std::string& condition) {
    debugger->go_to(op);
    return watched_text(watched(condition, facts, &*debugger));
  }
  std::string facts_of(const std::string& condition) {
    return watched_text(watched(condition, facts, nullptr));
  }
  Facts facts;
  Scenario scenario;
  std::optional<Debugger> debugger;
};

}  // namespace

TEST_CASE("every fact of a condition is told once, in its order, with its unit") {
  World world;
  CHECK(world.facts_of("here.load_bytes < 100 && here.fits == 1 && here.load_bytes > 1e-3") ==
        "here.load_bytes = 160 B, here.fits = 1");
  CHECK(world.facts_of("here.q_len == 4 and not (here.kv_len < 2) or here.fits") ==
        "here.q_len = 4, here.kv_len = 4, here.fits = 1");
  CHECK(world.facts_of("large.load_bytes > 1") == "large.load_bytes = 67.63 MB");
  CHECK(world.facts_of("large.shared_limit > 1") == "large.shared_limit = 163 KiB");
}

TEST_CASE("a computed side of a comparison has its value behind those that it is made of") {
  World world;
  CHECK(world.facts_of("here.matmul_flops / here.load_bytes > 35") ==
        "here.matmul_flops = 128, here.load_bytes = 160 B, here.matmul_flops / here.load_bytes = "
        "0.8");
  CHECK(world.facts_of("here.load_bytes <= start.load_bytes / 2") ==
        "here.load_bytes = 160 B, start.load_bytes = 160 B, start.load_bytes / 2 = 80 B");
  // Numbers alone, and what stands in brackets, are no sides.
  CHECK(world.facts_of("here.q_len == 2 * 2") == "here.q_len = 4");
  CHECK(world.facts_of("(here.q_len << 1 > 3)") == "here.q_len = 4");
}

TEST_CASE("different bytes never read the same") {
  World world;
  const std::string text = world.facts_of("large.q_bytes + 0 < large.q_bytes + 100");
  CHECK(text.find("large.q_bytes = 524.3 kB") == 0);
  const auto values = watched("large.load_bytes < larger.load_bytes + 0", world.facts, nullptr);
  REQUIRE(values.size() == 3);
  CHECK(values[1].value == values[2].value);
  CHECK(values[0].value != values[1].value);
  const double near = world.facts.find("large").fact("load_bytes");
  const auto close = watched("large.load_bytes < large.load_bytes + 2", world.facts, nullptr);
  REQUIRE(close.size() == 2);
  CHECK(close[0].value == format_value(near, Unit::bytes, 0));
  CHECK(close[1].value == format_value(near + 2, Unit::bytes, 0));
}

TEST_CASE("tiles, elements and numbers of the place are told as they are there") {
  World world;
  CHECK(world.at(0, "op > 3 && alpha[0] < 1") == "op = 0, alpha[0] = nothing yet");
  CHECK(world.at(0, "any(alpha < 1)") == "alpha = nothing yet");
  CHECK(world.at(19, "op > 3 && alpha[0] < 1 && S[0, 1] > -inf && tile_class == full") ==
        "op = 19, alpha[0] = 0.1353, S[0, 1] = 2, tile_class = 2");
  CHECK(world.at(19, "row(0).alpha < 1 && row(3).m > 1") ==
        "row(0).alpha = 0.1353, row(3).m = nothing yet");
  CHECK(world.at(19, "any(alpha < 1)") == "alpha = 0.1353 1");
}

TEST_CASE("what can't be told does no harm") {
  World world;
  for (const char* condition :
       {"", "(", "here.", "here.nosuch > 1", "zz > 1", "here.q_len >", "row(", "S[", "1e", "<",
        "&&", "here.q_len ? 1 : ", "\"", "here.q_len > 3 &&"}) {
    CAPTURE(std::string(condition));
    CHECK(watched(condition, world.facts, &*world.debugger).empty());
  }
  CHECK(watched("alpha[0] < 1", world.facts, nullptr).empty());
  const std::string text = world.facts_of("here.measured_us > 1 && here.q_len == 4");
  CHECK(text.find("here.measured_us = unknown (the scenario has no record") == 0);
  CHECK(text.find("here.q_len = 4") != std::string::npos);
}

}  // namespace flashscope::lessons
