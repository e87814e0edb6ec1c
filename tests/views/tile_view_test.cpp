// Tiles against the session, and exact values against the reference.
#include "viz/views/tile_view.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/attention/algorithm.h"
#include "sim/debugger/prefix_truth.h"
#include "sim/debugger/session.h"
#include "sim/machine/mask_rows.h"
#include "sim/scenario/whisper.h"
#include "viz/views/tile_truth.h"

using namespace flashscope;
using views::TileTruth;
using views::TileView;

namespace {

Tiling tiles(std::int64_t q_tile_rows, std::int64_t kv_tile_rows) {
  Tiling tiling;
  tiling.q_tile_rows = q_tile_rows;
  tiling.kv_tile_rows = kv_tile_rows;
  return tiling;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Program program_of(const Scenario& scenario, const std::string& algorithm, const Tiling& tiling) {
  Algorithm table = load_algorithm(algorithm);
  const Precision precision = default_precision(table, scenario.problem.dtype);
  return {scenario.problem, std::move(table), tiling, precision};
}

Scenario whisper(std::string_view name) {
  for (const WhisperProblem& problem : whisper_problems()) {
    if (problem.name == name) return whisper_scenario(problem);
  }
  return pencil_scenario();
}

Scenario grouped_scenario() {
  Problem problem;
  problem.q_heads = 4;
  problem.kv_heads = 2;
  problem.q_len = 11;
  problem.kv_len = 19;
  problem.head_dim = 8;
  problem.scale = default_scale(8);
  problem.mask.causal = true;
  problem.dtype = Format::fp16;
  return generated_scenario(problem, 7, {});
}

// Scores of a row by the reference alone: attention over a single key has the LSE q.k * scale.
double reference_score(const Scenario& scenario, const Program& program, const Segment& at,
                       std::int64_t packed_row, std::int64_t key) {
  const reference::Inputs inputs =
      reference_inputs(scenario, program.precision().input, ReferenceInput::rounded);
  const std::int64_t group = program.group(), query = packed_row / group;
  const IndexRange keys{key, key + 1};
  return reference::attention_over(scenario.problem, inputs, at.batch,
                                   at.head * group + packed_row % group, {&query, 1}, {&keys, 1})
      .lse[0];
}

bool near(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

// A right state is this near its exact value. An O that is not normalised is a sum of several
// weights that were rounded.
bool agrees(const Program& program, double here, double exact) {
  if (here == exact) return true;
  return std::abs(here - exact) <=
         truth_tolerance(program.precision(), std::max(4.0, std::abs(exact)));
}

// Every tile at every position: values and extents are the session's, what has an exact value is
// near it.
void check_scenario(const Scenario& scenario, const Program& program, std::int64_t stride) {
  Session session(scenario, program);
  const MaskRows mask(program);
  std::int64_t compared = 0;
  for (std::int64_t op = 0; op <= program.size(); op += stride) {
    session.seek(op);
    CAPTURE(op);
    for (const int buffer : views::on_chip_buffers(program.algorithm())) {
      const TileView view(session, buffer);
      CAPTURE(view.name());
      const Tile& tile = session.tile(buffer);
      REQUIRE(view.rows() == tile.rows);
      REQUIRE(view.columns() == tile.columns);
      if (view.is_blank()) continue;
      TileTruth truth(session, buffer);
      const std::int64_t row = (op / stride) % view.rows_in_bounds();
      for (std::int64_t c = 0; c < view.columns_in_bounds(); ++c) {
        const views::TileCell cell = view.cell(row, c);
        REQUIRE((std::isnan(cell.value) || cell.value == tile.at(row, c)));
        REQUIRE_FALSE(cell.past_end);
        if (view.column_side() == views::TileSide::keys) {
          std::uint8_t visible = 0;
          const Segment& at = view.origin()->segment;
          const std::int64_t key = std::stoll(view.column_label(c));
          const bool of_queries = view.row_side() == views::TileSide::query_rows;
          if (of_queries) {
            mask.row(at.batch, at.head, program.q_rows(at).begin + row, key, {&visible, 1});
            REQUIRE(cell.hidden == (visible == 0));
          }
        }
        if (const std::optional<double> exact = truth.at(row, c)) {
          CAPTURE(row);
          CAPTURE(c);
          CAPTURE(cell.value);
          CAPTURE(*exact);
          REQUIRE(agrees(program, cell.value, *exact));
          ++compared;
        }
      }
      for (std::int64_t c = view.columns_in_bounds(); c < view.columns(); ++c) {
        REQUIRE(view.cell(row, c).past_end);
      }
    }
  }
  CHECK(compared > 0);
}

// What the truth says of S, P, m, l, O at the end of a step, against the reference directly.
void check_step(const Scenario& scenario, const Program& program, std::int64_t op,
                std::int64_t row) {
  Session session(scenario, program);
  session.seek(op);
  const Segment& at = session.segment();
  REQUIRE(at.part == Part::step);
  REQUIRE(op == at.first_op + static_cast<std::int64_t>(at.lines.size()) - 1);
  const Algorithm& algorithm = program.algorithm();
  const std::int64_t packed = program.q_rows(at).begin + row, group = program.group();
  const std::int64_t query = packed / group;
  const std::vector<IndexRange> keys = consumed_keys(program, at);
  const reference::Inputs inputs =
      reference_inputs(scenario, program.precision().input, ReferenceInput::rounded);
  const reference::Rows want = reference::attention_over(
      scenario.problem, inputs, at.batch, at.head * group + packed % group, {&query, 1}, keys);
  double max = -kInfinity;
  for (const IndexRange& range : keys) {
    for (std::int64_t key = range.begin; key < range.end; ++key) {
      max = std::max(max, reference_score(scenario, program, at, packed, key));
    }
  }
  const auto truth = [&](const char* name, std::int64_t column) {
    return TileTruth(session, algorithm.find(name, false)).at(row, column).value();
  };
  const double sum = want.lse[0] == -kInfinity ? 0 : std::exp(want.lse[0] - max);
  CHECK(near(truth("m_new", 0), max));
  CHECK(near(truth("l", 0), sum));
  for (std::int64_t c = 0; c < program.kv_rows(at).size(); ++c) {
    const double score =
        reference_score(scenario, program, at, packed, program.kv_rows(at).begin + c);
    // Where no mask line was executed, the mask hides nothing.
    CHECK(near(truth("S", c), score));
    CHECK(near(truth("P", c), score == -kInfinity ? 0 : std::exp(score - max)));
  }
  const bool normalised = algorithm.estimate->o_divisor < 0;
  for (std::int64_t d = 0; d < scenario.problem.head_dim; ++d) {
    CHECK(near(truth("O", d), want.o[static_cast<std::size_t>(d)] * (normalised ? 1 : sum)));
  }
}

std::int64_t last_op_of_tile(const Program& program, std::int64_t head, std::int64_t i,
                             std::int64_t j) {
  std::int64_t found = -1;
  program.visit({0, program.size()}, [&](const Segment& segment) {
    if (segment.head != head || segment.q_tile != i || segment.kv_tile != j) return;
    found = segment.first_op + static_cast<std::int64_t>(segment.lines.size()) - 1;
  });
  return found;
}

}  // namespace

TEST_CASE("tiles and exact values: the pencil problem, every op") {
  const Scenario scenario = pencil_scenario();
  const Tiling tiling = tiles(2, 2);
  for (const std::string name : {"fa2", "fa1", "standard", "split_kv"}) {
    CAPTURE(name);
    Tiling cut = tiling;
    if (name == "split_kv") cut.splits = 2;
    check_scenario(scenario, program_of(scenario, name, cut), 1);
  }
  for (const std::string name : {"fa2", "fa1"}) {
    const Program program = program_of(scenario, name, tiling);
    check_step(scenario, program, last_op_of_tile(program, 0, 0, 1), 0);
    check_step(scenario, program, last_op_of_tile(program, 0, 1, 0), 1);
  }
}

TEST_CASE("tiles and exact values: a causal Whisper decoder with a tail") {
  const Scenario scenario = whisper("whisper-decoder");
  const Tiling tiling = tiles(16, 16);
  REQUIRE(scenario.problem.q_len % 16 != 0);
  const Program program = program_of(scenario, "fa2", tiling);
  check_scenario(scenario, program, 5);
  const std::int64_t last = (scenario.problem.q_len - 1) / 16;
  check_step(scenario, program, last_op_of_tile(program, 2, last, last), 3);
  check_step(scenario, program, last_op_of_tile(program, 1, last, 0), 1);
}

TEST_CASE("tiles and exact values: fa1, split_kv and packed heads with grouped queries") {
  const Scenario scenario = grouped_scenario();
  Tiling tiling = tiles(4, 6);
  const Program fa1 = program_of(scenario, "fa1", tiling);
  check_scenario(scenario, fa1, 3);
  check_step(scenario, fa1, last_op_of_tile(fa1, 3, 2, 3), 2);
  tiling.pack_gqa = true;
  const Program packed = program_of(scenario, "fa2", tiling);
  check_scenario(scenario, packed, 3);
  check_step(scenario, packed, last_op_of_tile(packed, 1, 4, 2), 3);
  tiling.pack_gqa = false;
  tiling.splits = 2;
  check_scenario(scenario, program_of(scenario, "split_kv", tiling), 3);
  tiling.splits = 1;
  check_scenario(scenario, program_of(scenario, "standard", tiling), 3);
  tiling.kv_order = KvOrder::descending;
  tiling.rescale_threshold = 2.0;
  check_scenario(scenario, program_of(scenario, "fa2", tiling), 3);
}

TEST_CASE("a tile speaks of the step that wrote it") {
  const Scenario scenario = pencil_scenario();
  const Program program = program_of(scenario, "fa2", tiles(2, 2));
  Session session(scenario, program);
  const int s = program.algorithm().find("S", false), k = program.algorithm().find("K", false);
  CHECK(TileView(session, s).is_blank());
  // The second step has begun, and nothing of it has been executed: S is still that of the first.
  session.seek(last_op_of_tile(program, 0, 0, 0) + 1);
  REQUIRE(session.segment().kv_tile == 1);
  const TileView left(session, s);
  CHECK(left.column_label(0) == "0");
  CHECK_FALSE(left.origin()->is_current);
  CHECK(left.place_text() == "q tile 0, kv tile 0");
  CHECK(TileView(session, k).is_written_next());
  session.step();
  CHECK(TileView(session, k).row_label(0) == "2");
  CHECK(views::tile_at_hand(session) == k);
}

TEST_CASE("ranges, colours and distant views") {
  const Scenario scenario = pencil_scenario();
  const Program program = program_of(scenario, "fa2", tiles(4, 4));
  Session session(scenario, program);
  session.seek(last_op_of_tile(program, 0, 0, 0));
  const int s = program.algorithm().find("S", false), m = program.algorithm().find("m_new", false);
  session.set(s, 0, 0, -7);
  session.set(s, 1, 2, std::numeric_limits<float>::quiet_NaN());
  session.set(s, 3, 3, -std::numeric_limits<float>::infinity());
  const TileView view(session, s);
  CHECK(view.low() == -7);
  CHECK(view.is_diverging());
  CHECK(view.shade(-7) == -1);
  CHECK(view.shade(0) == 0);
  CHECK(view.has_nan());
  CHECK(view.has_minus_infinity());
  CHECK_FALSE(view.has_plus_infinity());
  const views::TileCells far = view.cells({0, 4}, {0, 4}, 2, 2);
  CHECK(far.at(0, 0).value == -7);
  CHECK(far.at(0, 1).kind == views::TileCell::Kind::nan);
  CHECK(far.at(1, 1).kind == views::TileCell::Kind::minus_infinity);
  CHECK(view.sheet()->rows[0][1] == "-7");
  const TileView maxima(session, m);
  CHECK(maxima.columns() == 1);
  CHECK_FALSE(maxima.is_diverging());
  CHECK(views::number_text(-kInfinity, 4) == "-inf");
  CHECK(views::number_text(0.13533528, 4) == "0.1353");
}

TEST_CASE("an fp16 tile is fp32 until its cast") {
  const Scenario scenario = grouped_scenario();
  const Program program = program_of(scenario, "fa2", tiles(4, 6));
  const int p = program.algorithm().find("P", false);
  bool seen_before = false, seen_after = false;
  Session session(scenario, program);
  while (session.segment().part != Part::after) {
    const TileView view(session, p);
    if (!view.is_blank() && view.origin()->is_current) {
      CHECK(view.precision() == "fp16");
      (view.is_rounded() ? seen_after : seen_before) = true;
    }
    session.step();
  }
  CHECK(seen_before);
  CHECK(seen_after);
}

TEST_CASE("tiles of problems without keys or of one element") {
  for (const std::string name : {"fa2", "fa1", "standard", "split_kv"}) {
    for (const std::int64_t kv_len : {0, 1}) {
      Problem problem;
      problem.q_len = 1;
      problem.kv_len = kv_len;
      problem.dtype = Format::fp32;
      const Scenario scenario = generated_scenario(problem, 1, {});
      check_scenario(scenario, program_of(scenario, name, {}), 1);
    }
  }
}
