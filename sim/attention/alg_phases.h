// The phases of an .alg table: grid, loops, statements, and the check that every statement stands
// inside the loops that its tiles need.
#pragma once

#include "sim/attention/alg_reader.h"
#include "sim/attention/algorithm.h"

namespace flashscope {

// Reads from the `phase` line under the cursor to the end of the phase. Throws Error.
void parse_phase(TableReader& reader, Algorithm& algorithm);

}  // namespace flashscope
