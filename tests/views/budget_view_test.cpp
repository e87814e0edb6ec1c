// What the SRAM budget panel shows equals the budget's integers.
#include "viz/views/budget_view.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "sim/model/device.h"
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

std::vector<Program> programs() {
  Problem causal;
  causal.q_heads = causal.kv_heads = 8;
  causal.q_len = causal.kv_len = 4096;
  causal.head_dim = 64;
  causal.mask.causal = true;
  std::vector<Program> result;
  for (const std::string& name : built_in_algorithm_names()) {
    result.push_back(make_program(pencil_scenario().problem, name, 2, 2));
    for (const WhisperProblem& problem : whisper_problems()) {
      result.push_back(make_program(whisper_scenario(problem).problem, name, 64, 32));
    }
    result.push_back(make_program(causal, name, 128, 64));
    result.push_back(make_program(causal, name, 512, 512));  // fits nowhere
  }
  return result;
}

TEST_CASE("SRAM budget panel: phases, tiles and limits are those of budget()") {
  for (const Program& program : programs()) {
    for (const Device& device : devices()) {
      for (const Placement placement : {Placement::kernel, Placement::paper}) {
        CAPTURE(program.algorithm().name);
        CAPTURE(device.name);
        const Budget expected = budget(program.algorithm(), program.problem(), program.tiling(),
                                       program.precision(), device, placement);
        const views::BudgetView view =
            views::budget_view(program, program.tiling(), device, placement);
        CHECK(view.budget.fits == expected.fits);
        CHECK(view.budget.reason == expected.reason);
        REQUIRE(view.phases.size() == expected.phases.size());
        std::size_t tiles = 0;
        std::int64_t most_shared = 0, most_registers = 0, fewest_blocks = kBlocksPerSmLimit;
        for (std::size_t n = 0; n < view.phases.size(); ++n) {
          const views::PhaseNeeds& phase = view.phases[n];
          std::int64_t shared = 0;
          std::int64_t registers = placement == Placement::kernel ? kOverheadRegisters : 0;
          for (const auto& [item, copies] : phase.tiles) {
            ++tiles;
            CHECK(item.bytes ==
                  item.rows * item.columns * bytes_per_element(item.format) * item.stages);
            if (item.place == Place::shared) {
              shared += item.bytes;
              CHECK(views::registers_formula({item, copies}, phase.needs).empty());
              continue;
            }
            registers += item.registers_per_thread;
            const std::int64_t slots = phase.needs.threads * 4;
            CHECK(item.registers_per_thread == (item.bytes * copies + slots - 1) / slots);
          }
          CHECK(phase.needs.shared_bytes == shared);
          CHECK(phase.needs.registers_per_thread == registers);
          CHECK((phase.fits_shared_memory && phase.fits_registers) ==
                (phase.needs.blocks_per_sm > 0));
          CHECK(phase.blocks_limited_by.empty() == (phase.needs.blocks_per_sm == 0));
          if (phase.needs.blocks_per_sm > 0) {
            CHECK(phase.needs.blocks_per_sm ==
                  std::min(phase.needs.blocks_by_shared_memory, phase.needs.blocks_by_registers));
          }
          most_shared = std::max(most_shared, shared);
          most_registers = std::max(most_registers, registers);
          fewest_blocks = std::min(fewest_blocks, phase.needs.blocks_per_sm);
        }
        CHECK(tiles == expected.items.size());
        CHECK(most_shared == expected.shared_bytes);
        CHECK(most_registers == expected.registers_per_thread);
        CHECK(fewest_blocks == expected.blocks_per_sm);
        CHECK(views::budget_sheet(view).rows.size() == tiles + view.phases.size());
      }
    }
  }
}

TEST_CASE("SRAM budget panel: the map says of every tiling what budget() says") {
  for (const Program& program : programs()) {
    const Device& device = find_device("h100");
    const views::FitMap map = views::fit_map(program, device, Placement::kernel);
    for (const auto& [q, kv] : {std::pair{0, 0}, {4, 6}, {7, 6}, {7, 7}, {9, 9}, {9, 0}}) {
      Tiling tiling = program.tiling();
      tiling.q_tile_rows = std::int64_t{1} << q;
      tiling.kv_tile_rows = std::int64_t{1} << kv;
      const Budget expected = budget(program.algorithm(), program.problem(), tiling,
                                     program.precision(), device, Placement::kernel);
      CHECK(map.cell(q, kv).fits == expected.fits);
      CHECK(map.cell(q, kv).shared_bytes == expected.shared_bytes);
      CHECK(map.cell(q, kv).registers_per_thread == expected.registers_per_thread);
      CHECK(map.cell(q, kv).blocks_per_sm == expected.blocks_per_sm);
    }
  }
}

TEST_CASE("SRAM budget panel: formulas read as the budget multiplies") {
  Problem problem;
  problem.q_len = problem.kv_len = 4096;
  problem.head_dim = 64;
  const Program program = make_program(problem, "fa2", 128, 64);
  const views::BudgetView view =
      views::budget_view(program, program.tiling(), find_device("a100-80"), Placement::kernel);
  REQUIRE(view.phases.size() == 1);
  const auto tile = [&](const std::string& name) {
    for (const views::BudgetTile& t : view.phases[0].tiles) {
      if (t.item.buffer == name) return t;
    }
    return views::BudgetTile{};
  };
  CHECK(views::bytes_formula(tile("K")) == "64 × 64 × 2 B × 2 stages");
  CHECK(tile("K").item.bytes == 16384);
  CHECK(views::registers_formula(tile("S"), view.phases[0].needs) ==
        "128 × 64 × 4 B / (256 threads × 4 B), rounded up");
  CHECK(tile("S").item.registers_per_thread == 32);
  CHECK(views::registers_formula(tile("m"), view.phases[0].needs) ==
        "128 × 1 × 4 B × 4 copies / (256 threads × 4 B), rounded up");
  CHECK(tile("m").item.registers_per_thread == 2);
}

TEST_CASE("SRAM budget panel: only long mask expressions are ranked on demand") {
  Problem problem;
  problem.q_len = problem.kv_len = 1 << 20;
  CHECK(views::ranks_at_once(problem));
  problem.mask.expression = expression::MaskExpression::parse("k % 3 != 0");
  CHECK(!views::ranks_at_once(problem));
  problem.q_len = problem.kv_len = 512;
  CHECK(views::ranks_at_once(problem));
}

}  // namespace
}  // namespace flashscope::test
