// Holding a result against the fp64 reference: all rows while that is cheap, else a stated sample.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/machine/memory.h"
#include "sim/scenario/scenario.h"

namespace flashscope {

enum class VerifyRows : std::uint8_t { automatic, all, sample, none };

struct VerifyOptions {
  VerifyRows rows = VerifyRows::automatic;
  ReferenceInput reference_input = ReferenceInput::rounded;
  int threads = 0;                                           // 0: as many as the machine has
  std::function<void(std::int64_t, std::int64_t)> progress;  // row blocks done, in all
};

// NaN where NaN is due, and infinities of one sign, count as equal. A NaN on one side only makes
// the error infinite.
struct Verification {
  std::int64_t verified_rows = 0, total_rows = 0;
  double max_abs_error = 0, rmse = 0, lse_max_abs_error = 0;
  std::int64_t batch = 0, head = 0, row = 0;  // where max_abs_error is
};

Verification verify(const Scenario& scenario, const Precision& precision, const Outputs& outputs,
                    const VerifyOptions& options);

}  // namespace flashscope
