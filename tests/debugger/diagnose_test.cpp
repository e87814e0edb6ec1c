// Diagnosis names each fault of the catalogue from its output alone, without being told the tiling,
// and accuses no right output.
#include "sim/debugger/diagnose.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "foreign_attention.h"
#include "sim/attention/faults.h"
#include "sim/machine/runner.h"
#include "sim/scenario/problem_json.h"
#include "sim/scenario/revealing.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

Outputs compute(const Scenario& scenario, const Algorithm& algorithm, const Tiling& tiling) {
  const Precision precision = default_precision(algorithm, scenario.problem.dtype);
  const Program program(scenario.problem, algorithm, tiling, precision);
  Outputs outputs = make_outputs(scenario.problem, precision);
  run(program, scenario.inputs, outputs, {});
  return outputs;
}

Diagnosis diagnose_outputs(const Scenario& scenario, const Outputs& outputs, bool with_lse) {
  const Precision precision = default_precision(load_algorithm("fa2"), scenario.problem.dtype);
  Observed observed{outputs.o.view(), std::nullopt};
  if (with_lse) observed.lse = outputs.lse.view();
  return diagnose(scenario, observed, precision);
}

// Within what nothing tells apart from the first.
bool is_among_the_first(const Diagnosis& diagnosis, const Fault& fault) {
  for (const Candidate& candidate : diagnosis.candidates) {
    const Candidate& first = diagnosis.candidates.front();
    if (candidate.lse_fits() != first.lse_fits()) break;
    if (candidate.share > std::max(0.01, first.share)) break;
    if (candidate.fault == &fault) return true;
  }
  return false;
}

std::string listed(const Diagnosis& diagnosis) {
  std::string text;
  for (const Candidate& candidate : diagnosis.candidates) {
    text += fmt::format("{} ({}x{}, {:.2g}) ", candidate.fault->name, candidate.q_tile,
                        candidate.kv_tile, candidate.share);
  }
  return text;
}

}  // namespace

TEST_CASE("every fault is named first, whatever the tiling") {
  int several = 0, cases = 0;
  for (const Fault& fault : faults()) {
    for (const bool causal : {false, true}) {
      if (!can_show(fault, causal)) continue;
      for (const Format dtype : {Format::fp32, Format::fp16}) {
        const Scenario scenario = revealing_scenario(fault, causal, dtype);
        Algorithm algorithm = load_algorithm("fa2");
        apply_fault(algorithm, fault.name);
        const Outputs outputs = compute(scenario, algorithm, revealing_tiling());
        const Diagnosis diagnosis = diagnose_outputs(scenario, outputs, true);
        const std::string what =
            fmt::format("{} on {}: {}", fault.name, describe(scenario.problem), listed(diagnosis));
        CAPTURE(what);
        CHECK_FALSE(diagnosis.is_right);
        CHECK(is_among_the_first(diagnosis, fault));
        ++cases;
        several += diagnosis.candidates.size() > 1 ? 1 : 0;
      }
    }
  }
  // Above all those of rows that see nothing, where a sentinel and a convention give the same mean.
  CHECK(several <= cases / 10);
}

TEST_CASE("faults of O are named from O alone") {
  for (const Fault& fault : faults()) {
    if (fault.name.starts_with("lse_")) continue;
    const bool causal = can_show(fault, true);
    const Scenario scenario = revealing_scenario(fault, causal, Format::fp16);
    Algorithm algorithm = load_algorithm("fa2");
    apply_fault(algorithm, fault.name);
    const Diagnosis diagnosis =
        diagnose_outputs(scenario, compute(scenario, algorithm, revealing_tiling()), false);
    const std::string what = fmt::format("{}: {}", fault.name, listed(diagnosis));
    CAPTURE(what);
    CHECK_FALSE(diagnosis.is_right);
    CHECK(diagnosis.wrong_rows > 0);
    CHECK(is_among_the_first(diagnosis, fault));
  }
}

TEST_CASE("mistakes of a stranger's code are named, by what else they do in fp64") {
  for (const Fault& fault : faults()) {
    // These depend on the precision or on memory; the simulator's own output stands for them above.
    if (fault.name == "no_max_subtraction" || fault.name == "accumulate_in_fp16" ||
        fault.name == "m_init_zero" || fault.name == "kv_strides_swapped" ||
        fault.name == "sentinel_fully_masked_row" || fault.name == "mean_v_on_empty_rows" ||
        fault.name == "stage_ranges_overlap") {
      continue;
    }
    for (const bool causal : {false, true}) {
      if (!can_show(fault, causal)) continue;
      for (const Format dtype : {Format::fp32, Format::fp16}) {
        Scenario scenario = revealing_scenario(fault, causal, dtype);
        // The stranger knows causal masks alone.
        if (scenario.problem.mask.expression || scenario.problem.mask.window_left >= 0) continue;
        const Outputs outputs =
            foreign_attention(scenario, std::string(fault.name), 64, 32, Format::fp32);
        const Diagnosis diagnosis =
            diagnose_outputs(scenario, outputs, fault.name != "layout_swapped");
        const std::string what =
            fmt::format("{} on {}: {}", fault.name, describe(scenario.problem), listed(diagnosis));
        CAPTURE(what);
        CHECK_FALSE(diagnosis.candidates.empty());
        if (diagnosis.candidates.empty()) continue;
        const auto found =
            std::find_if(diagnosis.candidates.begin(), diagnosis.candidates.end(),
                         [&](const Candidate& candidate) { return candidate.fault == &fault; });
        CHECK(found != diagnosis.candidates.end());
        CHECK(diagnosis.candidates.front().fault == &fault);
        CHECK(diagnosis.is_convention == (fault.kind == FaultKind::convention));
      }
    }
  }
}

TEST_CASE("other orders and sizes of tiles are tried when the usual ones explain nothing") {
  const Fault& fault = find_fault("o_not_rescaled");
  const Scenario scenario = revealing_scenario(fault, false, Format::fp32);
  Algorithm algorithm = load_algorithm("fa2");
  apply_fault(algorithm, fault.name);
  Tiling descending = revealing_tiling(), odd = revealing_tiling();
  descending.kv_order = KvOrder::descending;
  odd.kv_tile_rows = 48;
  const Diagnosis one = diagnose_outputs(scenario, compute(scenario, algorithm, descending), false);
  REQUIRE_FALSE(one.candidates.empty());
  CHECK(one.candidates.front().fault == &fault);
  CHECK(one.candidates.front().kv_order == KvOrder::descending);
  CHECK(one.candidates.front().kv_tile == 64);
  const Diagnosis other = diagnose_outputs(scenario, compute(scenario, algorithm, odd), false);
  REQUIRE_FALSE(other.candidates.empty());
  CHECK(other.candidates.front().fault == &fault);
  CHECK(other.candidates.front().kv_tile == 48);
}
