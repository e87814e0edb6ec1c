// The softmax panel's numbers: against recorded states, the prefix truth and the fp64 reference;
// weights that sum to one; corrections in words; faults seen where they first matter.
#include "viz/views/softmax_view.h"

#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

#include "sim/attention/faults.h"
#include "sim/debugger/prefix_states.h"
#include "sim/scenario/whisper.h"

using namespace flashscope;
using namespace flashscope::views;

namespace {

struct Case {
  Scenario scenario;
  Program program;
};

Case make_case(Scenario scenario, const std::string& name, std::int64_t q_tile,
               std::int64_t kv_tile, const std::string& fault = "", bool pack = false,
               std::int64_t splits = 1) {
  Algorithm algorithm = load_algorithm(name);
  if (!fault.empty()) apply_fault(algorithm, fault);
  Tiling tiling;
  tiling.q_tile_rows = q_tile;
  tiling.kv_tile_rows = kv_tile;
  tiling.pack_gqa = pack;
  tiling.splits = splits;
  const Precision precision = default_precision(algorithm, scenario.problem.dtype);
  Program program(scenario.problem, std::move(algorithm), tiling, precision);
  return {std::move(scenario), std::move(program)};
}

Scenario whisper_decoder() {
  for (const WhisperProblem& problem : whisper_problems()) {
    if (problem.name == "whisper-decoder") return whisper_scenario(problem);
  }
  return {};
}

Scenario grouped_queries() {
  Problem problem;
  problem.batch = 2;
  problem.q_heads = 4;
  problem.kv_heads = 2;
  problem.q_len = 21;
  problem.kv_len = 37;
  problem.head_dim = 8;
  problem.scale = 0.7;
  problem.dtype = Format::fp32;
  problem.mask.causal = true;
  return generated_scenario(problem, 5, {});
}

ChainRecording record(const Case& c, const Chain& chain, const std::vector<std::int64_t>& rows) {
  ChainRecorder recorder(c.scenario, c.program);
  recorder.start(chain, rows, {}, true);
  while (!recorder.advance(0)) CHECK(recorder.progress() <= 1);
  return recorder.recording();
}

bool near(double a, double b, double tolerance) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance;
}

// Every state equals what record_states() reads, and the truth is that of the reference.
void check_states(const Case& c, const ChainRecording& recording) {
  const std::int64_t group = c.program.group();
  const reference::Inputs inputs =
      reference_inputs(c.scenario, c.program.precision().input, ReferenceInput::rounded);
  for (const RecordedRow& row : recording.rows) {
    const std::int64_t query = row.row / group,
                       head = recording.chain.head * group + row.row % group;
    const std::vector<PrefixState> states =
        record_states(c.scenario, c.program, recording.chain.batch, head, {query, query + 1})
            .at(query);
    REQUIRE(recording.complete);
    CHECK(near(row.lse, states.back().lse, 0));
    CHECK(row.o == states.back().o);
    if (c.program.tiling().splits > 1) continue;
    REQUIRE(row.states.size() + 1 == states.size());
    std::vector<IndexRange> keys;
    for (std::size_t n = 0; n < row.states.size(); ++n) {
      const RecordedState& state = row.states[n];
      CHECK(near(state.lse, states[n].lse, 0));
      CHECK(state.o == states[n].o);
      CHECK(recording.steps[n].end_op == states[n].op + 1);
      keys.push_back(recording.steps[n].keys);
      const reference::Rows truth = reference::attention_over(
          c.scenario.problem, inputs, recording.chain.batch, head, {&query, 1}, keys);
      CHECK(near(state.true_lse, truth.lse[0], 1e-12));
      for (std::size_t d = 0; d < truth.o.size(); ++d) {
        CHECK(near(state.true_o[d], truth.o[d], 1e-12));
      }
    }
  }
}

int line_of(const Program& program, std::string_view text) {
  const auto& lines = program.algorithm().lines;
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.text == text; });
  return static_cast<int>(found - lines.begin());
}

