// The parts of the catalogue of faults.h, one file each.
#pragma once

#include <vector>

#include "sim/attention/faults.h"

namespace flashscope {

std::vector<Fault> softmax_faults();    // the running max, sum and accumulator
std::vector<Fault> mask_faults();       // which keys are hidden, which tiles are visited
std::vector<Fault> placement_faults();  // which data is read, at which scale and precision
std::vector<Fault> conventions();

}  // namespace flashscope
