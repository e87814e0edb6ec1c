// Checks and the one-line description of problems and tilings.
#include "sim/attention/problem.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/attention/tiling.h"
#include "sim/error.h"

namespace flashscope {
namespace {

constexpr std::int64_t kLargestHeadDim = 512;
constexpr std::int64_t kLargestTileRows = std::int64_t{1} << 20;

// Beyond any machine, and small enough that sums of a few sizes can't overflow.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

void require_size(std::int64_t value, const char* option) {
  if (value < 0 || value > kLargestSize) {
    throw Error(fmt::format("{} is {}: it must be between 0 and 2^40", option, value));
  }
}

void require_window(std::int64_t bound, const char* side) {
  if (bound < kUnbounded) {
    throw Error(fmt::format("--window: the {} bound is {}: use 0 or more, or -1 for unbounded",
                            side, bound));
  }
}

void require_positive(std::int64_t value, std::int64_t limit, const char* option) {
  if (value < 1 || value > limit) {
    throw Error(fmt::format("{} is {}: it must be between 1 and {}", option, value, limit));
  }
}

}  // namespace

double default_scale(std::int64_t head_dim) {
  return 1.0 / std::sqrt(static_cast<double>(head_dim));
}

void validate(const Problem& problem) {
  require_size(problem.batch, "--batch");
  require_size(problem.q_len, "--q-len");
  require_size(problem.kv_len, "--kv-len");
  require_positive(problem.q_heads, kLargestSize, "--q-heads");
  require_positive(problem.kv_heads, kLargestSize, "--kv-heads");
  require_positive(problem.head_dim, kLargestHeadDim, "--head-dim");
  if (problem.q_heads % problem.kv_heads != 0) {
    throw Error(fmt::format("--q-heads {} is not a multiple of --kv-heads {}", problem.q_heads,
                            problem.kv_heads));
  }
  if (!std::isfinite(problem.scale)) {
    throw Error(fmt::format("--scale is {}: it must be a finite number", problem.scale));
  }
  require_window(problem.mask.window_left, "left");
  require_window(problem.mask.window_right, "right");

  // Every count of ours is at most 256 * batch * q_heads * (q_len + 1) * (kv_len + 1) * head_dim:
  // fa1 at kv tiles of one row moves (4 + 4 + 2 + ...) bytes per score element and dimension.
  std::int64_t bound = 256;
  for (const std::int64_t factor :
       {problem.batch, problem.q_heads, problem.q_len + 1, problem.kv_len + 1, problem.head_dim}) {
    if (factor > 0 && __builtin_mul_overflow(bound, factor, &bound)) {
      throw Error(fmt::format(
          "the problem is too large to count in 64 bits: batch {} x q heads {} x q_len {} x kv_len "
          "{} x head_dim {}; make one of them smaller",
          problem.batch, problem.q_heads, problem.q_len, problem.kv_len, problem.head_dim));
    }
  }
}

void validate(const Tiling& tiling) {
  require_positive(tiling.q_tile_rows, kLargestTileRows, "--q-tile");
  require_positive(tiling.kv_tile_rows, kLargestTileRows, "--kv-tile");
  require_positive(tiling.splits, kLargestTileRows, "--splits");
  if (tiling.rescale_threshold && !(*tiling.rescale_threshold >= 0)) {
    throw Error(
        fmt::format("--rescale-threshold is {}: it must be 0 or more", *tiling.rescale_threshold));
  }
}

std::string describe(const Problem& problem) {
  std::string text = fmt::format("B{} ", problem.batch);
  text += problem.kv_heads == problem.q_heads
              ? fmt::format("H{}", problem.q_heads)
              : fmt::format("Hq{} Hkv{}", problem.q_heads, problem.kv_heads);
  text += problem.kv_len == problem.q_len
              ? fmt::format(" N{}", problem.q_len)
              : fmt::format(" Lq{} Lkv{}", problem.q_len, problem.kv_len);
  text += fmt::format(" D{} {}", problem.head_dim, name_of(problem.dtype));
  const Mask& mask = problem.mask;
  if (mask.causal) text += " causal";
  if (mask.window_left != kUnbounded || mask.window_right != kUnbounded) {
    text += fmt::format(" window {},{}", mask.window_left, mask.window_right);
  }
  if (mask.expression) text += fmt::format(" mask `{}`", mask.expression->text());
  return text;
}

}  // namespace flashscope
