// The tile map against a walk over every op of the program.
#include "viz/views/tile_map_view.h"

#include <map>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "sim/attention/algorithm.h"
#include "sim/attention/faults.h"
#include "sim/debugger/debugger.h"

using namespace flashscope;
using views::TileMapView;
using views::TileState;

namespace {

Tiling tiles(std::int64_t q_tile_rows, std::int64_t kv_tile_rows) {
  Tiling tiling;
  tiling.q_tile_rows = q_tile_rows;
  tiling.kv_tile_rows = kv_tile_rows;
  return tiling;
}

Program program_of(const Problem& problem, const std::string& algorithm, const Tiling& tiling) {
  Algorithm table = load_algorithm(algorithm);
  const Precision precision = default_precision(table, problem.dtype);
  return {problem, std::move(table), tiling, precision};
}

Problem problem_of(std::int64_t q_len, std::int64_t kv_len, bool causal) {
  Problem problem;
  problem.q_heads = 4;
  problem.kv_heads = 2;
  problem.q_len = q_len;
  problem.kv_len = kv_len;
  problem.head_dim = 8;
  problem.mask.causal = causal;
  return problem;
}

// Every tile of one head and phase: the ops of its steps, in the order of the program.
using Walked = std::map<std::pair<std::int64_t, std::int64_t>, std::vector<IndexRange>>;
Walked walk(const Program& program, int phase, std::int64_t batch, std::int64_t head) {
  Walked walked;
  program.visit({0, program.size()}, [&](const Segment& segment) {
    if (segment.phase != phase || segment.batch != batch || segment.head != head) return;
    if (segment.part != Part::step || segment.lines.empty()) return;
    const auto ops = static_cast<std::int64_t>(segment.lines.size());
    walked[{segment.q_tile, segment.kv_tile}].push_back({segment.first_op, segment.first_op + ops});
  });
  return walked;
}

void check_against_walk(const Program& program, std::int64_t batch, std::int64_t head) {
  for (const int phase : TileMapView::phases_with_tiles(program)) {
    const TileMapView view(program, phase, batch, head);
    const Walked walked = walk(program, phase, batch, head);
    const std::int64_t stride = std::max<std::int64_t>(1, program.size() / 61);
    for (std::int64_t position = 0; position <= program.size(); position += stride) {
      const views::TileMapBins bins =
          view.bins({0, view.q_tiles()}, {0, view.kv_tiles()}, 1, 1, position);
      std::int64_t done = 0;
      for (std::int64_t i = 0; i < view.q_tiles(); ++i) {
        for (std::int64_t j = 0; j < view.kv_tiles(); ++j) {
          const views::TileMapCell cell = view.cell(i, j, position);
          const auto found = walked.find({i, j});
          TileState state = TileState::never;
          std::int32_t done_here = 0;
          if (found != walked.end()) {
            bool is_current = false;
            for (const IndexRange& ops : found->second) {
              done_here += ops.end <= position ? 1 : 0;
              is_current = is_current || ops.contains(position);
            }
            state = is_current ? TileState::current
                    : done_here == static_cast<std::int32_t>(found->second.size())
                        ? TileState::done
                        : TileState::to_come;
            REQUIRE(cell.op == found->second.front().begin);
          }
          REQUIRE(cell.state == state);
          REQUIRE(bins.at(i, j).done == done_here);
          REQUIRE(bins.at(i, j).tiles[static_cast<std::size_t>(cell.tile_class)] == 1);
          done += done_here;
        }
      }
      REQUIRE(view.done(position) == done);
    }
  }
}

}  // namespace

TEST_CASE("a tile map knows what is done, current and to come, whatever the algorithm") {
  Tiling tiling = tiles(4, 3);
  for (const std::string name : {"fa2", "fa1", "standard", "split_kv"}) {
    CAPTURE(name);
    Tiling cut = tiling;
    if (name == "split_kv") cut.splits = 3;
    for (const bool causal : {false, true}) {
      const Program program = program_of(problem_of(10, 14, causal), name, cut);
      check_against_walk(program, 0, 0);
      check_against_walk(program, 0, 3);
    }
  }
}

TEST_CASE("a tile map follows descending keys, packed heads and masks that differ by head") {
  Tiling tiling = tiles(4, 3);
  tiling.kv_order = KvOrder::descending;
  tiling.pack_gqa = true;
  check_against_walk(program_of(problem_of(6, 14, true), "fa2", tiling), 0, 1);
  tiling.pack_gqa = false;
  check_against_walk(program_of(problem_of(6, 14, true), "fa1", tiling), 0, 1);
  Problem problem = problem_of(9, 13, false);
  problem.mask.expression = expression::MaskExpression::parse("(q / 3 + k / 4 + h) % 2 == 0");
  for (const std::int64_t head : {0, 1}) {
    check_against_walk(program_of(problem, "fa2", tiling), 0, head);
    check_against_walk(program_of(problem, "fa1", tiling), 0, head);
  }
}

