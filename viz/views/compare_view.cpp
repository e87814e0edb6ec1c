// Lining up two recordings, and the search for where they part; see compare_view.h.
#include "viz/views/compare_view.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "sim/debugger/prefix_states.h"
#include "sim/debugger/tolerance.h"

namespace flashscope::views {
namespace {

// Thrown out of diff() by its own progress report.
struct Stopped final : std::exception {};

// Keys consumed after each step. Steps of a split have none: a split's keys are no prefix of the
// row's.
std::vector<KeySet> key_sets(const ChainRecording& recording) {
  std::vector<KeySet> sets;
  std::vector<IndexRange> ranges;
  for (const RecordedStep& step : recording.steps) {
    if (step.split >= 0) return {};
    ranges.push_back(step.keys);
    sets.push_back(key_set(ranges));
    ranges.clear();
    for (const auto& [begin, end] : sets.back()) ranges.push_back({begin, end});
  }
  return sets;
}

ComparedValue value(std::string name, double a, double b, double truth, double size,
                    double tolerance) {
  const double apart = difference(a, b);
  return {std::move(name), a, b, truth, apart, !(apart <= tolerance * std::max(1.0, size))};
}

// What the first row reads as at a common point.
struct Sides {
  double lse_a = 0, lse_b = 0, true_lse = 0;
  const std::vector<double>*o_a = nullptr, *o_b = nullptr, *true_o = nullptr;
};
Sides sides_at(const ChainRecording& a, const ChainRecording& b, const CommonPoint& point) {
  const RecordedRow &row_a = a.rows[0], &row_b = b.rows[0];
  if (point.final) {
    return {row_a.lse, row_b.lse, row_a.true_lse, &row_a.o, &row_b.o, &row_a.true_o};
  }
  const RecordedState &at_a = row_a.states[point.step_a], &at_b = row_b.states[point.step_b];
  return {at_a.lse, at_b.lse, at_a.true_lse, &at_a.o, &at_b.o, &at_a.true_o};
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  return std::isfinite(largest) ? largest : 1;
}

}  // namespace

std::vector<CommonPoint> common_points(const ChainRecording& a, const ChainRecording& b,
                                       std::int64_t kv_len) {
  std::map<KeySet, std::size_t> steps_of_b;
  const std::vector<KeySet> of_a = key_sets(a), of_b = key_sets(b);
  for (std::size_t n = 0; n < of_b.size(); ++n) steps_of_b.emplace(of_b[n], n);
  std::vector<CommonPoint> points;
  for (std::size_t n = 0; n < of_a.size(); ++n) {
    const auto found = steps_of_b.find(of_a[n]);
    if (found == steps_of_b.end() || of_a[n].empty()) continue;
    CommonPoint& point = points.emplace_back();
    point.step_a = n;
    point.step_b = found->second;
    point.op_a = a.steps[n].end_op;
    for (const auto& [begin, end] : of_a[n]) point.keys += end - begin;
    point.hull = {of_a[n].front().first, of_a[n].back().second};
  }
  points.push_back({true, 0, 0, a.end_op, kv_len, {0, kv_len}});
  return points;
}

std::vector<ComparedValue> compared_values(const ChainRecording& a, const ChainRecording& b,
                                           const CommonPoint& point, double tolerance) {
  const Sides sides = sides_at(a, b, point);
  std::vector<ComparedValue> values;
  const double size = std::isfinite(sides.lse_a) ? std::abs(sides.lse_a) : 1;
  values.push_back(value("m + ln l", sides.lse_a, sides.lse_b, sides.true_lse, size, tolerance));
  const double largest = largest_of(*sides.o_a);
  for (std::size_t d = 0; d < sides.o_a->size(); ++d) {
    values.push_back(value(fmt::format("O[{}]", d), (*sides.o_a)[d], (*sides.o_b)[d],
                           (*sides.true_o)[d], largest, tolerance));
  }
  return values;
}

std::optional<std::size_t> point_at(const std::vector<CommonPoint>& points, std::int64_t position) {
  std::optional<std::size_t> last;
  for (std::size_t n = 0; n < points.size(); ++n) {
    if (points[n].op_a <= position) last = n;
  }
  return last;
}

std::vector<Growth> growth_of(const ChainRecording& a, const ChainRecording& b,
                              const std::vector<CommonPoint>& points) {
  std::vector<Growth> growth;
  for (const CommonPoint& point : points) {
    const Sides sides = sides_at(a, b, point);
    Growth g{point.keys, point.final, difference(sides.lse_a, sides.lse_b), std::nullopt};
    for (std::size_t d = 0; d < sides.o_a->size(); ++d) {
      g.o = std::max(g.o.value_or(0), difference((*sides.o_a)[d], (*sides.o_b)[d]));
    }
    growth.push_back(g);
  }
  return growth;
}

Sheet compare_sheet(const ChainRecording& a, const ChainRecording& b,
                    const std::vector<CommonPoint>& points) {
  Sheet sheet{{"keys so far", "kv step of A", "kv step of B", "m + ln l A", "m + ln l B",
               "m + ln l fp64", "m + ln l apart", "O apart"},
              {}};
  const auto exact = [](double v) { return fmt::format("{:.9g}", v); };
  const std::vector<Growth> growth = growth_of(a, b, points);
  for (std::size_t n = 0; n < points.size(); ++n) {
    const CommonPoint& p = points[n];
    const Sides sides = sides_at(a, b, p);
    sheet.rows.push_back(
        {p.final ? "result" : std::to_string(p.keys), p.final ? "" : std::to_string(p.step_a + 1),
         p.final ? "" : std::to_string(p.step_b + 1), exact(sides.lse_a), exact(sides.lse_b),
         exact(sides.true_lse), fmt::format("{:.3g}", growth[n].lse),
         fmt::format("{:.3g}", growth[n].o.value_or(0))});
  }
  return sheet;
}

DiffScope scope_of_row(const Program& program, const Chain& chain, std::int64_t packed_row) {
  const std::int64_t group = program.group();
  const IndexRange packed =
      tile_rows(chain.q_tile, program.tiling().q_tile_rows, program.problem().q_len * group);
  return {chain.batch, chain.head * group + packed_row % group,
          query_rows_of_packed(packed, group)};
}

double diff_flops(const Problem& problem) {
  constexpr double kPerElement = 2 * 4;  // two sides, two products of a multiply and an add
  return kPerElement * static_cast<double>(problem.batch) * static_cast<double>(problem.q_heads) *
         static_cast<double>(problem.q_len) * static_cast<double>(problem.kv_len) *
         static_cast<double>(problem.head_dim);
}

DiffJob::DiffJob(Scenario scenario, Program a, Program b, std::optional<DiffScope> only)
    : scenario_(std::move(scenario)),
      a_(std::move(a)),
      b_(std::move(b)),
      only_(only),
      tolerance_(diff_tolerance(a_.precision(), b_.precision())),
      thread_([this] { work(); }) {}

DiffJob::~DiffJob() {
  stop();
  thread_.join();
}

void DiffJob::work() {
  DiffOptions options;
  options.tolerance = tolerance_;
  options.only = only_;
  options.progress = [this](std::int64_t done, std::int64_t total) {
    progress_ = static_cast<double>(done) / static_cast<double>(std::max<std::int64_t>(total, 1));
    if (stopped_) throw Stopped();
  };
  try {
    result_ = diff(scenario_, a_, ProgramSide(scenario_, b_), options);
  } catch (const Stopped&) {
    result_.reset();
  } catch (const std::exception& error) {
    error_ = error.what();
  }
  finished_ = true;
}

}  // namespace flashscope::views
