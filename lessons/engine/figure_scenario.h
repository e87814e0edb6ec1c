// Figures that show one scenario: its tile map, its budget, its table, its kernel.
#pragma once

#include "lessons/engine/figure.h"

namespace flashscope::lessons {

// Of these kinds. Throws Error.
Figure scenario_figure(const FigureBlock& block, const ScenarioFacts& scenario);

// The head that a figure is of. Throws Error when the program has no such head.
std::int64_t figure_head(const FigureBlock& block, const Program& program);

}  // namespace flashscope::lessons
