// Counts, budgets, runs and measurements of a scenario; see facts_cache.h.
#include "lessons/engine/facts_cache.h"

#include <cmath>

#include <fmt/format.h>

#include "lessons/engine/facts.h"
#include "lessons/engine/records.h"
#include "lessons/engine/work.h"
#include "sim/attention/closed_forms.h"
#include "sim/error.h"

namespace flashscope::lessons {
namespace {

bool same_problem(const Problem& a, const Problem& b) {
  return a.batch == b.batch && a.q_heads == b.q_heads && a.kv_heads == b.kv_heads &&
         a.q_len == b.q_len && a.kv_len == b.kv_len && a.head_dim == b.head_dim &&
         a.dtype == b.dtype && std::abs(a.scale - b.scale) <= 1e-6 * std::abs(b.scale) &&
         a.mask.causal == b.mask.causal && a.mask.window_left == b.mask.window_left &&
         a.mask.window_right == b.mask.window_right && !a.mask.expression && !b.mask.expression;
}

bool same_tiling(const Tiling& a, const Tiling& b) {
  return a.q_tile_rows == b.q_tile_rows && a.kv_tile_rows == b.kv_tile_rows &&
         a.splits == b.splits && a.pack_gqa == b.pack_gqa;
}

std::string describe_tiling(const Tiling& tiling) {
  std::string text = fmt::format("{}x{}", tiling.q_tile_rows, tiling.kv_tile_rows);
  if (tiling.splits > 1) text += fmt::format(", {} splits", tiling.splits);
  return tiling.pack_gqa ? text + ", packed" : text;
}

}  // namespace

FactCache::FactCache(const ProblemOptions& options, const Setup& setup, std::string record)
    : setup_(setup),
      record_(std::move(record)),
      device_(flashscope::device(options)),
      placement_(placement(options)) {}

const Count& FactCache::count() {
  if (!count_) count_ = flashscope::count(program());
  return *count_;
}

const Budget& FactCache::budget() {
  if (!budget_) {
    budget_ = flashscope::budget(program().algorithm(), problem(), program().tiling(),
                                 program().precision(), device_, placement_);
  }
  return *budget_;
}

std::int64_t FactCache::closed_form() {
  const Algorithm& algorithm = program().algorithm();
  if (!algorithm.is_built_in()) {
    throw Error("there is no closed form for a table that is not built in");
  }
  const auto bytes =
      closed_form_bytes(problem(), program().tiling(), program().precision(), algorithm.name);
  if (!bytes) throw Error("there is no closed form for a mask expression");
  return *bytes;
}

const FactCache::Run& FactCache::run() {
  if (run_) return *run_;
  const double work = run_work(program(), count());
  if (work > kMostWork) {
    throw Error("the problem is too large to be computed in a lesson; make it smaller");
  }
  work_done_ += work;
  const Scenario scenario = lesson_scenario(setup_);
  Outputs outputs = make_outputs(problem(), program().precision());
  RunTotals totals = flashscope::run(program(), scenario.inputs, outputs, {});
  run_ = Run{std::move(totals), verify(scenario, program().precision(), outputs, {})};
  return *run_;
}

const Record& FactCache::record() const {
  if (record_.empty()) {
    throw Error("the scenario has no record; write record = \"h200\"");
  }
  return find_record(record_);
}

const RecordRow& FactCache::measured() const {
  const std::string& algorithm = program().algorithm().name;
  if (!program().algorithm().is_built_in()) {
    throw Error("only built-in tables were measured");
  }
  std::string tilings;
  for (const RecordRow& row : record().rows) {
    if (row.algorithm != algorithm || !same_problem(row.problem, problem())) continue;
    if (same_tiling(row.tiling, program().tiling())) return row;
    tilings += (tilings.empty() ? "" : "; ") + describe_tiling(row.tiling);
  }
  if (tilings.empty()) {
    throw Error(fmt::format("record {} has no {} on {}", record_, algorithm, describe(problem())));
  }
  throw Error(fmt::format("record {} has {} on {} in tiles {}, not {}", record_, algorithm,
                          describe(problem()), tilings, describe_tiling(program().tiling())));
}

double FactCache::counter(std::optional<std::int64_t> KernelCounters::*counter) const {
  std::int64_t sum = 0;
  for (const KernelCounters& kernel : measured().kernels) {
    if (!(kernel.*counter)) throw Error(fmt::format("record {} lacks this counter", record_));
    sum += *(kernel.*counter);
  }
  return static_cast<double>(sum);
}

}  // namespace flashscope::lessons
