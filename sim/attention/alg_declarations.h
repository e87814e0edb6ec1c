// The declarations at the head of an .alg table: places, shapes and formats of tensors and tiles,
// the estimate, defaults.
#pragma once

#include "sim/attention/alg_reader.h"
#include "sim/attention/algorithm.h"

namespace flashscope {

// Each reads the line under the cursor, which begins with its keyword, and moves on. Throws Error.
void parse_declaration(TableReader& reader, Algorithm& algorithm);  // hbm | shared | registers
void parse_estimate(TableReader& reader, Algorithm& algorithm);
void parse_default(TableReader& reader, Algorithm& algorithm);

}  // namespace flashscope