double sum_of(const std::vector<WeightBin>& bins) {
  return std::accumulate(bins.begin(), bins.end(), 0.0,
                         [](double sum, const WeightBin& bin) { return sum + bin.here; });
}

void check_weights(const ChainRecording& recording, double tolerance) {
  for (std::size_t r = 0; r < recording.rows.size(); ++r) {
    const std::size_t steps = recording.steps.size();
    const bool sees_keys = std::isfinite(recording.rows[r].true_lse);
    const auto bins = weight_bins(recording, r, steps, 1 << 20);
    CHECK(near(sum_of(bins), sees_keys ? 1 : 0, tolerance));
    for (const WeightBin& bin : bins) CHECK(near(bin.here, bin.truth, tolerance));
    CHECK(near(sum_of(weight_bins(recording, r, steps, 3)), sees_keys ? 1 : 0, tolerance));
    if (steps > 0) CHECK(sum_of(weight_bins(recording, r, 0, 8)) == 0);
  }
}

}  // namespace

TEST_CASE("softmax: the pencil problem's row 0, number by number") {
  const Case c = make_case(pencil_scenario(), "fa2", 2, 2);
  const ChainRecording recording = record(c, {0, 0, 0}, {0, 1});
  check_states(c, recording);
  check_weights(recording, 1e-6);
  // Scores 1 0 | 3 2.
  const RecordedRow& row = recording.rows[0];
  CHECK(row.states[0].m == 1);
  CHECK(row.states[0].true_l == doctest::Approx(1 + std::exp(-1)));
  CHECK(row.states[1].m == 3);
  CHECK(row.states[1].alpha == doctest::Approx(std::exp(-2)));
  CHECK(row.true_l == doctest::Approx(std::exp(-2) + std::exp(-3) + 1 + std::exp(-1)));
  CHECK_FALSE(row.first_departure);

  Session session(c.scenario, c.program);
  CHECK(correction(c.program, recording, 0, 0).text == "no key has been consumed yet");
  const auto at = [&](std::size_t step) { return recording.steps[step].end_op; };
  CHECK(correction(c.program, recording, 0, at(0)).text ==
        "first step: alpha = e^(-inf) = 0: nothing to keep");
  CHECK(correction(c.program, recording, 0, at(1)).text ==
        "max grew 1 → 3: old sum and O are multiplied by alpha = e^(1 − 3) = 0.1353");
  const auto behind = [&](std::string_view text) {  // the line, in the second step
    std::int64_t op = recording.steps[1].first_op;
    while (c.program.op(op).line != line_of(c.program, text)) ++op;
    return op + 1;
  };
  const std::int64_t max_known = behind("m_new = max(m, rowmax S)");
  CHECK(correction(c.program, recording, 0, max_known - 1).text ==
        "the maximum of this kv tile is not known yet");
  CHECK(correction(c.program, recording, 0, max_known).text == "max grew 1 → 3: alpha comes next");
  CHECK(correction(c.program, recording, 0, behind("alpha = exp(m - m_new)")).text ==
        correction(c.program, recording, 0, at(1)).text);
  // At first nothing is there, on either side.
  for (const StateEntry& entry : softmax_now(session, recording, 0).entries) {
    CHECK(std::isnan(entry.here));
    CHECK(std::isnan(entry.truth));
  }

  session.seek(at(1));
  const SoftmaxNow now = softmax_now(session, recording, 0);
  CHECK(now.live);
  CHECK(now.entries[3].comparable);
  CHECK(now.steps.done == 2);
  CHECK(now.entries[0].here == 3);
  CHECK(now.entries[1].here == doctest::Approx(row.true_l));
  CHECK(now.entries[3].here == doctest::Approx(row.true_lse));
  CHECK_FALSE(now.entries[3].differs);
  session.seek(recording.steps[1].first_op + 3);
  const SoftmaxNow middle = softmax_now(session, recording, 0);
  CHECK(middle.steps.under_way == 1);
  CHECK(middle.entries[0].here == 1);
  CHECK(std::isnan(middle.entries[2].here));  // not the factor of the step before
  CHECK(middle.entries[3].comparable);
  // Behind alpha and l, before m: l has its new truth, m its old one, and they do not fit.
  while (session.program().op(session.position()).line != line_of(c.program, "m = m_new")) {
    session.step();
  }
  const SoftmaxNow late = softmax_now(session, recording, 0);
  CHECK(late.entries[0].truth == 1);
  CHECK(late.entries[1].truth == doctest::Approx(row.true_l));
  CHECK(late.entries[1].here == doctest::Approx(row.true_l));
  CHECK(late.entries[2].truth == doctest::Approx(std::exp(-2)));
  CHECK(late.entries[2].comparable);
  CHECK_FALSE(late.entries[3].comparable);
  CHECK(std::isnan(late.entries[3].here));
  // Half the keys: their weights are larger than they will be.
  const auto half = weight_bins(recording, 0, 1, 100);
  CHECK(half[0].here == doctest::Approx(1 / (1 + std::exp(-1))));
  CHECK(half[2].here == 0);
  CHECK_FALSE(half[2].consumed);
  CHECK(softmax_sheet(recording).rows.size() == 4);
}

