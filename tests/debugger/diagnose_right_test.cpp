// Diagnosis accuses no right output: random problems, every algorithm and tiling, with and without
// LSE; and it says when no known fault explains a wrong one.
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "foreign_attention.h"
#include "sim/debugger/diagnose.h"
#include "sim/error.h"
#include "sim/machine/runner.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

constexpr int kProblems = 200;

class Dice {
 public:
  explicit Dice(int seed) : generator_(static_cast<std::uint64_t>(seed)) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[between(0, static_cast<std::int64_t>(choices.size()) - 1)];
  }

 private:
  std::mt19937_64 generator_;
};

Problem random_problem(Dice& dice) {
  Problem problem;
  problem.batch = dice.between(1, 2);
  problem.kv_heads = dice.between(1, 2);
  problem.q_heads = problem.kv_heads * dice.between(1, 2);
  problem.q_len = dice.between(1, 140);
  problem.kv_len = dice.one_in(2) ? problem.q_len : dice.between(0, 140);
  problem.head_dim = dice.pick<std::int64_t>({1, 3, 16, 64});
  problem.scale = dice.pick({default_scale(problem.head_dim), 1.0, -0.5});
  problem.dtype = dice.pick({Format::fp32, Format::fp16, Format::bf16});
  problem.mask.causal = dice.one_in(2);
  if (dice.one_in(4)) problem.mask.window_left = dice.between(0, 30);
  if (dice.one_in(6)) problem.mask.expression = expression::MaskExpression::parse("q % 5 != 3");
  return problem;
}

Outputs compute(const Scenario& scenario, const std::string& name, const Tiling& tiling) {
  const Algorithm algorithm = load_algorithm(name);
  const Precision precision = default_precision(algorithm, scenario.problem.dtype);
  const Program program(scenario.problem, algorithm, tiling, precision);
  Outputs outputs = make_outputs(scenario.problem, precision);
  run(program, scenario.inputs, outputs, {});
  return outputs;
}

Precision usual(Format dtype) { return default_precision(load_algorithm("fa2"), dtype); }

}  // namespace

TEST_CASE("a right output is never accused") {
  for (int seed = 0; seed < kProblems; ++seed) {
    Dice dice(seed);
    const Scenario scenario =
        generated_scenario(random_problem(dice), static_cast<std::uint64_t>(seed),
                           Distribution::parse(dice.pick({"normal", "outliers", "ramp"})));
    Tiling tiling;
    tiling.q_tile_rows = dice.pick<std::int64_t>({1, 16, 48, 128});
    tiling.kv_tile_rows = dice.pick<std::int64_t>({7, 16, 64, 128});
    const std::string name = dice.pick({"standard", "fa1", "fa2", "split_kv"});
    if (name == "split_kv") tiling.splits = 3;
    const std::string what = fmt::format("{}: {} on {}", seed, name, describe(scenario.problem));
    CAPTURE(what);
    const Outputs outputs = compute(scenario, name, tiling);
    Observed observed{outputs.o.view(), outputs.lse.view()};
    if (dice.one_in(3)) observed.lse.reset();
    const Diagnosis diagnosis = diagnose(scenario, observed, usual(scenario.problem.dtype));
    CAPTURE(diagnosis.max_abs_error);
    CAPTURE(diagnosis.tolerance.o);
    CHECK(diagnosis.is_right);
    CHECK(diagnosis.wrong_rows == 0);
    CHECK(diagnosis.candidates.empty());
  }
}

TEST_CASE("noise of a tenth is wrong, and no known fault") {
  Dice dice(1);
  Problem problem;
  problem.q_len = problem.kv_len = 100;
  problem.head_dim = 16;
  problem.scale = 0.25;
  const Scenario scenario = generated_scenario(problem, 1, {});
  Outputs outputs = compute(scenario, "fa2", {});
  std::vector<float> row(16);
  for (std::int64_t r = 0; r < 100; ++r) {
    outputs.o.read_row(0, 0, r, row);
    for (float& x : row) x += static_cast<float>(dice.between(-10, 10)) / 100;
    outputs.o.write_row(0, 0, r, row);
  }
  const Diagnosis diagnosis =
      diagnose(scenario, {outputs.o.view(), std::nullopt}, usual(problem.dtype));
  CHECK_FALSE(diagnosis.is_correct());
  CHECK(diagnosis.wrong_rows > 90);
  CHECK(diagnosis.candidates.empty());
  CHECK(diagnosis.hypotheses > 50);
}

TEST_CASE("one wrong row is found, with its place") {
  Problem problem;
  problem.q_heads = problem.kv_heads = 2;
  problem.q_len = problem.kv_len = 100;
  problem.head_dim = 16;
  const Scenario scenario = generated_scenario(problem, 1, {});
  Outputs outputs = compute(scenario, "fa2", {});
  outputs.o.write_row(0, 1, 77, std::vector<float>(16, 9.0F));
  const Diagnosis diagnosis =
      diagnose(scenario, {outputs.o.view(), std::nullopt}, usual(problem.dtype));
  CHECK(diagnosis.wrong_rows == 1);
  CHECK(diagnosis.head == 1);
  CHECK(diagnosis.row == 77);
  REQUIRE(diagnosis.wrong_tiles.size() == 1);
  CHECK(diagnosis.wrong_tiles[0].first_row == 64);
  CHECK(diagnosis.candidates.empty());
}

TEST_CASE("an observed O of another shape is refused") {
  Problem problem;
  problem.q_len = problem.kv_len = 8;
  problem.head_dim = 4;
  const Scenario scenario = generated_scenario(problem, 1, {});
  const Tensor other(Format::fp32, {1, 1, 7, 4});
  CHECK_THROWS_WITH_AS(
      diagnose(scenario, {other.view(), std::nullopt}, usual(problem.dtype)),
      "the observed O has shape (1, 1, 7, 4), but the problem's is (1, 1, 8, 4) as batch, heads, "
      "rows, columns; is --layout right?",
      Error);
}
