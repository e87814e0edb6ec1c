// What facts are computed from, each part once.
#pragma once

#include <optional>
#include <string>

#include "sim/machine/count.h"
#include "sim/machine/runner.h"
#include "sim/model/compare.h"
#include "sim/model/device.h"
#include "sim/model/sram_budget.h"
#include "sim/scenario/verify.h"
#include "sim/setup/setup.h"

namespace flashscope::lessons {

class FactCache {
 public:
  struct Run {
    RunTotals totals;
    Verification verification;
  };

  // The setup must outlive the cache. `record`: the name of a measured record, or empty.
  FactCache(const ProblemOptions& options, const Setup& setup, std::string record);

  double work_done() const { return work_done_; }  // see work.h

  const Program& program() const { return setup_.programs.front(); }
  const Problem& problem() const { return setup_.problem; }
  const flashscope::Device& device() const { return device_; }

  // These throw Error where there is no such thing.
  const Count& count();
  const Budget& budget();
  std::int64_t closed_form();
  const Run& run();  // the whole problem, computed and held against fp64
  const Record& record() const;
  const RecordRow& measured() const;  // the record's row for this problem and tiling
  double counter(std::optional<std::int64_t> KernelCounters::*counter) const;  // of all kernels

 private:
  const Setup& setup_;
  std::string record_;
  const flashscope::Device& device_;
  Placement placement_;
  std::optional<Count> count_;
  std::optional<Budget> budget_;
  std::optional<Run> run_;
  double work_done_ = 0;
};

}  // namespace flashscope::lessons
