// Figures of a lesson, drawn over the width there is.
#pragma once

#include "lessons/engine/figure.h"
#include "viz/window/theme.h"

namespace flashscope::window {

// With its title, and what it shows in words as a tooltip.
void draw_figure(const lessons::Figure& figure, const Theme& theme);

}  // namespace flashscope::window
