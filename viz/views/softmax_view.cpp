// Reading a recorded chain at a position; see softmax_view.h.
#include "viz/views/softmax_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace flashscope::views {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string number(double value) { return fmt::format("{:.4g}", value); }

// alpha as it should be: 1 where the max stayed, also at -inf.
double factor(double before, double after) {
  return before == after ? 1 : std::exp(before - after);
}

bool apart(double a, double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return false;
  return !(std::abs(a - b) <= tolerance);
}

double max_before(const ChainRecording& recording, std::size_t row, std::size_t step) {
  return recording.steps[step].first ? -kInfinity : recording.rows[row].states[step - 1].m;
}

// Of a row after so many steps; before the first: as it is set at the beginning, if it is yet.
struct TruthAfter {
  RecordedState here;
  double true_alpha = kNan;
};
TruthAfter truth_after(const ChainRecording& recording, std::size_t row, std::size_t steps) {
  TruthAfter result;
  RecordedState& here = result.here;
  here.m = here.l = here.alpha = here.lse = kNan;
  here.true_m = here.true_lse = -kInfinity;
  if (steps == 0 || steps > recording.steps.size()) return result;
  const std::vector<RecordedState>& states = recording.rows[row].states;
  here = states[steps - 1];
  const bool first = recording.steps[steps - 1].first;
  result.true_alpha = factor(first ? -kInfinity : states[steps - 2].true_m, here.true_m);
  return result;
}

// How many of the lines of the session's segment that compute a tile have been executed.
enum class Progress : std::uint8_t { none, part, all };
Progress progress_of(const Session& session, int buffer) {
  const Segment& segment = session.segment();
  std::int64_t before = 0, behind = 0;
  for (std::size_t n = 0; n < segment.lines.size(); ++n) {
    const Line& line =
        session.program().algorithm().lines[static_cast<std::size_t>(segment.lines[n])];
    if (line.result != buffer || line.kind == LineKind::load || line.kind == LineKind::store) {
      continue;
    }
    ++(segment.first_op + static_cast<std::int64_t>(n) < session.position() ? before : behind);
  }
  if (before == 0) return Progress::none;
  return behind == 0 ? Progress::all : Progress::part;
}

// Which of the old sum and the old O the step's lines really multiply by `alpha` (a formula).
std::string corrected(const RecordedStep& step, const std::string& alpha) {
  if (step.corrects_sum && step.corrects_o) {
    return fmt::format("old sum and O are multiplied by {}", alpha);
  }
  if (step.corrects_sum) return fmt::format("old sum is multiplied by {}, but O is not", alpha);
  if (step.corrects_o) return fmt::format("old O is multiplied by {}, but the sum is not", alpha);
  return fmt::format("neither old sum nor O is multiplied by {}", alpha);
}

// The op behind which the step's maximum is known: the last one that computes what alpha is
// relative to. Without an alpha, before the step.
std::int64_t max_op(const Program& program, const RecordedStep& step) {
  const auto line = [&](std::int64_t op) -> const Line& {
    return program.algorithm().lines[static_cast<std::size_t>(program.op(op).line)];
  };
  if (step.alpha_op < 0) return step.first_op - 1;
  const int new_max = line(step.alpha_op).operands[1];
  std::int64_t op = step.alpha_op - 1;
  while (op >= step.first_op && line(op).result != new_max) --op;
  return op;
}

}  // namespace

IndexRange rows_at_hand(const Session& session) {
  return session.program().q_rows(session.segment());
}

std::vector<std::int64_t> rows_to_show(const Session& session,
                                       const std::vector<std::int64_t>& chosen, std::size_t most) {
  const Program& program = session.program();
  const std::int64_t total = program.problem().q_len * program.group();
  std::vector<std::int64_t> rows;
  for (const std::int64_t row : chosen) {
    if (row < 0 || row >= total) continue;
    const std::int64_t tile = program.tiling().q_tile_rows;
    if (rows.empty() || row / tile == rows.front() / tile) rows.push_back(row);
    if (rows.size() == most) break;
  }
  // Where q tiles take turns at every step, a row that changes with them would show nothing.
  const bool take_turns =
      std::any_of(program.algorithm().phases.begin(), program.algorithm().phases.end(),
                  [](const Phase& phase) { return phase.grain == Grain::head; });
  const IndexRange here = rows_at_hand(session);
  if (chosen.empty() && total > 0) {
    // Under the diagonal, later rows see more keys.
    const Mask& mask = program.problem().mask;
    const bool last =
        mask.causal || mask.window_left != kUnbounded || mask.window_right != kUnbounded;
    const IndexRange among = take_turns || here.empty() ? IndexRange{0, total} : here;
    rows = {last ? among.end - 1 : among.begin};
  }
  return rows;
}

