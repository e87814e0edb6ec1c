// Traces of small problems, for a record: what the kernels' rows held after each kv tile.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/model/record.h"

namespace flashscope::gpu {

// Of fa1 and fa2 on a small causal rectangle with tails. `note` hears in one line of a trace that
// could not be made. Throws Error only when the device no longer answers.
std::vector<RecordedTrace> recorded_traces(const std::function<void(const std::string&)>& note);

}  // namespace flashscope::gpu
