// Diffs: honest computations never part, in whatever order and tiling they run; a wrong one parts
// where its bug first matters; traces are read by their convention, declared or recognised.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <doctest/doctest.h>

#include "sim/debugger/trace.h"
#include "sim/error.h"

using namespace flashscope;

namespace {

Scenario causal_scenario(Format dtype = Format::fp32) {
  Problem problem;
  problem.batch = 2;
  problem.q_heads = 4;
  problem.kv_heads = 2;
  problem.q_len = 37;
  problem.kv_len = 45;
  problem.head_dim = 8;
  problem.scale = 0.4;
  problem.dtype = dtype;
  problem.mask.causal = true;
  return generated_scenario(problem, 3, {});
}

Program program_of(const Scenario& scenario, const std::string& name, std::int64_t q_tile,
                   std::int64_t kv_tile, bool pack = false, KvOrder order = KvOrder::ascending) {
  Algorithm algorithm = load_algorithm(name);
  Tiling tiling;
  tiling.q_tile_rows = q_tile;
  tiling.kv_tile_rows = kv_tile;
  tiling.pack_gqa = pack;
  tiling.kv_order = order;
  if (algorithm.has_splits()) tiling.splits = 3;
  const Precision precision = default_precision(algorithm, scenario.problem.dtype);
  return {scenario.problem, std::move(algorithm), tiling, precision};
}

DiffResult diff_of(const Scenario& scenario, const Program& a, const Program& b) {
  return diff(scenario, a, ProgramSide(scenario, b),
              {diff_tolerance(a.precision(), b.precision()), {}});
}

// A trace as a kernel would log it, from fa2's states: m and l after every step.
std::string write_trace(const Scenario& scenario, const Program& program, const std::string& header,
                        bool base2, bool scaled, double error_from_keys) {
  const auto folder = std::filesystem::temp_directory_path() / "flashscope_diff_test";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "trace.jsonl").string();
  std::ofstream file(path);
  if (!header.empty()) file << header << "\n";
  for (std::int64_t h = 0; h < scenario.problem.q_heads; ++h) {
    for (const auto& [row, states] :
         record_states(scenario, program, 0, h, {0, scenario.problem.q_len})) {
      for (const PrefixState& state : states) {
        if (state.final || state.keys.empty()) continue;
        // Any m and l with the right m + ln l will do.
        const double l = 2.5, m = std::isfinite(state.lse) ? state.lse - std::log(l) : 0;
        const double wrong =
            static_cast<double>(state.keys.back().second) > error_from_keys ? 0.5 : 0;
        const double logged =
            (m + wrong) / (base2 ? std::numbers::ln2 : 1) / (scaled ? 1 : scenario.problem.scale);
        file << "{\"batch\":0,\"head\":" << h << ",\"row\":" << row
             << ",\"kv_begin\":" << state.keys.front().first
             << ",\"kv_end\":" << state.keys.back().second << ",\"m\":" << logged
             << ",\"l\":" << (std::isfinite(state.lse) ? l : 0.0) << "}\n";
      }
    }
  }
  return path;
}

}  // namespace

TEST_CASE("honest computations do not part, across algorithms, tilings, orders and packing") {
  for (const Format dtype : {Format::fp32, Format::fp16}) {
    const Scenario scenario = causal_scenario(dtype);
    const Program base = program_of(scenario, "fa2", 8, 6);
    for (const Program& other :
         {program_of(scenario, "fa1", 4, 12), program_of(scenario, "standard", 16, 16),
          program_of(scenario, "split_kv", 8, 4), program_of(scenario, "fa2", 16, 3, true),
          program_of(scenario, "fa2", 8, 6, false, KvOrder::descending)}) {
      CAPTURE(other.algorithm().name);
      const DiffResult result = diff_of(scenario, base, other);
      CHECK_FALSE(result.first);
      CHECK(result.compared_rows == 2 * 4 * 37);
      CHECK(result.differing_rows == 0);
    }
  }
}

TEST_CASE("a missing rescale parts at the first step whose max grows, and names row and keys") {
  const Scenario scenario = pencil_scenario();
  const Program right = program_of(scenario, "fa2", 2, 2);
  const Program wrong =
      program_of(scenario, FLASHSCOPE_SOURCE_DIR "/lessons/data/planted_bug.alg", 2, 2);
  const DiffResult result = diff_of(scenario, right, wrong);
  REQUIRE(result.first);
  CHECK(result.first->row == 0);
  CHECK(result.first->kv_begin == 0);
  CHECK(result.first->kv_end == 4);
  CHECK(result.first->op_a == 22);
  CHECK(result.first->quantity == "lse");
  CHECK(result.first->b == doctest::Approx(3 + std::log(2.73575888)));
  REQUIRE(result.growth.size() == 3);  // two tiles and the result
  CHECK(result.growth[0].lse == 0);
}

TEST_CASE("a trace is read in any convention, declared or not") {
  const Scenario scenario = causal_scenario();
  const Program program = program_of(scenario, "fa2", 8, 6);
  for (const bool base2 : {false, true}) {
    for (const bool scaled : {false, true}) {
      for (const std::string& header :
           {std::string(), std::string("{\"schema\":\"flashscope.trace/1\",\"base\":") +
                               (base2 ? "2" : "\"e\"") +
                               ",\"scaled\":" + (scaled ? "true}" : "false}")}) {
        const TraceSide trace(scenario, write_trace(scenario, program, header, base2, scaled, 1e9));
        CAPTURE(trace.convention());
        CHECK(trace.convention().starts_with(base2 ? "base 2" : "natural"));
        CHECK(trace.convention().find(scaled ? "scaled" : "before") != std::string::npos);
        CHECK_FALSE(diff(scenario, program, trace, {1e-4, {}}).first);
      }
    }
  }
}

TEST_CASE("a trace that goes wrong at some key is told so there") {
  const Scenario scenario = causal_scenario();
  const Program program = program_of(scenario, "fa2", 8, 6);
  const TraceSide trace(scenario, write_trace(scenario, program, "", false, true, 18));
  const DiffResult result = diff(scenario, program, trace, {1e-3, {}});
  REQUIRE(result.first);
  CHECK(result.first->kv_end == 24);
  CHECK(result.first->batch == 0);
}
