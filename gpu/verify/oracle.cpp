// See oracle.h. Blocks of 32 rows are what threads share out: the reference reads each key once for
// as many, and standard attention runs with q tiles of as many.
#include "gpu/verify/oracle.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>

#include <fmt/format.h>

#include "sim/attention/program.h"
#include "sim/debugger/tolerance.h"
#include "sim/machine/interpreter.h"
#include "sim/machine/numerics.h"
#include "sim/machine/threads.h"

namespace flashscope::gpu {
namespace {

constexpr std::int64_t kBlockRows = 32;
// All rows while there are no more blocks, or while they are this cheap; else a sample of as many.
constexpr std::int64_t kMostBlocks = 24;
constexpr double kCheapWork = 1e8;  // multiplications for S: below a second on two cores

// Half a unit in the last place of numbers from 1 to 2, and half the spacing of the subnormal ones.
struct Rounding {
  double unit, smallest_half;
};
Rounding rounding(Format dtype) {
  return dtype == Format::fp16 ? Rounding{0x1p-11, 0x1p-25} : Rounding{0x1p-8, 0x1p-134};
}

Precision standard_precision(Format dtype) { return {dtype, dtype, dtype, Format::fp32, dtype}; }

reference::Inputs with_positive_values(const reference::Inputs& inputs, std::int64_t head_dim) {
  reference::Inputs result = inputs;
  result.v = [read = inputs.v, head_dim](std::int64_t b, std::int64_t h, std::int64_t row,
                                         double* out) {
    read(b, h, row, out);
    for (std::int64_t d = 0; d < head_dim; ++d) out[d] = std::abs(out[d]);
  };
  return result;
}

}  // namespace

Oracle::Oracle(const Scenario& scenario, std::uint64_t seed) : scenario_(scenario) {
  choose_blocks(seed);
  if (blocks_.empty()) return;
  compute_blocks();
  set_bounds();
}

void Oracle::choose_blocks(std::uint64_t seed) {
  const Problem& problem = scenario_.problem;
  const std::int64_t tiles = (problem.q_len + kBlockRows - 1) / kBlockRows;
  const std::int64_t all = problem.batch * problem.q_heads * tiles;
  const double work = static_cast<double>(all * kBlockRows) * static_cast<double>(problem.kv_len) *
                      static_cast<double>(problem.head_dim);
  const std::int64_t count =
      work <= kCheapWork ? std::min(all, 40 * kMostBlocks) : std::min(all, kMostBlocks);
  std::int64_t last = -1;
  for (std::int64_t n = 0; n < count; ++n) {
    // One of each of `count` equal parts: the first, the last, and anything in between.
    const std::int64_t begin = n * all / count, end = (n + 1) * all / count;
    std::int64_t index =
        begin + static_cast<std::int64_t>(uniform(seed, 0, static_cast<std::uint64_t>(n)) *
                                          static_cast<double>(end - begin));
    if (n == 0) index = 0;
    if (n == count - 1) index = all - 1;
    index = std::max(index, last + 1);
    last = index;
    Block block;
    block.batch = index / tiles / problem.q_heads;
    block.head = index / tiles % problem.q_heads;
    block.tile = index % tiles;
    const IndexRange rows = tile_rows(block.tile, kBlockRows, problem.q_len);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) block.rows.push_back(row);
    rows_ += rows.size();
    blocks_.push_back(std::move(block));
  }
}

