// Runs a whole program: all chains, on all cores. Chains are independent, each is computed by one
// thread in the order of the program, so results do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/attention/program.h"
#include "sim/machine/ledger.h"
#include "sim/machine/memory.h"

namespace flashscope {

struct RunOptions {
  int threads = 0;  // 0: as many as the machine has
  // Called now and then, from any thread but never from two at once: chains done, chains in all.
  std::function<void(std::int64_t, std::int64_t)> progress;
};

struct RunTotals {
  Ledger ledger;                      // op by op; equals count() as integers
  std::int64_t rescales_applied = 0;  // rows of O really multiplied
};

// Fills `outputs`, made by make_outputs(). Memory beyond inputs and outputs: one q tile's state and
// workspaces per thread. Throws Error when a mask expression fails on some element.
RunTotals run(const Program& program, const Inputs& inputs, Outputs& outputs,
              const RunOptions& options);

}  // namespace flashscope
