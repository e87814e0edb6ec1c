// libcupti by dlopen: the functions of its range profiler that we call. For cupti.cpp.
#pragma once

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <string>

namespace flashscope::gpu {

// Null members until load() has succeeded.
struct CuptiLibrary {
#define FLASHSCOPE_CUPTI_FUNCTIONS(apply)                                                         \
  apply(cuptiGetResultString) apply(cuptiProfilerInitialize) apply(cuptiProfilerDeInitialize)     \
      apply(cuptiProfilerGetCounterAvailability) apply(cuptiDeviceGetChipName)                    \
          apply(cuptiProfilerHostInitialize) apply(cuptiProfilerHostDeinitialize)                 \
              apply(cuptiProfilerHostConfigAddMetrics) apply(cuptiProfilerHostGetConfigImageSize) \
                  apply(cuptiProfilerHostGetConfigImage)                                          \
                      apply(cuptiProfilerHostEvaluateToGpuValues) apply(cuptiRangeProfilerEnable) \
                          apply(cuptiRangeProfilerDisable)                                        \
                              apply(cuptiRangeProfilerGetCounterDataSize)                         \
                                  apply(cuptiRangeProfilerCounterDataImageInitialize)             \
                                      apply(cuptiRangeProfilerSetConfig)                          \
                                          apply(cuptiRangeProfilerStart)                          \
                                              apply(cuptiRangeProfilerStop)                       \
                                                  apply(cuptiRangeProfilerDecodeData)             \
                                                      apply(cuptiRangeProfilerGetCounterDataInfo)
#define FLASHSCOPE_DECLARE(function) decltype(&::function) function = nullptr;
  FLASHSCOPE_CUPTI_FUNCTIONS(FLASHSCOPE_DECLARE)
#undef FLASHSCOPE_DECLARE

  // Empty when every function was found, else why not. The library stays loaded.
  std::string load();

  // Throws Error "CUPTI's WHAT: its message" unless result is success.
  void check(CUptiResult result, const char* what) const;
};

}  // namespace flashscope::gpu
