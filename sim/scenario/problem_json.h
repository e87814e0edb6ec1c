// The JSON shape of a problem, and of numbers that JSON itself can't write; one place for all
// output.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/attention/problem.h"
#include "sim/machine/count.h"

namespace flashscope {

using Json = nlohmann::ordered_json;  // keeps the order that people read

// {"batch", "q_heads", "kv_heads", "q_len", "kv_len", "head_dim", "scale", "dtype",
//  "mask": {"causal", "window": [left, right], "expression": text or null}}
Json to_json(const Problem& problem);

// A finite number as itself; else the strings "inf", "-inf", "nan".
Json number_json(double value);

// One element of flashscope.count/1's "algorithms". closed_form_bytes may be null.
Json count_json(const Program& program, const Count& count, const Json& closed_form_bytes);

}  // namespace flashscope
