// The verbs of `flashscope gpu`, which flashscope-gpu implements: for both programs' lists.
#pragma once

namespace flashscope::terminal {

struct GpuVerb {
  const char* name;
  const char* summary;
};
inline constexpr GpuVerb kGpuVerify = {
    "verify", "every kernel on hard cases and random problems, against fp64"};
inline constexpr GpuVerb kGpuBench = {"bench", "how fast each kernel is on this device"};
inline constexpr GpuVerb kGpuTrace = {
    "trace", "what a kernel did, step by step, against the simulator's Program"};
inline constexpr GpuVerb kGpuTune = {"tune",
                                     "which tiles are the fastest for a problem on this device"};
inline constexpr GpuVerb kGpuRecord = {"record",
                                       "measure and keep it in a file, for `flashscope compare`"};

}  // namespace flashscope::terminal
