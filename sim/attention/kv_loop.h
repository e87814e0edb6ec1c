// The kv tiles that a q tile's loop visits under a diagonal band: the right ones, and those of
// causal loops with wrong bounds (CausalLoop in behaviour.h).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/attention/behaviour.h"
#include "sim/attention/expression_classifier.h"
#include "sim/attention/tile_plan.h"

namespace flashscope {

// Runs of tiles in ascending order, empty tiles left out. Where two stages overlap, a tile stands
// in two runs. `rows` are query rows.
std::vector<TileRun> runs_of_loop(CausalLoop loop, const Band& band, IndexRange rows,
                                  std::int64_t kv_tile_rows);

}  // namespace flashscope
