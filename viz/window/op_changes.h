// What the next op of a session will change, in words: its formula with the numbers of some rows
// put in.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/debugger/session.h"
#include "viz/views/formula.h"

namespace flashscope::window {

// `rows`: (packed) query rows of the head; those that the op's q tile holds are shown, or its first
// one where it holds none. The session must not be at its end.
std::vector<views::Change> changes_of_next_op(const Session& session,
                                              const std::vector<std::int64_t>& rows);

}  // namespace flashscope::window
