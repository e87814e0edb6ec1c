// The fixed set of measurements that a record is made of, and how it is carried out: the same calls
// in the same order every time, so that what a profiler saw of one run (`record --once`) can be
// joined to the times of another.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/measure/cupti.h"
#include "gpu/measure/measure.h"
#include "sim/model/record.h"

namespace flashscope::gpu {

struct RecordCase {
  Problem problem;
  std::vector<Algorithm> algorithms;
};

// The shapes of the papers (full and causal, all algorithms), a rectangle with a GQA group of 4, a
// decoding step and a long sequence. quick: with an eighth of the length, for a first try.
std::vector<RecordCase> record_cases(bool quick);

// Carries out one call of the set.
using CaseCall = std::function<void(DeviceProblem&, const Choice&)>;

// Calls `use` for every case and algorithm that has a kernel, in order. `note` hears, in one line
// each, of what is left out and why: no kernel for it, or no memory.
void for_each_case(const std::vector<RecordCase>& cases,
                   const std::function<void(const std::string&)>& note, const CaseCall& use);

// Adds the counters of one call's kernels to a row. Kernels that have no name of their own get that
// of the table's phase.
void add_counters(RecordRow& row, std::vector<KernelCounters> kernels);

// Joins a profiler's calls to the rows of a whole set. Throws Error, naming the file, when they are
// not as many, or a call's kernels are another algorithm's.
void add_counters(std::vector<RecordRow>& rows,
                  const std::vector<std::vector<KernelCounters>>& calls, const std::string& file);

}  // namespace flashscope::gpu
