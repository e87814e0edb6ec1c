// The right answer to a problem, from fp64 (sim/reference) over the inputs as the dtype rounded
// them, and how far a kernel may be from it:
//
//   |error of O|   <= 2 * the largest error of standard attention in the same precision
//                     + the rounding of P, of O and of fp32 sums
//   |error of LSE| <= the rounding of fp32 sums (standard: also of S)
//
// Standard attention, with S and P in the dtype, is the simulator's, run on the same rows. Its
// error says what the numbers at hand do to any kernel; the roundings are first-order bounds for
// each element: with u half a unit in the dtype's last place, and W = sum over keys of P |V|,
//   P: u W, and for fp16 2^-25 max|V| per key, where P is subnormal     O: u |O|
//   sums: as in sim/debugger/tolerance.h, relative to W
// Rows that see no key must be exactly 0 and -inf.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/launch/algorithm.h"
#include "gpu/verify/guarded_problem.h"
#include "gpu/verify/trial.h"
#include "sim/reference/attention.h"
#include "sim/scenario/scenario.h"

namespace flashscope::gpu {

struct Check {
  std::string failure;    // "O[b 0, h 1, row 5, d 3] is 0.2, must be 0.31: …"; empty: right
  double used_share = 0;  // the largest error of O or LSE as a share of what is allowed
};

class Oracle {
 public:
  // Computes right answers of all rows, or of a sample (blocks of 32 rows, the first and the last
  // among them) where all would take long; on all cores. References must outlive it.
  Oracle(const Scenario& scenario, std::uint64_t seed);

  struct Expectations {
    Algorithm algorithm = Algorithm::fa2;
    Fill exact_o;  // see Trial
    // Whether O may be NaN in this row and column (of any head), though it should not be.
    std::function<bool(std::int64_t, std::int64_t)> may_be_nan;
  };
  Check check(const RunResult& result, const Expectations& expectations) const;

  std::int64_t rows() const { return rows_; }  // that are checked

 private:
  struct Block {
    std::int64_t batch = 0, head = 0, tile = 0;  // rows [32 tile, 32 tile + 32) of the head
    std::vector<std::int64_t> rows;
    reference::Rows want;
    std::vector<double> weight;         // W, (rows, head_dim)
    double plain_o = 0, plain_lse = 0;  // errors of standard attention
  };
  void choose_blocks(std::uint64_t seed);
  void compute_blocks();
  void set_bounds();
  void check_row(const Block& block, std::size_t n, const RunResult& result,
                 const Expectations& expectations, Check& check) const;

  const Scenario& scenario_;
  std::vector<Block> blocks_;
  std::int64_t rows_ = 0;
  // Parts of what is allowed; see above.
  double plain_o_ = 0;                   // twice the largest error of standard attention
  double unit_ = 0, smallest_half_ = 0;  // u; half the spacing of subnormal numbers
  double subnormal_p_ = 0;               // of P, summed over all keys
  double sums_ = 0;                      // of fp32 sums, relative
  double lse_ = 0, lse_of_standard_ = 0;
};

}  // namespace flashscope::gpu
