// A scenario: a problem together with its tensors. Tests, lessons, the command and the window all
// start from one of these, whether it was made up, generated or read from files.
#pragma once

#include <cstdint>
#include <string>

#include "sim/attention/problem.h"
#include "sim/machine/memory.h"
#include "sim/reference/attention.h"
#include "sim/scenario/random.h"

namespace flashscope {

struct Scenario {
  std::string title;
  Problem problem;
  Inputs inputs;  // may hold more digits than problem.dtype; loads round
};

// 4 x 4, D 2, scale 1, fp32, small integer scores: every number can be checked with a pencil. To be
// cut into 2 x 2 tiles. Row 0 has the scores 1 0 | 3 2, so its running max moves in the second
// tile.
Scenario pencil_scenario();

// Q, K and V drawn from a distribution, in fp32 before any rounding.
Scenario generated_scenario(const Problem& problem, std::uint64_t seed,
                            const Distribution& distribution);

// Rows for the fp64 reference: as the machine sees them (rounded to `input`), or as they were
// before rounding.
enum class ReferenceInput : std::uint8_t { rounded, exact };
reference::Inputs reference_inputs(const Scenario& scenario, Format input, ReferenceInput which);

}  // namespace flashscope
