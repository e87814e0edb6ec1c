// Comparison with the reference, on all cores; see verify.h.
#include "sim/scenario/verify.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <vector>

#include "sim/machine/threads.h"

namespace flashscope {
namespace {

constexpr double kCheapFlops = 1.2e10;       // a few seconds of the reference on two cores
constexpr std::int64_t kSampledRows = 1024;  // in all
constexpr std::int64_t kRowsPerBlock = 64;

double difference(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  if (a == b) return 0;  // also infinities of one sign
  const double d = std::abs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

// Evenly spread, with the first and the last row among them: tails and edges are where errors live.
std::vector<std::int64_t> rows_of_head(std::int64_t q_len, std::int64_t count) {
  std::vector<std::int64_t> rows;
  if (count >= q_len) count = q_len;
  for (std::int64_t n = 0; n < count; ++n) {
    rows.push_back(count == 1 ? 0 : n * (q_len - 1) / (count - 1));
  }
  return rows;
}

struct Block {
  std::int64_t batch = 0, head = 0;
  std::vector<std::int64_t> rows;
};

std::vector<Block> blocks_of(const Problem& problem, VerifyRows which) {
  const std::int64_t heads = problem.batch * problem.q_heads;
  const double flops = 4.0 * static_cast<double>(heads) * static_cast<double>(problem.q_len) *
                       static_cast<double>(problem.kv_len) * static_cast<double>(problem.head_dim);
  const bool all =
      which == VerifyRows::all || (which == VerifyRows::automatic && flops <= kCheapFlops);
  std::vector<Block> blocks;
  if (which == VerifyRows::none || problem.q_len == 0) return blocks;
  // A sample touches every head while there are few of them, else evenly chosen heads.
  const std::int64_t chosen_heads = all ? heads : std::min(heads, kSampledRows);
  const std::int64_t per_head =
      all ? problem.q_len
          : std::max<std::int64_t>(2, kSampledRows / std::max<std::int64_t>(heads, 1));
  for (std::int64_t n = 0; n < chosen_heads; ++n) {
    const std::int64_t head = n * heads / chosen_heads;
    const std::vector<std::int64_t> rows = rows_of_head(problem.q_len, per_head);
    for (std::size_t first = 0; first < rows.size(); first += kRowsPerBlock) {
      const std::size_t last = std::min(rows.size(), first + kRowsPerBlock);
      blocks.push_back({head / problem.q_heads,
                        head % problem.q_heads,
                        {rows.begin() + static_cast<std::ptrdiff_t>(first),
                         rows.begin() + static_cast<std::ptrdiff_t>(last)}});
    }
  }
  return blocks;
}

// The result of one block; kept apart and added in order, so that sums do not depend on threads.
struct BlockResult {
  double squares = 0;
  Verification worst;
};

BlockResult compare(const Scenario& scenario, const reference::Inputs& inputs,
                    const Outputs& outputs, const Block& block) {
  const reference::Rows want =
      reference::attention(scenario.problem, inputs, block.batch, block.head, block.rows);
  BlockResult part;
  const auto width = static_cast<std::size_t>(scenario.problem.head_dim);
  std::vector<float> got(width);
  for (std::size_t n = 0; n < block.rows.size(); ++n) {
    outputs.o.read_row(block.batch, block.head, block.rows[n], got);
    for (std::size_t d = 0; d < width; ++d) {
      const double error = difference(static_cast<double>(got[d]), want.o[n * width + d]);
      part.squares += error * error;
      if (error > part.worst.max_abs_error) {
        part.worst.max_abs_error = error;
        part.worst.row = block.rows[n];
      }
    }
    const double lse = outputs.lse.at(block.batch, block.head, block.rows[n], 0);
    part.worst.lse_max_abs_error =
        std::max(part.worst.lse_max_abs_error, difference(lse, want.lse[n]));
  }
  return part;
}

}  // namespace

Verification verify(const Scenario& scenario, const Precision& precision, const Outputs& outputs,
                    const VerifyOptions& options) {
  const reference::Inputs inputs =
      reference_inputs(scenario, precision.input, options.reference_input);
  const std::vector<Block> blocks = blocks_of(scenario.problem, options.rows);
  std::vector<BlockResult> parts(blocks.size());
  std::atomic<std::size_t> next = 0, done = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t n = next++; n < blocks.size(); n = next++) {
        parts[n] = compare(scenario, inputs, outputs, blocks[n]);
        const std::size_t count = ++done;
        if (!options.progress) continue;
        const std::scoped_lock lock(mutex);
        options.progress(static_cast<std::int64_t>(count),
                         static_cast<std::int64_t>(blocks.size()));
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
      next = blocks.size();
    }
  };
  work_on_threads(options.threads > 0 ? options.threads : machine_threads(), work);
  if (failure) std::rethrow_exception(failure);

  Verification result;
  const Problem& problem = scenario.problem;
  result.total_rows = problem.batch * problem.q_heads * problem.q_len;
  double squares = 0;
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    result.verified_rows += static_cast<std::int64_t>(blocks[n].rows.size());
    squares += parts[n].squares;
    const Verification& worst = parts[n].worst;
    result.lse_max_abs_error = std::max(result.lse_max_abs_error, worst.lse_max_abs_error);
    if (worst.max_abs_error > result.max_abs_error) {
      result.max_abs_error = worst.max_abs_error;
      result.batch = blocks[n].batch;
      result.head = blocks[n].head;
      result.row = worst.row;
    }
  }
  if (result.verified_rows > 0) {
    result.rmse = std::sqrt(squares / static_cast<double>(result.verified_rows * problem.head_dim));
  }
  return result;
}

}  // namespace flashscope
