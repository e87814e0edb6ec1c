// Testing suspicions for diagnose.h: fa2 with one form of one fault at one tiling, run on the q
// tiles that hold a few probed rows, and held against what was observed there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/debugger/diagnose.h"

namespace flashscope {

// A row of O to look at.
struct ProbeRow {
  std::int64_t batch = 0, head = 0, row = 0;
};

struct Hypothesis {
  const Fault* fault = nullptr;
  const FaultForm* form = nullptr;
  Tiling tiling;
  std::shared_ptr<const Algorithm> algorithm;  // fa2 with the fault; none for heads_as_rows()
};

// Every form of every fault that the problem can show, at every tiling that makes a difference.
std::vector<Hypothesis> hypotheses(const Problem& problem, const DiagnoseOptions& options,
                                   KvOrder kv_order);

// layout_swapped as a shape: the kernel takes (b,h,s,d) for (b,s,h,d) and so attends across the
// heads of one position. No edit of an algorithm, but another problem.
const FaultForm& heads_as_rows();

// What standard attention, with S and P in the dtype, measures on the probes' q tiles.
struct PlainError {
  double o = 0, lse = 0;
};
PlainError plain_error(const Scenario& scenario, const Precision& precision,
                       const std::vector<ProbeRow>& probes);

// One tester a thread. References must outlive it.
class HypothesisTester {
 public:
  HypothesisTester(const Scenario& scenario, const Observed& observed, const Precision& precision,
                   const Tolerance& tolerance);

  // The first probes decide: the others are looked at while the hypothesis still reproduces.
  Candidate test(const Hypothesis& hypothesis, const std::vector<ProbeRow>& probes);

 private:
  Candidate test_heads_as_rows(const Hypothesis& hypothesis, const std::vector<ProbeRow>& probes);
  void compare_row(const HeadRow& o_at, const HeadRow& lse_at, std::int64_t batch,
                   Candidate& candidate);

  const Scenario& scenario_;
  const Observed& observed_;
  Precision precision_;
  Tolerance tolerance_;
  Outputs outputs_;
  std::vector<float> here_, there_;
  double largest_o_ = 0;  // of the hypothesis
};

}  // namespace flashscope
