// The closed forms by hand, and what they decline to answer. That they agree with counting is
// proved in tests/machine/count_test.cpp.
#include "sim/attention/closed_forms.h"

#include <doctest/doctest.h>

namespace flashscope::test {
namespace {

// 4 queries, 4 keys, D 2, fp32, tiles 2x2: small enough to add up on paper.
Problem pencil() {
  Problem problem;
  problem.q_len = problem.kv_len = 4;
  problem.head_dim = 2;
  return problem;
}

Tiling pencil_tiling() {
  Tiling tiling;
  tiling.q_tile_rows = tiling.kv_tile_rows = 2;
  return tiling;
}

TEST_CASE("the closed forms give what one adds up by hand") {
  const Problem problem = pencil();
  const Tiling tiling = pencil_tiling();
  // Q 32, K and V 2 x 32 for each of 2 q tiles, O 32, LSE 16.
  CHECK(closed_form_bytes(problem, tiling, {}, "fa2") == 32 + 128 + 32 + 16);
  // One split: as fa2, and partial O and LSE out and in.
  CHECK(closed_form_bytes(problem, tiling, {}, "split_kv") == 208 + 2 * (32 + 16));
  // Q and K twice each, S out; S in, P and LSE out; P in, V twice, O out.
  CHECK(closed_form_bytes(problem, tiling, {}, "standard") ==
        (64 + 64 + 64) + (64 + 64 + 16) + (64 + 64 + 32));
  // K and V once, twice Q, O, m, l in, once O, m, l out, once O and LSE out.
  CHECK(closed_form_bytes(problem, tiling, {}, "fa1") ==
        64 + 2 * (32 + 32 + 16 + 16) + (32 + 16 + 16) + (32 + 16));
}

TEST_CASE("under a causal mask the first q tile leaves out the second kv tile") {
  Problem problem = pencil();
  problem.mask.causal = true;
  CHECK(closed_form_bytes(problem, pencil_tiling(), {}, "fa2") == 208 - 2 * 16);
}

TEST_CASE("a mask expression or an unknown algorithm has no closed form") {
  Problem problem = pencil();
  CHECK_FALSE(closed_form_bytes(problem, pencil_tiling(), {}, "mine").has_value());
  problem.mask.expression = expression::MaskExpression::parse("q >= k");
  for (const char* name : {"standard", "fa1", "fa2", "split_kv"}) {
    CHECK_FALSE(closed_form_bytes(problem, pencil_tiling(), {}, name).has_value());
  }
}

TEST_CASE("the papers' counts are their formulas") {
  CHECK(standard_paper_elements(4, 2) == 4 * 16 + 4 * 8);
  CHECK(standard_paper_elements(4096, 64) == 68'157'440);
  CHECK(flash_paper_elements(4, 2, 8) == 8);
  CHECK(flash_paper_elements(5, 3, 7) == 225 / 7);
  // (Nd)^2 = 2^66 does not fit 64 bits; the result does.
  CHECK(flash_paper_elements(std::int64_t{1} << 26, 128, std::int64_t{1} << 16) == std::int64_t{1}
                                                                                       << 50);
}

}  // namespace
}  // namespace flashscope::test