TEST_CASE("softmax: real data under a causal mask, in every algorithm with a running state") {
  const Scenario scenario = whisper_decoder();
  for (const char* name : {"fa2", "fa1", "split_kv"}) {
    CAPTURE(name);
    const Case c = make_case(scenario, name, 16, 16, "", false, name[0] == 's' ? 3 : 1);
    for (const std::int64_t tile : {std::int64_t{0}, c.program.q_tiles() - 1}) {
      const IndexRange rows = tile_rows(tile, 16, scenario.problem.q_len);
      const ChainRecording recording = record(c, {0, 1, tile}, {rows.begin, rows.end - 1});
      check_states(c, recording);
      check_weights(recording, 2e-3);
      for (const RecordedRow& row : recording.rows) CHECK_FALSE(row.first_departure);
    }
  }
}

TEST_CASE("softmax: packed query groups, honest and with faults") {
  for (const bool pack : {false, true}) {
    const Case c = make_case(grouped_queries(), "fa2", 8, 4, "", pack);
    const ChainRecording recording = record(c, {1, 1, 1}, {8, 11});
    check_states(c, recording);
    check_weights(recording, 1e-5);
    const Case wrong = make_case(grouped_queries(), "fa2", 8, 4, "l_not_rescaled", pack);
    const ChainRecording faulty = record(wrong, {1, 1, 1}, {8, 9, 10, 11, 12, 13, 14, 15});
    check_states(wrong, faulty);
    bool any = false;
    for (std::size_t r = 0; r < faulty.rows.size(); ++r) {
      const auto departs = faulty.rows[r].first_departure;
      if (!departs) continue;
      any = true;
      const Correction said = correction(wrong.program, faulty, r, faulty.steps[*departs].end_op);
      CHECK(said.wrong);
      CHECK(said.text.find("but the sum is not") != std::string::npos);
      CHECK(departure_text(faulty, r, *departs).find("m + ln l is") != std::string::npos);
      CHECK(faulty.rows[r].states[*departs].m > faulty.rows[r].states[*departs - 1].m);
    }
    CHECK(any);
  }
}

TEST_CASE("softmax: half a correction shows in the weights") {
  // Row 0's first two keys: too heavy in an O that is not rescaled, all too light under an l that
  // is not.
  const auto sum = [](const char* fault) {
    const Case c = make_case(pencil_scenario(), "fa2", 2, 2, fault);
    return sum_of(weight_bins(record(c, {0, 0, 0}, {0}), 0, 2, 100));
  };
  CHECK(sum("o_not_rescaled") > 1.5);
  CHECK(sum("l_not_rescaled") < 0.7);
}

