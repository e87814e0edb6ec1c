// One op of a debugger's session, executed and shown as `walk` shows it: for the prompt's `step`
// and for the stops of lessons.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/debugger/debugger.h"
#include "viz/terminal/walk_text.h"

namespace flashscope::terminal {

// The (packed) rows of a segment's q tile that texts speak of when nobody chose: all of a small
// tile, else the first.
std::vector<std::int64_t> rows_to_show(const Program& program, const Segment& segment);

// heading: the op's step is named above it, even if it is not its first op; silent: nothing is
// printed, but `text` knows the op's factors later on.
enum class ShowOp : std::uint8_t { plain, heading, silent };

// Executes the next op and gives the breakpoint that the new position hits. Not at the end.
std::optional<Stop> step_shown(Debugger& debugger, const Scenario& scenario,
                               std::span<const std::int64_t> rows, WalkText& text,
                               ShowOp how = ShowOp::plain);

}  // namespace flashscope::terminal
