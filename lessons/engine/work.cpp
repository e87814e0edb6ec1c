// See work.h.
#include "lessons/engine/work.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/setup/setup.h"

namespace flashscope::lessons {
namespace {

constexpr double kMostMaskElements = 16384.0 * 16384.0;
// What each costs, measured against a flop of a tile product.
constexpr double kMaskElement = 200, kExponential = 20, kElementwise = 4, kOp = 500;

}  // namespace

double mask_work(const ProblemOptions& options) {
  // Named problems are small, and their tensors would have to be made.
  if (!options.mask || !options.problem.empty()) return 0;
  const Problem problem = problem_source(options, "pencil").problem;
  if (!problem.mask.expression) return 0;
  const auto maps =
      static_cast<double>((problem.mask.expression->uses_batch() ? problem.batch : 1) *
                          (problem.mask.expression->uses_head() ? problem.q_heads : 1));
  const double elements =
      maps * static_cast<double>(problem.q_len) * static_cast<double>(problem.kv_len);
  if (elements > kMostMaskElements) {
    throw Error(fmt::format(
        "a mask expression on {} x {} elements is too much work for a lesson, which may have "
        "16384 x 16384 of them: make q-len or kv-len smaller, or use causal or window",
        problem.q_len, problem.kv_len));
  }
  return elements * kMaskElement;
}

double run_work(const Program& program, const Count& count) {
  const Work& work = count.ledger.work();
  const Problem& problem = program.problem();
  double sum = static_cast<double>(work.matmul_flops) +
               kExponential * static_cast<double>(work.exponentials) +
               kElementwise * static_cast<double>(work.nonmatmul_flops) +
               kOp * static_cast<double>(program.size());
  if (problem.mask.expression) {
    sum += kMaskElement * static_cast<double>(work.matmul_flops) /
           (4 * static_cast<double>(problem.head_dim));
  }
  return sum;
}

double work_of_op(const Program& program) {
  constexpr double kOpsOfStep = 6, kBesidesProducts = 60;
  const Problem& problem = program.problem();
  const Tiling& tiling = program.tiling();
  const auto rows = static_cast<double>(
      std::min(tiling.q_tile_rows, problem.q_len * std::max<std::int64_t>(program.group(), 1)));
  const auto keys = static_cast<double>(std::min(tiling.kv_tile_rows, problem.kv_len));
  return kOp +
         rows * keys * (4 * static_cast<double>(problem.head_dim) + kBesidesProducts) / kOpsOfStep;
}

double replay_work(const Program& program, std::int64_t position) {
  if (position <= 0 || program.size() == 0) return 0;
  const Segment target = program.op(std::min(position, program.size() - 1)).segment;
  std::int64_t ops = position - target.first_op;
  if (target.q_tile >= 0) {
    program.visit_chain({target.batch, target.head, target.q_tile}, [&](const Segment& segment) {
      if (segment.first_op < target.first_op) {
        ops += static_cast<std::int64_t>(segment.lines.size());
      }
    });
  }
  return static_cast<double>(ops) * work_of_op(program);
}

void require_reachable(const Program& program, std::int64_t position) {
  if (replay_work(program, position) <= kMostWork) return;
  throw Error(
      "the place is too much work for a lesson to reach: make the problem smaller, or stop "
      "earlier in its q tile");
}

}  // namespace flashscope::lessons
