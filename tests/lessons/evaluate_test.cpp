// Expressions over facts and tiles, and numbers as people write them.
#include "lessons/engine/evaluate.h"

#include <cmath>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "lessons/engine/evaluate_numbers.h"
#include "sim/error.h"

namespace flashscope::lessons {
namespace {

ScenarioChange pencil(const std::string& algorithm = "fa2") {
  ScenarioChange change;
  change.options.problem = "pencil";
  change.options.algorithm = algorithm;
  return change;
}

struct World {
  explicit World(const std::string& algorithm = "fa2") {
    facts.define("fa2", pencil());
    facts.define("standard", pencil("standard"));
    facts.define("here_too", pencil(algorithm));
    facts.open("here_too");
    scenario = facts.find("here").setup().make_scenario();
    debugger.emplace(scenario, facts.find("here").program());
  }
  double operator()(const std::string& text) { return evaluate(text, facts, &*debugger); }
  Facts facts;
  Scenario scenario;
  std::optional<Debugger> debugger;
};

std::string reason(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing is wrong";
}

}  // namespace

TEST_CASE("tiles, scalars and facts stand in one expression") {
  World world;
  world.debugger->go_to(23);  // behind the second kv tile of q tile 0
  CHECK(world("l[0]") ==
        doctest::Approx(std::exp(-2.0) * (1 + std::exp(-1.0)) + 1 + std::exp(-1.0)));
  CHECK(world("row(1).m - m[1]") == 0);
  CHECK(world("op + fa2.q_len") == 27);
  CHECK(world("load_bytes < fa2.load_bytes ? fa2.q_tiles : 0") == 2);
  CHECK(world("fa2.load_bytes == here.load_bytes && alpha[0] < 1") == 1);
  CHECK(world("max(fa2.q_len, standard.kv_len)") == 4);
  // Pencil, fp32: Q once, K and V for each of two q tiles.
  CHECK(world("fa2.load_bytes") == 32 + 2 * 64);
  CHECK(holds("any(alpha < 1)", world.facts, &*world.debugger));
  CHECK(!holds("row(3).m == 0", world.facts, &*world.debugger));  // another tile: not there
}

TEST_CASE("without a place, facts have values and tiles are an error") {
  World world;
  CHECK(evaluate("fa2.store_bytes * 2", world.facts, nullptr) == 2 * (32 + 16));
  CHECK(reason([&] { evaluate("l[0]", world.facts, nullptr); }).starts_with("l[0]: "));
}

TEST_CASE("mistakes are one line with the expression and the nearest name") {
  World world;
  const auto why = [&](const std::string& text) { return reason([&] { world(text); }); };
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"fa3.load_bytes", "no scenario 'fa3'; did you mean 'fa2'"},
           {"fa2.lod_bytes", "no fact 'lod_bytes'; did you mean 'load_bytes'"},
           {"alpa[0]", "did you mean `alpha`"},
           {"l[0] +", "expected a value"},
           {"l[9]", "out of range"},
           {"fa2.a.b", "no fact 'a.b'"},
           {"l", "one number is wanted"},
           {"fa2.measured_us", "has no record"}}) {
    CAPTURE(text);
    const std::string said = why(text);
    CAPTURE(said);
    CHECK(said.starts_with(text + ": "));
    CHECK(said.find('\n') == std::string::npos);
    if (part[0] != 'd') CHECK(said.find(part) != std::string::npos);
  }
}

TEST_CASE("between two q tiles, tiles are as the last op left them") {
  for (const std::string algorithm : {"fa1", "fa2"}) {
    CAPTURE(algorithm);
    World world(algorithm);
    const Program& program = world.debugger->program();
    // Behind the last op of q tile 0 on the last kv tile.
    std::int64_t place = 0;
    for (std::int64_t op = 0; op < program.size(); ++op) {
      const Segment segment = program.op(op).segment;
      const bool last = algorithm == "fa1" ? segment.kv_tile == 1 && segment.part == Part::step
                                           : segment.part == Part::after;
      if (segment.q_tile == 0 && last) place = op + 1;
    }
    world.debugger->go_to(place);
    CHECK(world("O[0,0]") == doctest::Approx(1.375).epsilon(0.001));
    CHECK(world("row(0).O[1]") == doctest::Approx(0.5058).epsilon(0.001));
    CHECK(world("LSE[0]") == doctest::Approx(3.440).epsilon(0.001));
    CHECK(world("i") == 1);
    CHECK(world("op") == static_cast<double>(place));
    CHECK(world.debugger->session().position() == place);
  }
}

