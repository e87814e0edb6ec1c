// The counters that Nsight Compute (ncu) read, from its CSV output: an alternative to CUPTI where
// only ncu may read them. The program under ncu runs each call once, behind a kernel that empties
// L2 (flush_l2.h): that kernel marks where a call begins. Left out: pages other than `raw`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/model/record.h"

namespace flashscope::gpu {

// The command that collects what we read: `ncu … --log-file FILE PROGRAM`.
std::string ncu_command(const std::string& csv_file, const std::string& program);

// One element per call, in order, each with its kernels in launch order (flushes left out). Numbers
// may have thousands separators, units prefixes (Kbyte, Mbyte, …); a counter that was not
// collected is nothing. Throws Error "NAME:LINE: …" for text that is no such table, or in which a
// kernel comes before any flush.
std::vector<std::vector<KernelCounters>> parse_ncu_csv(std::string_view text,
                                                       const std::string& name);
std::vector<std::vector<KernelCounters>> read_ncu_csv(const std::string& path);

}  // namespace flashscope::gpu