std::vector<std::int64_t> moved_to_tile(const Session& session,
                                        const std::vector<std::int64_t>& chosen) {
  const IndexRange here = rows_at_hand(session);
  std::vector<std::int64_t> rows;
  for (const std::int64_t row : chosen) {
    const std::int64_t place =
        here.begin + std::max<std::int64_t>(row, 0) % session.program().tiling().q_tile_rows;
    if (here.contains(place)) rows.push_back(place);
  }
  if (rows.empty() && !here.empty()) rows = {here.begin};
  return rows;
}

StepsDone steps_done(const ChainRecording& recording, std::int64_t position) {
  const auto after =
      std::partition_point(recording.steps.begin(), recording.steps.end(),
                           [&](const RecordedStep& step) { return step.end_op <= position; });
  StepsDone result;
  result.done = static_cast<std::size_t>(after - recording.steps.begin());
  result.position = static_cast<double>(result.done);
  if (after != recording.steps.end() && after->first_op < position) {
    result.under_way = result.done;
    result.position += static_cast<double>(position - after->first_op) /
                       static_cast<double>(after->end_op - after->first_op);
  }
  return result;
}

SoftmaxNow softmax_now(const Session& session, const ChainRecording& recording, std::size_t row) {
  const Program& program = session.program();
  const RecordedRow& recorded = recording.rows[row];
  SoftmaxNow now;
  now.steps = steps_done(recording, session.position());
  const std::optional<SoftmaxTiles> tiles = softmax_tiles(program.algorithm());
  const IndexRange here = rows_at_hand(session);
  const Segment& segment = session.segment();
  now.live = tiles && here.contains(recorded.row) && segment.batch == recording.chain.batch &&
             segment.head == recording.chain.head &&
             session.tile(tiles->m).rows > recorded.row - here.begin;
  const TruthAfter done = truth_after(recording, row, now.steps.done);
  now.entries = {{"m", done.here.m, done.here.true_m, now.steps.done > 0, false},
                 {"l", done.here.l, done.here.true_l, now.steps.done > 0, false},
                 {"alpha", done.here.alpha, done.true_alpha, now.steps.done > 0, false},
                 {"m + ln l", done.here.lse, done.here.true_lse, now.steps.done > 0, false}};
  StateEntry &m = now.entries[0], &l = now.entries[1], &alpha = now.entries[2];
  StateEntry& lse = now.entries[3];
  if (now.live) {
    const std::int64_t tile_row = recorded.row - here.begin;
    const TruthAfter next = truth_after(recording, row, now.steps.done + 1);
    const auto read = [&](StateEntry& entry, int buffer, double truth) {
      if (buffer < 0) return Progress::none;
      const double value = session.tile(buffer).at(tile_row, 0);
      // Where states wait in HBM, a tile holds nothing before it is loaded.
      const bool absent = std::isnan(value) && !std::isnan(entry.here);
      const Progress progress = now.steps.under_way ? progress_of(session, buffer) : Progress::none;
      entry.here = value;
      if (progress == Progress::all) entry.truth = truth;
      entry.comparable = !absent && progress != Progress::part &&
                         (now.steps.done > 0 || progress == Progress::all);
      return progress;
    };
    const Progress of_m = read(m, tiles->m, next.here.true_m);
    const Progress of_l = read(l, tiles->l, next.here.true_l);
    if (read(alpha, tiles->alpha, next.true_alpha) == Progress::none && now.steps.under_way) {
      alpha.comparable = false;  // it is that of the step before
    }
    lse.here = l.here == 0 ? -kInfinity : m.here + std::log(l.here);
    if (of_m == Progress::all && of_l == Progress::all) lse.truth = next.here.true_lse;
    lse.comparable = m.comparable && l.comparable && of_m == of_l;
  }
  // Numbers that mean nothing here are not shown beside those that do.
  for (StateEntry* entry : {&m, &l, &alpha, &lse}) {
    if (entry->comparable) continue;
    entry->truth = kNan;
    if (entry == &alpha || entry == &lse) entry->here = kNan;
  }
  lse.differs =
      lse.comparable && apart(lse.here, lse.truth, truth_tolerance(program.precision(), lse.truth));
  return now;
}

