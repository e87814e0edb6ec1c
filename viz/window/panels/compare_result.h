// What the search for the first difference has found, and the way there.
#pragma once

#include "viz/views/compare_view.h"
#include "viz/window/panel.h"

namespace flashscope::window {

// Nothing while the search goes on. `b`: the program of the other side.
void draw_search_result(const Context& context, Requests& requests, const views::DiffJob& job,
                        const Program& b);

}  // namespace flashscope::window
