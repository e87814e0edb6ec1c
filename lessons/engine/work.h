// How much a lesson may have computed: somebody waits for it, and its file may come from anywhere.
// Work is counted in operations of about a tenth of a nanosecond each; the bounds are some seconds.
#pragma once

#include <chrono>
#include <cstdint>

#include "sim/attention/program.h"
#include "sim/machine/count.h"
#include "sim/setup/problem_options.h"

namespace flashscope::lessons {

inline constexpr double kMostWork = 4e10;  // of one run, search or figure

// Mask expressions are evaluated for every element. Throws Error for more than 16,384 x 16,384 of
// them; else says the work, 0 without such a mask.
double mask_work(const ProblemOptions& options);

// Of running the whole program, exponentials and the overhead of small tiles included.
double run_work(const Program& program, const Count& count);

// Of one op, roughly, from the sizes of the tiles.
double work_of_op(const Program& program);

// What must be executed again to stand at a position: the ops of its q tile before it.
double replay_work(const Program& program, std::int64_t position);
// Throws Error when that is too much.
void require_reachable(const Program& program, std::int64_t position);

// For what can't be foreseen: nothing depends on it but whether a lesson is refused.
class TimeLimit {
 public:
  static constexpr std::chrono::seconds kMost{120};
  bool is_over() const { return std::chrono::steady_clock::now() - begin_ > kMost; }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace flashscope::lessons
