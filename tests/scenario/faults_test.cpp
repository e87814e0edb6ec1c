// Every fault of the catalogue makes the answer wrong on the input that reveals it, and no honest
// algorithm is wrong there. What the faults are is in sim/attention/fault_catalogue_*.cpp.
#include "sim/attention/faults.h"

#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "run_support.h"
#include "sim/error.h"
#include "sim/machine/count.h"
#include "sim/scenario/revealing.h"
#include "sim/scenario/whisper.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

constexpr double kFarAbove = 25;  // times the honest error

Tiling tiling_for(const std::string& algorithm) {
  Tiling tiling = revealing_tiling();
  if (algorithm == "split_kv") tiling.splits = 2;  // of two tiles and of one
  return tiling;
}

Algorithm with_fault(const std::string& name, std::string_view fault) {
  Algorithm algorithm = load_algorithm(name);
  apply_fault(algorithm, fault);
  return algorithm;
}

bool applies(const std::string& name, const Fault& fault) {
  try {
    with_fault(name, fault.name);
    return true;
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("does not apply") != std::string::npos);
    return false;
  }
}

// fa1 keeps O normalised, so its accumulator never grows: in fp16 only noise remains of the fault.
bool is_drowned(const std::string& algorithm, const Fault& fault, Format dtype) {
  return fault.name == "accumulate_in_fp16" && algorithm == "fa1" && dtype == Format::fp16;
}

template <typename Use>
void for_all_revealing(Use use) {
  for (const Fault& fault : faults()) {
    for (const bool causal : {false, true}) {
      if (!can_show(fault, causal)) continue;
      for (const Format dtype : {Format::fp32, Format::fp16}) {
        const Scenario scenario = revealing_scenario(fault, causal, dtype);
        const std::string where = std::string(fault.name) + ", " + describe(scenario.problem);
        CAPTURE(where);
        use(fault, scenario);
      }
    }
  }
}

}  // namespace

TEST_CASE("every fault makes the answer wrong on its revealing input") {
  for_all_revealing([](const Fault& fault, const Scenario& scenario) {
    const Format dtype = scenario.problem.dtype;
    const Truth truth(scenario, dtype);
    for (const std::string algorithm : {"fa2", "fa1", "split_kv"}) {
      CAPTURE(algorithm);
      const bool applicable = applies(algorithm, fault);
      if (algorithm == "fa2") CHECK(applicable);
      if (!applicable || is_drowned(algorithm, fault, dtype)) continue;
      const Tiling tiling = tiling_for(algorithm);
      const Algorithm honest = load_algorithm(algorithm);
      const Precision precision = default_precision(honest, dtype);
      const Outputs right = run_table(scenario, honest, tiling, precision).outputs;
      const Outputs wrong =
          run_table(scenario, with_fault(algorithm, fault.name), tiling, precision).outputs;
      const bool of_lse = fault.name.starts_with("lse_");
      const double honest_error = of_lse ? truth.max_lse_error(right) : truth.max_error(right);
      const double error = of_lse ? truth.max_lse_error(wrong) : truth.max_error(wrong);
      CHECK(error > kFarAbove * honest_error);
    }
  });
}

TEST_CASE("honest algorithms are right on every revealing input") {
  for_all_revealing([](const Fault&, const Scenario& scenario) {
    const Truth truth(scenario, scenario.problem.dtype);
    for (const std::string algorithm : {"standard", "fa1", "fa2", "split_kv"}) {
      check_variant(scenario, {algorithm, tiling_for(algorithm)}, truth);
    }
  });
}

TEST_CASE(
    "every form of every fault changes something on the fault's input, and is counted as it runs") {
  for (const Fault& fault : faults()) {
    for (const FaultForm& form : fault.forms) {
      const bool causal = !can_show(fault, false);
      const Scenario scenario = revealing_scenario(fault, causal, Format::fp32);
      const std::string what = std::string(fault.name) + ": " + std::string(form.note);
      CAPTURE(what);
      Algorithm algorithm = load_algorithm("fa2");
      const Precision precision = default_precision(algorithm, Format::fp32);
      const Result right = run_table(scenario, algorithm, revealing_tiling(), precision);
      apply_fault(algorithm, fault, form);
      const Result wrong = run_table(scenario, algorithm, revealing_tiling(), precision);
      CHECK_FALSE(same_bits(right.outputs, wrong.outputs));
      const Ledger counted = count(wrong.program).ledger;
      CHECK(wrong.totals.ledger.traffic() == counted.traffic());
      CHECK(wrong.totals.ledger.work() == counted.work());
    }
  }
}

TEST_CASE("without a maximum fp32 is right on real speech data, which is why the fault passes") {
  for (const WhisperProblem& whisper : whisper_problems()) {
    Scenario scenario = whisper_scenario(whisper);
    scenario.problem.dtype = Format::fp32;
    CAPTURE(scenario.title);
    const Truth truth(scenario, Format::fp32);
    const Algorithm algorithm = with_fault("fa2", "no_max_subtraction");
    const Outputs outputs =
        run_table(scenario, algorithm, tiles(64, 64), default_precision(algorithm, Format::fp32), 0)
            .outputs;
    CHECK(truth.max_error(outputs) < 1e-4 * truth.max_o());
  }
}

TEST_CASE("a fault shows in the text of the table, or in its name") {
  const Algorithm algorithm = with_fault("fa2", "l_not_rescaled");
  CHECK(algorithm.full_name() == "fa2 with fault l_not_rescaled");
  CHECK(algorithm.source.find("    l = l + rowsum P\n") != std::string::npos);
  CHECK(algorithm.source.find("l = alpha * l") == std::string::npos);
  CHECK(algorithm.origin == Algorithm::kBuiltIn);
  CHECK_FALSE(algorithm.is_built_in());  // no closed form counts it
  // A condition stays with its line.
  CHECK(with_fault("fa2", "normalise_old_only").source.find("    O = O / l  when not first") !=
        std::string::npos);
}

TEST_CASE("README.md lists every fault") {
  std::ifstream file(FLASHSCOPE_SOURCE_DIR "/README.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  CHECK(faults().size() == 28);
  for (const Fault& fault : faults()) {
    const std::string row =
        "| `" + std::string(fault.name) + "` | " + std::string(fault.what_people_wrote) + " |";
    CAPTURE(row);
    CHECK(text.find(row) != std::string::npos);
  }
}

TEST_CASE("unknown faults, and faults that do not apply, are told in one line") {
  Algorithm algorithm = load_algorithm("fa2");
  CHECK_THROWS_WITH_AS(apply_fault(algorithm, "o_not_rescalled"),
                       "--fault 'o_not_rescalled': there is no such fault; did you mean "
                       "'o_not_rescaled'?",
                       Error);
  CHECK_THROWS_WITH_AS(
      with_fault("standard", "m_init_zero"),
      "--fault m_init_zero: it does not apply to algorithm standard: it has no line "
      "`m = -inf`",
      Error);
  apply_fault(algorithm, "scale_twice");
  CHECK_THROWS_WITH_AS(apply_fault(algorithm, "m_init_zero"),
                       "--fault m_init_zero: it does not apply to algorithm fa2: it has the fault "
                       "scale_twice already",
                       Error);
}
