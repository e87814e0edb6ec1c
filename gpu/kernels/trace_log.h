// What a traced kernel writes down: which tiles each work item visited, in which order, and what m
// and l were after each of them. One log per phase of the algorithm's table. Work items are
// numbered as the Program numbers those of the phase: (batch, head, q tile[, kv tile or split]),
// the last fastest; heads are kv heads where a GQA group is packed.
#pragma once

#include <cstdint>

namespace flashscope::gpu {

constexpr int kTracedHeadDim = 64;

// The tiles of one step; -1 where the phase has no such axis. q_tile is a row in standard's
// softmax.
struct TraceStep {
  std::int32_t q_tile, kv_tile;
};

// Device pointers, owned by the caller and cleared by it: `steps` and `arrivals` to 0, `visited` to
// -1. Steps beyond max_steps are counted but not stored.
struct TraceLog {
  std::int32_t* steps = nullptr;        // (work_items): steps done
  std::int32_t* start_order = nullptr;  // (work_items): how many work items started before it
  std::int32_t* arrivals = nullptr;     // (1): work items started so far
  TraceStep* visited = nullptr;         // (work_items, max_steps)
  // (work_items, max_steps, rows): the running max, scaled, to base e, and the running sum after
  // the step; packed rows where a GQA group is packed. Null for phases that have no m.
  float* m = nullptr;
  float* l = nullptr;
  std::int32_t max_steps = 0;
  std::int32_t rows = 0;  // of a tile
};

}  // namespace flashscope::gpu
