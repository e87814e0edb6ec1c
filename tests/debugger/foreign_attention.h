// Attention with the usual mistakes, written once more in plain fp64 loops that share nothing with
// the simulator: what a stranger's broken kernel would output.
#pragma once

#include <string>

#include "sim/scenario/scenario.h"

namespace flashscope::test {

// O in `output` and LSE. kv_tile: keys a step. Throws std::invalid_argument for an unknown mistake;
// "" is none.
Outputs foreign_attention(const Scenario& scenario, const std::string& mistake, std::int64_t q_tile,
                          std::int64_t kv_tile, Format output);

}  // namespace flashscope::test
