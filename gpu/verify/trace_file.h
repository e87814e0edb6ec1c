// A kernel's log as a flashscope.trace/1 file (sim/debugger/trace.h), which `flashscope diff
// --trace` reads.
#pragma once

#include <string>
#include <vector>

#include "gpu/verify/trace_compare.h"
#include "sim/attention/program.h"

namespace flashscope::gpu {

// Throws Error when the algorithm keeps no running m and l of whole rows (standard, and split_kv
// with more than one split), and when the file can't be written. Returns the records written.
std::int64_t write_trace(const std::string& path, const Program& program,
                         const ExpectedTrace& expected, const std::vector<PhaseLog>& logs);

}  // namespace flashscope::gpu