TEST_CASE("softmax: what a user set by hand is part of the recording") {
  const Case c = make_case(pencil_scenario(), "fa2", 2, 2);
  Session session(c.scenario, c.program);
  const ChainRecording honest = record(c, {0, 0, 0}, {0});
  session.seek(honest.steps[1].first_op);
  session.set(c.program.algorithm().find("m", false), 0, 0, 5);
  ChainRecorder recorder(c.scenario, c.program);
  recorder.start({0, 0, 0}, {0}, session.events(), false);
  while (!recorder.advance(1)) continue;
  session.seek(honest.steps[1].end_op);
  CHECK(recorder.recording().rows[0].states[1].m == 5);
  CHECK(session.tile(c.program.algorithm().find("m", false)).at(0, 0) == 5);
  CHECK(recorder.recording().rows[0].first_departure == 1);
}

TEST_CASE("softmax: which rows are shown") {
  const Case c = make_case(pencil_scenario(), "fa2", 2, 2);
  Session session(c.scenario, c.program);
  CHECK(rows_to_show(session, {1, 0, 2}, 8) == std::vector<std::int64_t>{1, 0});
  CHECK(rows_to_show(session, {7, -1}, 8).empty());
  session.seek(c.program.size() - 1);
  CHECK(rows_to_show(session, {}, 8) == std::vector<std::int64_t>{2});
  CHECK(rows_to_show(session, {0}, 8) == std::vector<std::int64_t>{0});
  CHECK(rows_to_show(session, {0, 1}, 8) == std::vector<std::int64_t>{0, 1});
  CHECK(moved_to_tile(session, {1}) == std::vector<std::int64_t>{3});
  // Under a causal mask the tile's last row sees the most keys. 42 packed rows, tiles of 8.
  const Case causal = make_case(grouped_queries(), "fa2", 8, 4, "", true);
  Session under_mask(causal.scenario, causal.program);
  CHECK(rows_to_show(under_mask, {}, 8) == std::vector<std::int64_t>{7});
  under_mask.seek(causal.program.size() - 1);
  CHECK(rows_to_show(under_mask, {}, 8) == std::vector<std::int64_t>{41});
  const Case in_turns = make_case(grouped_queries(), "fa1", 8, 4);
  CHECK(rows_to_show(Session(in_turns.scenario, in_turns.program), {}, 8) ==
        std::vector<std::int64_t>{20});
}

TEST_CASE("softmax: nothing to see is no crash") {
  for (const std::int64_t kv_len : {0, 1}) {
    Problem problem;
    problem.q_len = problem.head_dim = 1;
    problem.kv_len = kv_len;
    problem.mask.expression = expression::MaskExpression::parse("0");
    for (const char* name : {"fa2", "fa1", "split_kv", "standard"}) {
      const Case c = make_case(generated_scenario(problem, 1, {}), name, 64, 64);
      const ChainRecording recording = record(c, {0, 0, 0}, {0});
      check_weights(recording, 0);
      Session session(c.scenario, c.program);
      CHECK(softmax_now(session, recording, 0).steps.done == 0);
      session.seek(c.program.size());
      CHECK(softmax_now(session, recording, 0).steps.done == recording.steps.size());
      correction(c.program, recording, 0, c.program.size());
    }
  }
}

TEST_CASE("softmax: a table without a running state says what there is") {
  const Case c = make_case(pencil_scenario(), "standard", 2, 2);
  Session session(c.scenario, c.program);
  CHECK_FALSE(softmax_tiles(c.program.algorithm()));
  CHECK(
      no_running_state(session) ==
      "standard keeps no running state: a row's max and sum are taken over all its keys at once.");
  while (session.segment().q_row != 0) session.step();
  CHECK(no_running_state(session).find("Row 0: m = not yet") != std::string::npos);
  session.seek(session.next_segment() - 1);
  CHECK(no_running_state(session).find("Row 0: m = 3, l = 1.553") != std::string::npos);
}