TEST_CASE("numbers are written for people") {
  struct Case {
    double value;
    Unit unit;
    int digits;
    std::string text;
  };
  for (const Case& c : std::vector<Case>{{2181038080, Unit::bytes, 3, "2.18 GB"},
                                         {2181038080, Unit::bytes, 0, "2,181,038,080 B"},
                                         {112, Unit::bytes, 3, "112 B"},
                                         {9999, Unit::bytes, 2, "9,999 B"},
                                         {999999, Unit::bytes, 3, "1 MB"},
                                         {16384, Unit::bytes, 4, "16.38 kB"},
                                         {49152, Unit::binary_bytes, 3, "48 KiB"},
                                         {166912, Unit::binary_bytes, 3, "163 KiB"},
                                         {1.5530013, Unit::none, 4, "1.553"},
                                         {0.1353353, Unit::none, 4, "0.1353"},
                                         {16384, Unit::none, 4, "16,384"},
                                         {1234567.8, Unit::none, 3, "1,234,568"},
                                         {-1234.5, Unit::none, 6, "-1,234.5"},
                                         {-0.04979, Unit::none, 3, "-0.0498"},
                                         {0, Unit::none, 4, "0"},
                                         {2, Unit::none, 4, "2"},
                                         {2.3e-5, Unit::none, 2, "2.3e-05"},
                                         {0.125, Unit::percent, 3, "12.5 %"},
                                         {21.66, Unit::times, 2, "22 x"},
                                         {4, Unit::times, 2, "4 x"},
                                         {846.304, Unit::microseconds, 3, "846 us"},
                                         {2381.55, Unit::microseconds, 3, "2.38 ms"},
                                         {-INFINITY, Unit::none, 4, "-inf"}}) {
    CAPTURE(c.text);
    CHECK(format_value(c.value, c.unit, c.digits) == c.text);
  }
}

TEST_CASE("numbers in the prose are understood, with half a unit of their last digit") {
  struct Case {
    std::string text;
    double value, tolerance;
  };
  for (const Case& c : std::vector<Case>{{"2,181,038,080", 2181038080, 0.5},
                                         {"1.553", 1.553, 0.0005},
                                         {"6.6 GB", 6.6e9, 0.05e9},
                                         {"163 KiB", 163 * 1024, 512},
                                         {"12.5 %", 0.125, 0.0005},
                                         {"4x", 4, 0.5},
                                         {"4 \u00d7", 4, 0.5},
                                         {"21 times", 21, 0.5},
                                         {"-0.05", -0.05, 0.005},
                                         {"\u22121.5", -1.5, 0.05},
                                         {"64 rows", 64, 0.5},
                                         {"64 bytes", 64, 0.5},
                                         {"2.2 million", 2.2e6, 0.05e6},
                                         {"846 \u00b5s", 846, 0.5},
                                         {"2.38 ms", 2380, 5},
                                         {"4.8 TB/s", 4.8e12, 0.05e12},
                                         {"312 TFLOP/s", 312e12, 0.5e12},
                                         {"23.2 FLOP/byte", 23.2, 0.05},
                                         {"2.3e-5", 2.3e-5, 0.05e-5},
                                         {"~2,000", 2000, 500},
                                         {"about 20 times", 20, 5},
                                         {"~1.5", 1.5, 0.05}}) {
    CAPTURE(c.text);
    const auto stated = parse_stated(c.text);
    REQUIRE(stated);
    CHECK(stated->value == doctest::Approx(c.value).epsilon(1e-12));
    CHECK(stated->tolerance == doctest::Approx(c.tolerance).epsilon(1e-9));
  }
  for (const std::string text : {"", "many", "1/4", "2 x 2", "1.2.3", "5 Gb", "5 KB", "3 of 4",
                                 "1.5.", "x", "fp16", "- 3"}) {
    CAPTURE(text);
    CHECK(!parse_stated(text));
  }
  CHECK(parse_stated("-inf")->agrees(-INFINITY));
  CHECK(!parse_stated("-inf")->agrees(INFINITY));
  CHECK(parse_stated("1.5")->agrees(1.55));
  CHECK(!parse_stated("1.5")->agrees(1.56));
  CHECK(!parse_stated("1.5")->agrees(NAN));
}

TEST_CASE("what is shown is understood again") {
  const unsigned seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-3, 14), mantissa(-10, 10);
  const Unit units[] = {Unit::none,  Unit::bytes,   Unit::binary_bytes,
                        Unit::times, Unit::percent, Unit::microseconds};
  for (int n = 0; n < 20000; ++n) {
    const double value = mantissa(random) * std::pow(10, exponent(random));
    const int digits = 1 + static_cast<int>(random() % 6);
    const Unit unit = units[random() % 6];
    const std::string text = format_value(value, unit, digits);
    CAPTURE(value);
    CAPTURE(text);
    const auto stated = parse_stated(text);
    REQUIRE(stated);
    // Zeros at the end are cut off, so a shown "1.5" may stand for 1.50 and be meant more exactly.
    CHECK(stated->agrees(value));
  }
}

TEST_CASE("numbers are found in running text, and only what somebody computed is a claim") {
  const std::string text = plain_numbers(
      "In fp16, version 12.4.1, 2 x 2 tiles of 1,024 rows move 6.6 GB, 4 x as much, e^-1.5, "
      "O(N^2.5), keys 2-3, 0.5\u00a0%, rows 0-1.5. H100 has 3.");
  std::vector<std::string> claims;
  for (auto number = next_number(text, 0); number; number = next_number(text, number->end)) {
    if (number->is_claim) claims.push_back(text.substr(number->begin, number->end - number->begin));
  }
  CHECK(claims == std::vector<std::string>{"1,024", "6.6 GB", "4 x", "0.5 %", "1.5"});
}

}  // namespace flashscope::lessons
