// A line that a person types at a terminal, with history and completion.
#pragma once

#include <optional>
#include <string>

#include "sim/debugger/debugger.h"

namespace flashscope::terminal {

// Commands of the debug prompt are completed, and the names that expressions may use on `names`
// (which may be null). Nothing at the end of input.
std::optional<std::string> typed_line(const std::string& prompt, const Debugger* names);

}  // namespace flashscope::terminal