Correction correction(const Program& program, const ChainRecording& recording, std::size_t row,
                      std::int64_t position) {
  const StepsDone done = steps_done(recording, position);
  if (!done.under_way && done.done == 0) return {"no key has been consumed yet", false};
  const std::size_t at = done.under_way.value_or(done.done - 1);
  const RecordedStep& step = recording.steps[at];
  if (done.under_way && position <= max_op(program, step)) {
    return {"the maximum of this kv tile is not known yet", false};
  }
  const RecordedState& state = recording.rows[row].states[at];
  const double before = max_before(recording, row, at);
  if (done.under_way && position <= step.alpha_op) {
    const std::string change =
        state.m == before ? fmt::format("max stays at {}", number(before))
                          : fmt::format("max {} {} → {}", state.m > before ? "grew" : "changed",
                                        number(before), number(state.m));
    return {change + ": alpha comes next", false};
  }
  const double expected = factor(before, state.m);
  const bool has_alpha = !std::isnan(state.alpha);
  if (has_alpha && apart(state.alpha, expected, 1e-3 * std::max(1.0, expected))) {
    return {fmt::format("max {} → {}: alpha is {}, but e^({} − {}) = {}", number(before),
                        number(state.m), number(state.alpha), number(before), number(state.m),
                        number(expected)),
            true};
  }
  if (std::isnan(state.m)) return {"the maximum is nan", true};
  if (state.m == -kInfinity) return {"no key of this row so far: m stays -inf, l stays 0", false};
  if (before == -kInfinity) {
    return {fmt::format("{}: alpha = e^(-inf) = 0: nothing to keep",
                        step.first ? "first step" : "first keys that the row sees"),
            false};
  }
  if (state.m < before) {
    return {
        fmt::format("max fell {} → {}: a running max never falls", number(before), number(state.m)),
        true};
  }
  if (state.m == before) {
    const auto& threshold = program.tiling().rescale_threshold;
    if (threshold && state.true_m > state.m) {
      return {fmt::format("max stays at {}: the {} seen is within the threshold of {}; alpha = 1",
                          number(state.m), number(state.true_m), number(*threshold)),
              false};
    }
    return {"max unchanged: alpha = 1, nothing to correct", false};
  }
  const std::string alpha =
      fmt::format("alpha = e^({} − {}) = {}", number(before), number(state.m), number(expected));
  return {
      fmt::format("max grew {} → {}: {}", number(before), number(state.m), corrected(step, alpha)),
      !(step.corrects_sum && step.corrects_o)};
}

std::string departure_text(const ChainRecording& recording, std::size_t row, std::size_t step) {
  const Departure& departure = *recording.rows[row].states[step].departure;
  return fmt::format("departs from fp64 at step {} of {} (kv tile {}): {} is {}, not {}", step + 1,
                     recording.total_steps, recording.steps[step].kv_tile,
                     departure.column < 0 ? "m + ln l" : fmt::format("O[{}]", departure.column),
                     number(departure.here), number(departure.truth));
}

Sheet softmax_sheet(const ChainRecording& recording) {
  Sheet sheet{{"row", "step", "kv tile", "keys", "m", "l", "alpha", "m + ln l", "fp64 m", "fp64 l",
               "fp64 m + ln l", "difference", "departs"},
              {}};
  const auto exact = [](double value) { return fmt::format("{:.9g}", value); };
  for (const RecordedRow& row : recording.rows) {
    for (std::size_t n = 0; n < row.states.size(); ++n) {
      const RecordedStep& step = recording.steps[n];
      const RecordedState& s = row.states[n];
      const double off = s.lse == s.true_lse ? 0 : s.lse - s.true_lse;
      sheet.rows.push_back({std::to_string(row.row), std::to_string(n + 1),
                            std::to_string(step.kv_tile),
                            fmt::format("{}-{}", step.keys.begin, step.keys.end - 1), exact(s.m),
                            exact(s.l), std::isnan(s.alpha) ? "" : exact(s.alpha), exact(s.lse),
                            exact(s.true_m), exact(s.true_l), exact(s.true_lse),
                            fmt::format("{:.3g}", off), s.departure ? "yes" : "no"});
    }
  }
  return sheet;
}

std::string no_running_state(const Session& session) {
  const Algorithm& algorithm = session.program().algorithm();
  std::string text = fmt::format("{} keeps no running state", algorithm.name);
  const auto lse = std::find_if(algorithm.lines.begin(), algorithm.lines.end(),
                                [](const Line& l) { return l.kind == LineKind::log_sum_exp; });
  if (lse == algorithm.lines.end()) return text + ".";
  const Buffer& m = algorithm.buffers[static_cast<std::size_t>(lse->operands[0])];
  if (m.rows != Dim::q_row) return text + ".";
  text += ": a row's max and sum are taken over all its keys at once";
  const Segment& segment = session.segment();
  if (session.program().size() == 0 || segment.q_row < 0) return text + ".";
  const auto value = [&](int buffer) {
    const Tile& tile = session.tile(buffer);
    const float v = tile.rows > 0 ? tile.at(0, 0) : std::numeric_limits<float>::quiet_NaN();
    return std::isnan(v) ? std::string("not yet") : number(static_cast<double>(v));
  };
  return text + fmt::format(". Row {}: m = {}, l = {}.", segment.q_row, value(lse->operands[0]),
                            value(lse->operands[1]));
}

}  // namespace flashscope::views
