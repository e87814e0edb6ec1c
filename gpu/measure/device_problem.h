// A problem whose tensors lie on the device, filled with normally distributed numbers, for calls to
// be timed and counted on. Tensors are contiguous, (batch, heads, length, head_dim), and may be as
// large as the device's memory: their numbers repeat with a period that no row length divides, so
// that the host knows each of them without holding the tensor. Left out: layouts, given input and
// whole results, which gpu/verify has.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/device/device_array.h"
#include "gpu/launch/attention.h"
#include "sim/attention/problem.h"
#include "sim/reference/attention.h"

namespace flashscope::gpu {

// Of sampled rows against fp64. Tolerated is twice what a standard attention shows there that
// rounds S and P to the dtype, plus the rounding of O itself.
struct Accuracy {
  double max_abs_error = 0;  // infinite where O has a NaN
  double tolerance = 0;
  bool right() const { return max_abs_error <= tolerance; }
};

class DeviceProblem {
 public:
  // Throws Error when the device has no memory for it, or the problem is not for the kernels (dtype
  // fp16 or bf16, no mask expression).
  DeviceProblem(const Problem& problem, std::uint64_t seed);

  const Problem& problem() const { return problem_; }

  // With tensors, shape and mask set; tiles and splits 0, no workspace.
  AttentionCall call(Algorithm algorithm, void* stream) const;

  // O becomes NaN, so that a kernel that writes nothing is not taken for right.
  void spoil_output();
  // Waits for the device.
  Accuracy accuracy() const;

 private:
  // One period of numbers, and the array full of them.
  std::vector<float> fill(DeviceArray& array, std::int64_t elements, std::uint64_t seed,
                          std::uint32_t stream);
  reference::RowReader reader(const std::vector<float>& period, std::int64_t heads,
                              std::int64_t length) const;
  // O of standard attention that rounds S and P to the dtype, (head_dim).
  std::vector<double> standard_row(const reference::Inputs& inputs, std::int64_t batch,
                                   std::int64_t head, std::int64_t row) const;

  Problem problem_;
  DeviceArray q_, k_, v_, o_, lse_;
  std::vector<float> q_period_, k_period_, v_period_;  // as the dtype rounded them
};

}  // namespace flashscope::gpu
