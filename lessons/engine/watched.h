// What a condition looks at, with its present values: so that somebody who tries to make it true
// sees after every attempt how far it is away.
#pragma once

#include <string>
#include <vector>

#include "lessons/engine/stage.h"

namespace flashscope::lessons {

// The facts (here.load_bytes), numbers of the place (op) and tiles or elements (m, alpha[0],
// row(3).l) that occur in a condition, each once, in its order; behind them the sides of
// comparisons that are computed from these (here.matmul_flops / here.total_bytes). Bytes have their
// unit, and all their digits where two different values would else read the same. What is not there
// has the value "nothing yet"; a fact that can't be had says why. Never throws for what the
// condition says: of one that can't be read there is nothing, nor without a debugger of one that
// looks at a place.
std::vector<ShownValue> watched(const std::string& condition, const Facts& facts,
                                const Debugger* debugger);

// "here.total_bytes = 68.76 MB, here.fits = 1"; empty for no values.
std::string watched_text(const std::vector<ShownValue>& values);

// A value as readers see it: a whole number with all its digits, a tile as its first numbers.
// "nothing yet" of no numbers, or of such as were never written (NaN all).
std::string state_value_text(const expression::StateValue& value);

}  // namespace flashscope::lessons
