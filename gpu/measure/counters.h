// What of a kernel is counted, and under which names the tools know it.
#pragma once

#include <array>
#include <optional>

#include "sim/model/record.h"

namespace flashscope::gpu {

struct Counter {
  const char* metric;  // as CUPTI and ncu call it
  std::optional<std::int64_t> KernelCounters::*field;
  // Counted by the hardware; what is not (it is by instrumented code), only ncu collects.
  bool in_hardware;
};

inline constexpr std::array kCounters = std::to_array<Counter>({
    // Sectors on their way from L2 to the SMs: all loads that bypass L1, and those that miss it.
    {"l1tex__m_xbar2l1tex_read_bytes.sum", &KernelCounters::l2_to_sm_bytes, true},
    {"dram__bytes_read.sum", &KernelCounters::dram_load_bytes, true},
    {"dram__bytes_write.sum", &KernelCounters::dram_store_bytes, true},
    // By load and store instructions; what cp.async writes there is not in it.
    {"smsp__sass_data_bytes_mem_shared.sum", &KernelCounters::shared_bytes, false},
});

// The name of the kernel that empties L2, also the mark between calls.
inline constexpr const char* kFlushKernel = "flush_l2_kernel";

}  // namespace flashscope::gpu
