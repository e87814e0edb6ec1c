// A problem in device memory with a trap around every tensor. Bytes of 0xff, which read as NaN in
// every format here, fill what lies before, behind and between the rows of Q, K, V, O and LSE, and
// a workspace before its first use. Whatever is read from there shows in the result; whatever is
// written there, or into Q, K and V, is found afterwards, bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/verify/backend.h"
#include "gpu/verify/layout.h"
#include "sim/scenario/scenario.h"

namespace flashscope::gpu {

struct LaunchOptions {
  Algorithm algorithm = Algorithm::fa2;
  int q_tile = 0, kv_tile = 0, splits = 0;  // 0: plan() chooses
  bool with_lse = true;
  bool give_workspace = false;  // else it is attention_forward() that allocates one
  // Runs on a stream of the caller's on which Q, K and V arrive only after some milliseconds: a
  // kernel that is queued elsewhere reads NaN.
  bool on_busy_stream = false;
};

struct RunResult {
  std::vector<std::uint16_t> o;  // (batch, q_heads, q_len, head_dim), bits of the dtype
  std::vector<float> lse;        // (batch, q_heads, q_len); empty without LSE
  std::string damage;            // what was written that should not have been; empty: nothing
};

class GuardedProblem {
 public:
  // Uploads the inputs, rounded to the problem's dtype (fp16 or bf16). References must outlive the
  // object. Needs can_lie().
  GuardedProblem(Backend& backend, const Scenario& scenario, MemoryLayout layout);

  // Device memory that an object for such a problem takes, workspaces apart.
  static std::int64_t bytes_needed(const Problem& problem, MemoryLayout layout);

  AttentionCall call(const LaunchOptions& options) const;

  // Traps set anew, one call, everything read back. With `trace`, the traced build. Throws Error
  // where the call or the device does.
  RunResult run(const LaunchOptions& options, const TraceLogs* trace = nullptr);

 private:
  // What lies in a buffer, region by region.
  struct Image {
    std::vector<IndexRange> regions;
    std::vector<std::vector<std::uint16_t>> elements;
    std::uint16_t* at(std::int64_t element);
  };
  Image empty_image(int buffer) const;
  void upload(const PlacedTensor& tensor, const TensorView& values, std::vector<Image>& images);
  void launch_behind_inputs(const AttentionCall& call);
  void read_o(RunResult& result) const;
  void read_lse(RunResult& result, bool wanted) const;
  std::string inputs_damage() const;
  std::string place_in_o(std::int64_t element) const;

  Backend& backend_;
  Problem problem_;
  Placement placement_;
  std::vector<std::unique_ptr<BackendArray>> buffers_;
  std::vector<Image> input_images_;  // of the buffers of q, k and v
  std::unique_ptr<BackendArray> lse_;
};

}  // namespace flashscope::gpu
