// For every fault of the catalogue an input that reveals it: large scores where the maximum is
// forgotten, several kv heads where they are confused, a tail where the tail counts. The same input
// is harmless to an honest algorithm. Made for tests, lessons and for trying one's own kernel.
#pragma once

#include "sim/attention/faults.h"
#include "sim/attention/tiling.h"
#include "sim/scenario/scenario.h"

namespace flashscope {

// Whether the fault can make a difference under a causal mask, or without one.
bool can_show(const Fault& fault, bool causal);

// A small problem (at most 150 rows and keys) on which the fault changes the answer when cut by
// revealing_tiling(). Without `causal`, faults that need hidden keys get a window or an expression.
Scenario revealing_scenario(const Fault& fault, bool causal, Format dtype);

// 32 x 64: several kv tiles, a tail, and kv tiles that q tiles do not line up with.
Tiling revealing_tiling();

}  // namespace flashscope
