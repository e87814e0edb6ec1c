// A stand-in for the GPU: host memory, and the simulator in place of the kernels. It makes the
// mistakes it is told to make, so that tests can see whether the verification finds them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/verify/backend.h"
#include "gpu/verify/trace_compare.h"

namespace flashscope::test {

struct Mistakes {
  std::string fault;             // of the catalogue (sim/attention/faults.h)
  bool writes_behind_o = false;  // one element behind each head's last row
  bool writes_before_lse = false;
  bool writes_into_q = false;
  bool writes_behind_workspace = false;
  bool other_bits_each_call = false;  // in the last bit of one element
  bool reads_behind_v = false;        // one key too many
  bool ignores_the_stream = false;    // sees the inputs as they were before the stream's copies
  bool takes_everything = false;      // refuses no call
  std::function<void(std::vector<gpu::PhaseLog>&)> spoil_trace;
};

std::unique_ptr<gpu::Backend> host_backend(Mistakes mistakes = {});

// What a kernel that does just what its Program does would log.
std::vector<gpu::PhaseLog> logs_of(const gpu::ExpectedTrace& expected);

}  // namespace flashscope::test
