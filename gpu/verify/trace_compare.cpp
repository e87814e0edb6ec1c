// See trace_compare.h.
#include "gpu/verify/trace_compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "sim/debugger/tolerance.h"

namespace flashscope::gpu {
namespace {

std::string text(const TraceStep& step) {
  if (step.q_tile < 0 && step.kv_tile < 0) return "nothing";
  std::string words;
  if (step.q_tile >= 0) words = fmt::format("q tile {}", step.q_tile);
  if (step.kv_tile >= 0) {
    words += fmt::format("{}kv tile {}", words.empty() ? "" : ", ", step.kv_tile);
  }
  return words;
}

std::string steps_text(std::int64_t count) {
  return fmt::format("{} step{}", count, count == 1 ? "" : "s");
}

class ItemComparison {
 public:
  ItemComparison(const ExpectedPhase& phase, const PhaseLog& log, std::size_t index,
                 double tolerance, TraceCounts& counts, double& used_share)
      : phase_(phase),
        item_(phase.items[index]),
        log_(log),
        index_(index),
        tolerance_(tolerance),
        counts_(counts),
        used_share_(used_share) {}

  std::optional<TraceDifference> first_difference() {
    if (log_.start_order[index_] < 0) return difference(-1, -1, "start", "once", "never");
    const auto expected = static_cast<std::int64_t>(item_.steps.size());
    const std::int64_t logged = log_.steps[index_];
    for (std::int64_t n = 0; n < std::max(expected, logged); ++n) {
      if (n >= expected || n >= logged || n >= log_.max_steps) {
        return difference(-1, -1, "steps", steps_text(expected),
                          steps_text(logged) + where_it_ends(n, expected));
      }
      ++counts_.steps;
      const ExpectedStep& step = item_.steps[static_cast<std::size_t>(n)];
      const TraceStep& visited = log_.visited[slot(n)];
      if (visited.q_tile != step.tiles.q_tile || visited.kv_tile != step.tiles.kv_tile) {
        const std::string counts =
            expected == logged ? "" : fmt::format(" ({}, not {})", steps_text(logged), expected);
        return difference(n, -1, "tiles", text(step.tiles), text(visited) + counts);
      }
      if (phase_.has_state) {
        if (auto found = state_difference(n, step)) return found;
      }
    }
    return std::nullopt;
  }

 private:
  std::size_t slot(std::int64_t step) const {
    return index_ * static_cast<std::size_t>(log_.max_steps) + static_cast<std::size_t>(step);
  }

  // "…, the last of them q tile 0, kv tile 3": which step is missing or too many.
  std::string where_it_ends(std::int64_t n, std::int64_t expected) const {
    if (n < expected) {
      return fmt::format(": {} is missing", text(item_.steps[static_cast<std::size_t>(n)].tiles));
    }
    if (n < log_.max_steps) return fmt::format(": {} is too many", text(log_.visited[slot(n)]));
    return "";
  }

  std::optional<TraceDifference> state_difference(std::int64_t n, const ExpectedStep& step) {
    const std::size_t first = slot(n) * static_cast<std::size_t>(log_.rows);
    for (std::size_t r = 0; r < step.m.size(); ++r) {
      ++counts_.states;
      const double m = log_.m[first + r], l = log_.l[first + r];
      const std::int64_t row = step.first_row + static_cast<std::int64_t>(r);
      if (!near(flashscope::difference(m, step.m[r]))) {
        return difference(n, row, "m", number(step.m[r]), number(m));
      }
      const bool both_zero = l == 0 && step.l[r] == 0;
      if (!both_zero && !near(flashscope::difference(std::log(l), std::log(step.l[r])))) {
        return difference(n, row, "l", number(step.l[r]), number(l));
      }
    }
    return std::nullopt;
  }

  bool near(double error) {
    if (error > tolerance_) return false;
    if (error > 0) used_share_ = std::max(used_share_, error / tolerance_);
    return true;
  }

  static std::string number(double value) { return fmt::format("{:.8g}", value); }

  TraceDifference difference(std::int64_t step, std::int64_t row, std::string what,
                             std::string expected, std::string got) const {
    return {phase_.name,
            static_cast<std::int64_t>(index_),
            item_.batch,
            item_.head,
            step,
            row,
            std::move(what),
            std::move(expected),
            std::move(got)};
  }

  const ExpectedPhase& phase_;
  const ExpectedItem& item_;
  const PhaseLog& log_;
  std::size_t index_;
  double tolerance_;
  TraceCounts& counts_;
  double& used_share_;
};

}  // namespace

PhaseLog cleared_log(const ExpectedPhase& phase) {
  PhaseLog log;
  const std::size_t items = phase.items.size();
  // One more than the Program needs: a step too many shows what it was.
  log.max_steps = static_cast<std::int32_t>(phase.max_steps) + 1;
  log.rows = static_cast<std::int32_t>(phase.rows);
  const std::size_t slots = items * static_cast<std::size_t>(log.max_steps);
  log.steps.assign(items, 0);
  log.start_order.assign(items, -1);
  log.visited.assign(slots, {-1, -1});
  if (phase.has_state) {
    log.m.assign(slots * static_cast<std::size_t>(log.rows), std::nanf(""));
    log.l = log.m;
  }
  return log;
}

double state_tolerance(const Scenario& scenario, const Program& program) {
  Precision precision;  // fp32
  // Scores that the table rounds are rounded otherwise where the sums before differ in a bit.
  if (program.precision().score != Format::fp32) precision.input = program.precision().input;
  return 2 * tolerance(program.problem(), precision,
                       magnitudes(scenario, program.precision().input), 0, 0)
                 .rounding_lse;
}

std::string describe(const TraceDifference& d) {
  std::string text =
      fmt::format("{}, work item {} (batch {}, head {})", d.phase, d.work_item, d.batch, d.head);
  if (d.step >= 0) text += fmt::format(", step {}", d.step);
  if (d.row >= 0) text += fmt::format(", row {}", d.row);
  if (d.what == "m" || d.what == "l") {
    return text + fmt::format(": {} should be {}, is {}", d.what, d.expected, d.got);
  }
  if (d.what == "start") return text + ": never started";
  return text + fmt::format(": should be {}, is {}", d.expected, d.got);
}

TraceCounts TraceComparison::total() const {
  TraceCounts sum;
  for (const TraceCounts& phase : phases) {
    sum.work_items += phase.work_items;
    sum.steps += phase.steps;
    sum.states += phase.states;
    sum.differing_items += phase.differing_items;
  }
  return sum;
}

TraceComparison compare(const ExpectedTrace& expected, const std::vector<PhaseLog>& logs,
                        double tolerance) {
  TraceComparison result;
  for (std::size_t phase = 0; phase < expected.phases.size(); ++phase) {
    const ExpectedPhase& in_program = expected.phases[phase];
    TraceCounts& counts = result.phases.emplace_back();
    counts.phase = in_program.name;
    for (std::size_t index = 0; index < in_program.items.size(); ++index) {
      ++counts.work_items;
      ItemComparison item(in_program, logs[phase], index, tolerance, counts, result.used_share);
      const auto difference = item.first_difference();
      if (!difference) continue;
      ++counts.differing_items;
      if (result.differences.size() < kListedDifferences) {
        result.differences.push_back(*difference);
      }
    }
  }
  return result;
}

}  // namespace flashscope::gpu
