// Figures of lessons as text: bars of block characters, grids of tiles, numbered code.
#pragma once

#include <string>

#include "lessons/engine/figure.h"

namespace flashscope::terminal {

// Lines of at most text_width() columns, the title first. The kernel's code comes with the program.
std::string figure_text(const lessons::Figure& figure);

}  // namespace flashscope::terminal
