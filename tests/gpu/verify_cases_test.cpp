// The verification verified: with the simulator in place of the kernels every case passes, and
// every kind of mistake that it is there for is found and named.
#include <algorithm>

#include <doctest/doctest.h>

#include "gpu/verify/sweep.h"
#include "gpu/verify/verifier.h"
#include "host_backend.h"
#include "sample_call.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::gpu;
using test::host_backend;
using test::Mistakes;

namespace {

// The simulator is no GPU: all cases together leave the larger problems out.
VerifyOptions options_for(gpu::Algorithm algorithm, double most_work) {
  VerifyOptions options;
  options.algorithm = algorithm;
  options.head_dim = 32;
  options.most_work = most_work;
  return options;
}
constexpr double kFewWork = 3e6, kOneCaseWork = 2e7;

std::string text(const VerifyReport& report) {
  std::string all;
  for (const Failure& failure : report.failures) all += failure.what + "\n";
  return all;
}

VerifyReport case_with(const Mistakes& mistakes, std::int64_t number,
                       gpu::Algorithm algorithm = gpu::Algorithm::fa2) {
  const auto backend = host_backend(mistakes);
  VerifyOptions options = options_for(algorithm, kOneCaseWork);
  options.only = number;
  Verifier verifier(*backend, options);
  verifier.run_cases();
  return verifier.report();
}

// Number of the case, as --only takes it.
std::int64_t case_about(const std::string& words) {
  const auto& cases = verify_cases();
  const auto found = std::find_if(cases.begin(), cases.end(), [&](const VerifyCase& one) {
    return one.name.find(words) != std::string::npos;
  });
  REQUIRE(found != cases.end());
  return found - cases.begin() + 1;
}

void check_found(const Mistakes& mistakes, const std::string& words_of_case,
                 const std::string& words) {
  CAPTURE(words_of_case);
  const VerifyReport report = case_with(mistakes, case_about(words_of_case));
  const std::string failures = text(report);
  CAPTURE(failures);
  CHECK(report.failed() > 0);
  CHECK(failures.find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("an honest backend passes every case of every algorithm") {
  for (const gpu::Algorithm algorithm : {gpu::Algorithm::standard, gpu::Algorithm::fa1,
                                         gpu::Algorithm::fa2, gpu::Algorithm::split_kv}) {
    if (!has_kernels(algorithm)) continue;
    const std::string name = name_of(algorithm);
    CAPTURE(name);
    const auto backend = host_backend();
    Verifier verifier(*backend, options_for(algorithm, kFewWork));
    verifier.run_cases();
    const std::string failures = text(verifier.report());
    CAPTURE(failures);
    CHECK(verifier.report().failed() == 0);
    CHECK(verifier.report().passed() > 100);
    CHECK(verifier.report().groups.size() == verify_cases().size());
  }
}

TEST_CASE("an honest backend passes random problems") {
  const auto backend = host_backend();
  VerifyOptions options;
  options.most_work = 3e7;
  options.seed = 11;
  Verifier verifier(*backend, options);
  verifier.run_sweep(60);
  const std::string failures = text(verifier.report());
  CAPTURE(failures);
  CHECK(verifier.report().failed() == 0);
  CHECK(verifier.report().passed() > 30);
}

TEST_CASE("calls that must be refused are, and one that is not is named") {
  const auto honest = host_backend();
  Verifier verifier(*honest, VerifyOptions{});
  verifier.run_refusals();
  CHECK(text(verifier.report()) == "");
  CHECK(verifier.report().passed() >= static_cast<std::int64_t>(refusals().size()));

  Mistakes mistakes;
  mistakes.takes_everything = true;
  const auto careless = host_backend(mistakes);
  Verifier lax(*careless, VerifyOptions{});
  lax.run_refusals();
  CHECK(lax.report().failed() >= static_cast<std::int64_t>(refusals().size()));
  CHECK(text(lax.report()).find("head_dim 63: was not refused") != std::string::npos);
}

TEST_CASE("memory that is written but not anyone's is found") {
  Mistakes behind_o;
  behind_o.writes_behind_o = true;
  check_found(behind_o, "memory around O", "3 elements behind the end of O's row");
  Mistakes before_lse;
  before_lse.writes_before_lse = true;
  check_found(before_lse, "memory around O", "memory before LSE was written");
  Mistakes into_q;
  into_q.writes_into_q = true;
  check_found(into_q, "forty heads", "Q, K or V, or memory around them, was written");
  if (has_kernels(gpu::Algorithm::split_kv)) {
    Mistakes behind_workspace;
    behind_workspace.writes_behind_workspace = true;
    const VerifyReport report =
        case_with(behind_workspace, case_about("workspace given"), gpu::Algorithm::split_kv);
    CHECK(text(report).find("memory behind the workspace was written") != std::string::npos);
  }
}

TEST_CASE("memory that is read but not anyone's is found") {
  Mistakes mistakes;
  mistakes.reads_behind_v = true;
  check_found(mistakes, "forty heads", "off by");  // the next head's key
  check_found(mistakes, "between rows", "is nan");
}

TEST_CASE("calls that differ, or ignore the stream, are found") {
  Mistakes restless;
  restless.other_bits_each_call = true;
  check_found(restless, "a hundred times", "gave other bits than the first");
  Mistakes deaf;
  deaf.ignores_the_stream = true;
  check_found(deaf, "caller's stream", "is nan");
}

TEST_CASE("faults of the catalogue are found by the cases made for them") {
  const std::pair<const char*, const char*> made_for[] = {
      {"causal_off_by_one", "longer than its keys"},
      {"causal_top_left", "longer than its keys"},
      {"sentinel_fully_masked_row", "longer than its keys"},
      {"diagonal_tile_skipped", "one off a tile's"},
      {"stage_ranges_overlap", "one off a tile's"},
      {"tail_not_masked", "the tail is not counted"},
      {"gqa_modulo", "consecutive ones share"},
      {"no_max_subtraction", "no inf - inf"},
      {"l_not_rescaled", "one off a tile's"},
      {"o_not_rescaled", "one off a tile's"},
      {"rescale_inverted", "windows on either side"},
      {"scale_missing", "negative scale"},
      {"lse_base2", "128 keys"},
      {"lse_plus_inf_on_empty_rows", "longer than its keys"},
      {"stale_kv_tile", "one off a tile's"},
  };
  for (const auto& [fault, words] : made_for) {
    const std::string name = fault;
    CAPTURE(name);
    Mistakes mistakes;
    mistakes.fault = fault;
    const VerifyReport report = case_with(mistakes, case_about(words));
    CHECK(report.failed() > 0);
  }
}

TEST_CASE("a failure says how to run it again, and that is the same problem") {
  Mistakes mistakes;
  mistakes.fault = "tail_not_masked";
  const auto backend = host_backend(mistakes);
  VerifyOptions options = options_for(gpu::Algorithm::fa2, kFewWork);
  options.seed = 5;
  Verifier verifier(*backend, options);
  verifier.run_sweep(40);
  REQUIRE(!verifier.report().failures.empty());
  const Failure& first = verifier.report().failures.front();
  const std::string prefix = "--sweep 40 --seed 5 --only ";
  REQUIRE(first.again.starts_with(prefix));
  CHECK(first.again.ends_with(" --algorithm fa2 --head-dim 32"));
  options.only = std::stoll(first.again.substr(prefix.size()));
  Verifier again(*backend, options);
  again.run_sweep(40);
  REQUIRE(again.report().failures.size() == 1);
  CHECK(again.report().failures.front().what == first.what);
}

TEST_CASE("what cannot be run is an error that says what there is") {
  const auto backend = host_backend();
  VerifyOptions options;
  options.head_dim = 63;
  CHECK_THROWS_WITH_AS(Verifier(*backend, options),
                       "there is no compiled kernel of algorithm all and head_dim 63 that fits "
                       "this device",
                       Error);
  options.head_dim = 64;
  options.only = 1000;
  Verifier verifier(*backend, options);
  CHECK_THROWS_AS(verifier.run_cases(), Error);
}
