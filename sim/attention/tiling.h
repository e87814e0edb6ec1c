// How a problem is cut and rounded: tile sizes, order, and the number format of each stage.
// Together with a Problem and an Algorithm this fixes a Program. Whether a tiling fits a device is
// decided in sim/model/sram_budget.h.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/attention/format.h"
#include "sim/attention/problem.h"

namespace flashscope {

enum class KvOrder : std::uint8_t { ascending, descending };

struct Tiling {
  std::int64_t q_tile_rows = 128;
  std::int64_t kv_tile_rows = 64;
  std::int64_t splits = 1;  // parts of the keys, for tables with a split axis
  bool pack_gqa = false;    // the q heads of one kv head share q tiles
  KvOrder kv_order = KvOrder::ascending;
  // Rescale O only for rows whose max grew by more than this (natural-log units of the scaled
  // score); nothing = always rescale. FlashAttention-4's trick.
  std::optional<double> rescale_threshold;
  // fa1's O in HBM between kv tiles: fp32, or the input format as the paper counts it.
  bool workspace_in_input_format = false;
};

// Throws Error naming the option when a tile or a split is not positive or absurdly large.
void validate(const Tiling& tiling);

// The format each stage of an algorithm is rounded to. Sums inside one tile product are fp32.
struct Precision {
  Format input = Format::fp32;        // Q, K, V as loaded
  Format score = Format::fp32;        // S
  Format probability = Format::fp32;  // P, the left operand of P V
  Format accumulator = Format::fp32;  // O, rounded once per kv tile
  Format output = Format::fp32;       // O as stored
};

}  // namespace flashscope
