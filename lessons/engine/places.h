// From a lesson's words for a place to the position between two ops.
#pragma once

#include <cstdint>

#include "lessons/engine/facts.h"
#include "sim/debugger/debugger.h"

namespace flashscope::lessons {

// `from`: the lesson's previous position in this scenario; a place is the first one behind it that
// fits, else the first one from the beginning. May move the debugger (a `when` runs it); callers
// go to the result. Throws Error, without a file and line, when there is no such place: it names
// what is impossible.
std::int64_t find_place(const Place& place, std::int64_t from, Debugger& debugger,
                        const Facts& facts);

}  // namespace flashscope::lessons