TEST_CASE("classes are the mask's, also where a loop has wrong bounds") {
  Tiling tiling = tiles(2, 2);
  const Problem problem = problem_of(8, 8, true);
  Algorithm table = load_algorithm("fa2");
  table.behaviour.causal_loop = CausalLoop::last_left_out;
  const Program program(problem, table, tiling, default_precision(table, problem.dtype));
  const TileMapView view(program, 0, 0, 0);
  CHECK(view.cell(3, 3, 0).tile_class == TileClass::partial);
  CHECK(view.cell(3, 3, 0).visits == 0);
  table.behaviour.causal_loop = CausalLoop::stages_overlap;
  const Program twice(problem, table, tiling, default_precision(table, problem.dtype));
  check_against_walk(twice, 0, 0);
}

TEST_CASE("bins add up to their tiles") {
  Tiling tiling = tiles(2, 2);
  for (const std::string name : {"fa2", "fa1"}) {
    const Program program = program_of(problem_of(30, 50, true), name, tiling);
    const TileMapView view(program, TileMapView::phase_at(program, {}), 0, 1);
    const std::int64_t position = program.size() / 2 + 3;
    views::TileMapBins coarse = view.bins({2, 13}, {1, 24}, 3, 4, 0);
    view.update_done(coarse, position);
    CHECK(coarse.rows == 4);
    CHECK(coarse.columns == 6);
    for (std::int64_t row = 0; row < coarse.rows; ++row) {
      for (std::int64_t column = 0; column < coarse.columns; ++column) {
        views::TileMapBins::Bin sum;
        for (std::int64_t i = 2 + row * 3; i < std::min<std::int64_t>(13, 5 + row * 3); ++i) {
          for (std::int64_t j = 1 + column * 4; j < std::min<std::int64_t>(24, 5 + column * 4);
               ++j) {
            const views::TileMapCell cell = view.cell(i, j, position);
            ++sum.tiles[static_cast<std::size_t>(cell.tile_class)];
            sum.visits += cell.visits;
            sum.done += cell.state == TileState::done ? 1 : 0;
          }
        }
        REQUIRE(coarse.at(row, column).tiles == sum.tiles);
        REQUIRE(coarse.at(row, column).visits == sum.visits);
        REQUIRE(coarse.at(row, column).done == sum.done);
      }
    }
  }
}

TEST_CASE("a tile's op is the one the debugger goes to") {
  const Scenario scenario = pencil_scenario();
  Tiling tiling = tiles(2, 2);
  const Program program = program_of(scenario.problem, "fa2", tiling);
  const Debugger debugger(scenario, program);
  const TileMapView view(program, TileMapView::phase_at(program, debugger.session().segment()), 0,
                         0);
  for (const std::int64_t i : {0, 1}) {
    for (const std::int64_t j : {0, 1}) {
      CHECK(view.cell(i, j, 0).op == debugger.op_of_tile(i, j));
      CHECK(view.cell(i, j, 0).order == 2 * i + j);
    }
  }
  CHECK(view.neighbour(0, 0, 1, 0) == std::pair<std::int64_t, std::int64_t>{1, 0});
  CHECK_FALSE(view.neighbour(0, 0, -1, 0));
  CHECK(view.sheet(0)->rows.size() == 4);
}

TEST_CASE("hidden elements are the mask's and what lies past an end") {
  Tiling tiling = tiles(4, 4);
  const Program program = program_of(problem_of(6, 6, true), "fa2", tiling);
  const TileMapView view(program, 0, 0, 0);
  for (const std::int64_t i : {0, 1}) {
    for (const std::int64_t j : {0, 1}) {
      std::int64_t hidden = 0;
      for (const TileMapView::Hidden& part : view.hidden(i, j, 4)) {
        hidden += part.rows.size() * part.keys.size();
      }
      CHECK(16 - hidden == view.visible_elements(i, j));
    }
  }
  CHECK(view.visible_elements(0, 0) == 10);
  CHECK(view.visible_elements(0, 1) == 0);
}

TEST_CASE("maps of problems without keys, without rows that see any, and of one element") {
  for (const std::string name : {"fa2", "fa1", "standard", "split_kv"}) {
    const Program none = program_of(problem_of(4, 0, false), name, {});
    const TileMapView empty(none, TileMapView::phase_at(none, {}), 0, 0);
    CHECK(empty.kv_tiles() == 0);
    CHECK(empty.bins({0, 1}, {0, 1}, 1, 1, 0).bins.empty());
    CHECK(empty.done(none.size()) == 0);
    check_against_walk(program_of(problem_of(8, 2, true), name, tiles(2, 64)), 0, 0);
    check_against_walk(program_of(problem_of(1, 1, false), name, {}), 0, 0);
  }
}
