// Published byte counts of one well-known shape, and how long counting a million rows takes.
#include <chrono>

#include <doctest/doctest.h>

#include "sim/attention/closed_forms.h"
#include "sim/machine/count.h"

namespace flashscope::test {
namespace {

// batch 4, 16 heads, N 4096, D 64, fp16; tiles of 128 queries and 64 keys.
Problem golden_problem() {
  Problem problem;
  problem.batch = 4;
  problem.q_heads = problem.kv_heads = 16;
  problem.q_len = problem.kv_len = 4096;
  problem.head_dim = 64;
  problem.scale = default_scale(problem.head_dim);
  problem.dtype = Format::fp16;
  return problem;
}

Count count_by_name(const Problem& problem, const std::string& name) {
  const Tiling tiling;
  const Algorithm algorithm = load_algorithm(name);
  const Precision precision = default_precision(algorithm, problem.dtype);
  const Count result = count(Program(problem, algorithm, tiling, precision));
  CHECK(closed_form_bytes(problem, tiling, precision, name) == result.ledger.total_bytes());
  return result;
}

TEST_CASE("fa2 moves the golden number of bytes") {
  const Count counted = count_by_name(golden_problem(), "fa2");
  CHECK(counted.ledger.load_bytes() == 2'181'038'080);
  CHECK(counted.ledger.store_bytes() == 34'603'008);
  CHECK(counted.ledger.init_bytes() == 0);
  CHECK(counted.work_items == 4 * 16 * 32);
  CHECK(counted.tiles.full == 4 * 16 * 32 * 64);
}

TEST_CASE("fa2 under a causal mask loads the golden number of bytes") {
  Problem problem = golden_problem();
  problem.mask.causal = true;
  const Count counted = count_by_name(problem, "fa2");
  CHECK(counted.ledger.load_bytes() == 1'140'850'688);
  CHECK(counted.ledger.store_bytes() == 34'603'008);
}

TEST_CASE("standard attention moves the golden number of bytes") {
  const Count counted = count_by_name(golden_problem(), "standard");
  CHECK(counted.ledger.load_bytes() == 8'589'934'592);
  CHECK(counted.ledger.store_bytes() == 4'329'570'304);
}

TEST_CASE("fa1 moves the golden number of bytes, the initialising stores apart") {
  const Count counted = count_by_name(golden_problem(), "fa1");
  CHECK(counted.ledger.load_bytes() == 6'643'777'536);
  CHECK(counted.ledger.store_bytes() == 4'394'582'016);
  CHECK(counted.ledger.init_bytes() == 69'206'016);
}

TEST_CASE("a million rows are counted in seconds at most") {
  Problem problem = golden_problem();
  problem.batch = 1;
  problem.q_heads = problem.kv_heads = 32;
  problem.q_len = problem.kv_len = 1'048'576;
  problem.mask.causal = true;
  for (const std::string& name : built_in_algorithm_names()) {
    const auto start = std::chrono::steady_clock::now();
    count_by_name(problem, name);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    MESSAGE(name << ": " << elapsed.count() * 1e3 << " ms");
    CHECK(elapsed.count() < 5.0);
  }
}

}  // namespace
}  // namespace flashscope::test