void Oracle::compute_blocks() {
  const Problem& problem = scenario_.problem;
  const reference::Inputs inputs =
      reference_inputs(scenario_, problem.dtype, ReferenceInput::rounded);
  const reference::Inputs positive = with_positive_values(inputs, problem.head_dim);
  Tiling tiling;
  tiling.q_tile_rows = kBlockRows;
  const Program standard(problem, load_algorithm("standard"), tiling,
                         standard_precision(problem.dtype));
  Outputs outputs = make_outputs(problem, standard.precision());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  work_on_threads(machine_threads(), [&] {
    try {
      Interpreter machine(standard, scenario_.inputs, outputs);
      std::vector<float> plain(static_cast<std::size_t>(problem.head_dim));
      for (std::size_t index = next++; index < blocks_.size(); index = next++) {
        Block& block = blocks_[index];
        block.want = reference::attention(problem, inputs, block.batch, block.head, block.rows);
        block.weight =
            reference::attention(problem, positive, block.batch, block.head, block.rows).o;
        const Chain chain{block.batch, block.head, block.tile};
        machine.begin(chain);
        standard.visit_chain(chain, [&](const Segment& s) { machine.execute(s, nullptr); });
        for (std::size_t n = 0; n < block.rows.size(); ++n) {
          outputs.o.read_row(block.batch, block.head, block.rows[n], plain);
          for (std::size_t d = 0; d < plain.size(); ++d) {
            const double error = difference(plain[d], block.want.o[n * plain.size() + d]);
            if (std::isfinite(error)) block.plain_o = std::max(block.plain_o, error);
          }
          const double error = difference(outputs.lse.at(block.batch, block.head, block.rows[n], 0),
                                          block.want.lse[n]);
          if (std::isfinite(error)) block.plain_lse = std::max(block.plain_lse, error);
        }
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
      next = blocks_.size();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

void Oracle::set_bounds() {
  const Problem& problem = scenario_.problem;
  double plain_lse = 0;
  for (const Block& block : blocks_) {
    plain_o_ = std::max(plain_o_, 2 * block.plain_o);
    plain_lse = std::max(plain_lse, block.plain_lse);
  }
  const Rounding of_dtype = rounding(problem.dtype);
  unit_ = of_dtype.unit;
  smallest_half_ = of_dtype.smallest_half;
  const Magnitudes largest = magnitudes(scenario_, problem.dtype);
  subnormal_p_ = static_cast<double>(problem.kv_len) * smallest_half_ * largest.largest_value;
  const Tolerance of_sums = tolerance(problem, Precision{}, {largest.largest_score, 1}, 0, 0);
  sums_ = of_sums.rounding_o;
  lse_ = of_sums.rounding_lse;
  lse_of_standard_ =
      tolerance(problem, standard_precision(problem.dtype), largest, 0, plain_lse).lse;
}

void Oracle::check_row(const Block& block, std::size_t n, const RunResult& result,
                       const Expectations& expectations, Check& check) const {
  const Problem& problem = scenario_.problem;
  const std::int64_t row = block.rows[n];
  const std::int64_t at = (block.batch * problem.q_heads + block.head) * problem.q_len + row;
  const auto width = static_cast<std::size_t>(problem.head_dim);
  std::vector<float> got(width);
  decode(problem.dtype,
         reinterpret_cast<const std::byte*>(result.o.data() + static_cast<std::size_t>(at) * width),
         got);
  // d: the column of O, or -1 for LSE.
  const auto compare = [&](std::int64_t d, double value, double want, double allowed) {
    const double error = difference(value, want);
    if (error == 0) return;
    if (error <= allowed) {
      check.used_share = std::max(check.used_share, error / allowed);
      return;
    }
    if (std::isnan(value) && expectations.may_be_nan && expectations.may_be_nan(row, d)) return;
    if (!check.failure.empty()) return;
    check.failure = fmt::format("{}[b {}, h {}, row {}{}] is {:.7g}, must be {:.7g}",
                                d < 0 ? "LSE" : "O", block.batch, block.head, row,
                                d < 0 ? "" : fmt::format(", d {}", d), value, want);
    if (std::isfinite(error)) {
      check.failure += fmt::format(": off by {:.2g}, allowed {:.2g}", error, allowed);
    }
  };
  const bool sees_nothing = block.want.lse[n] == -std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < width; ++d) {
    double want = block.want.o[n * width + d];
    double allowed = plain_o_ + unit_ * block.weight[n * width + d] + subnormal_p_ +
                     sums_ * block.weight[n * width + d] + unit_ * std::abs(want) + smallest_half_;
    if (expectations.exact_o) {
      want =
          round_to(problem.dtype, static_cast<float>(expectations.exact_o(
                                      block.batch, block.head, row, static_cast<std::int64_t>(d))));
      allowed = 0;
    }
    if (sees_nothing) allowed = 0;
    compare(static_cast<std::int64_t>(d), got[d], want, allowed);
  }
  if (result.lse.empty()) return;
  const double allowed = expectations.algorithm == Algorithm::standard ? lse_of_standard_ : lse_;
  compare(-1, result.lse[static_cast<std::size_t>(at)], block.want.lse[n],
          sees_nothing ? 0 : allowed);
}

Check Oracle::check(const RunResult& result, const Expectations& expectations) const {
  Check check;
  for (const Block& block : blocks_) {
    for (std::size_t n = 0; n < block.rows.size(); ++n) {
      check_row(block, n, result, expectations, check);
    }
  }
  return check;
}

}  // namespace flashscope::gpu
