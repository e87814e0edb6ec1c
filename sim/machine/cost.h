// The arithmetic that a line costs, for one op or for a run of equal steps at once.
#pragma once

#include "sim/attention/program.h"
#include "sim/machine/ledger.h"

namespace flashscope {

// In-bounds sizes of what a line works on. For a run of steps, the size along the step axis is the
// sum over the steps, and `steps` counts them; for one op `steps` is 1.
struct Extent {
  std::int64_t q_rows = 0, kv_rows = 0, head_dim = 0, splits = 0, kv_len = 0;
  StepAxis summed = StepAxis::none;
  std::int64_t steps = 1;
};

Extent extent_of(const Program& program, const Segment& segment);

// Elements of a tile, over all steps of the extent.
std::int64_t elements(const Buffer& buffer, const Extent& extent);

Work work_of(const Line& line, const Algorithm& algorithm, const Extent& extent);

}  // namespace flashscope
