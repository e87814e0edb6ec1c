// The device's hardware counters during a call, kernel by kernel, through CUPTI's range profiler.
// libcupti is looked for when asked, so that nothing depends on it: in $CUPTI_LIBRARY, where the
// loader looks, and in the CUDA toolkit's usual folders. Many systems let only administrators read
// counters. Left out: counters that need instrumented kernels (counters.h says which).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/model/record.h"

namespace flashscope::gpu {

class Cupti {
 public:
  // Null when counters cannot be read here; `why_not` then holds the reason in one line.
  static std::unique_ptr<Cupti> open(std::string* why_not);
  virtual ~Cupti() = default;

  // Runs `prepare` and then `call` as often as it takes to read all counters, and returns those of
  // the kernels that `call` queued, in launch order, without names. Both must do the same each
  // time. Throws Error with what CUPTI reports.
  virtual std::vector<KernelCounters> count(const std::function<void()>& prepare,
                                            const std::function<void()>& call) = 0;
};

}  // namespace flashscope::gpu
