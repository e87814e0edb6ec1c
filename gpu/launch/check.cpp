// The checks of a call's fields; every message names the field and what it may be. Sums and
// products of the caller's numbers are made so that none of them can overflow.
#include "gpu/launch/check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpu/kernels/configs.h"
#include "gpu/launch/choose.h"
#include "gpu/launch/plan.h"
#include "sim/attention/tile_plan.h"
#include "sim/error.h"

namespace flashscope::gpu {
namespace {

// Kernels count rows and keys, rounded up to whole tiles, in 32 bits.
constexpr std::int64_t kLargestLength = (std::int64_t{1} << 31) - 1024;
constexpr std::int64_t kElementBytes = 2, kVectorBytes = 16;

void require_in(const char* field, std::int64_t value, std::int64_t least) {
  if (value < least || value > kLargestLength) {
    throw Error(
        fmt::format("{} is {}: it must be between {} and {}", field, value, least, kLargestLength));
  }
}

void check_shape(const AttentionCall& call) {
  if (call.dtype != Format::fp16 && call.dtype != Format::bf16) {
    throw Error(fmt::format("dtype is {}: the kernels take fp16 and bf16", name_of(call.dtype)));
  }
  require_in("batch", call.batch, 0);
  require_in("q_heads", call.q_heads, 1);
  require_in("kv_heads", call.kv_heads, 1);
  require_in("q_len", call.q_len, 0);
  require_in("kv_len", call.kv_len, 0);
  if (call.q_len + call.kv_len > kLargestLength) {
    throw Error(fmt::format("q_len {} and kv_len {} are together {}: at most {}", call.q_len,
                            call.kv_len, call.q_len + call.kv_len, kLargestLength));
  }
  if (call.q_heads % call.kv_heads != 0) {
    throw Error(
        fmt::format("q_heads {} is not a multiple of kv_heads {}", call.q_heads, call.kv_heads));
  }
  const bool known = std::ranges::any_of(
      kKernelConfigs, [&](const KernelConfig& config) { return config.head_dim == call.head_dim; });
  if (!known) {
    throw Error(fmt::format("head_dim is {}: there are kernels for {}; pad Q, K and V with zeros",
                            call.head_dim, head_dims_of(Algorithm::automatic)));
  }
}

void check_mask_and_scale(const AttentionCall& call) {
  for (const auto& [field, bound] :
       {std::pair{"window_left", call.window_left}, std::pair{"window_right", call.window_right}}) {
    if (bound < -1) {
      throw Error(fmt::format("{} is {}: use 0 or more, or -1 for unbounded", field, bound));
    }
  }
  constexpr float kLog2E = 1.44269504F;
  if (!std::isfinite(call.scale) || !std::isfinite(call.scale * kLog2E)) {
    throw Error(
        fmt::format("scale is {}: it must be a finite number, also times log2(e)", call.scale));
  }
}

void check_options(const AttentionCall& call) {
  if (call.algorithm < Algorithm::automatic || call.algorithm > Algorithm::split_kv) {
    throw Error(
        fmt::format("algorithm is {}: it must be 0 (automatic), 1 (standard), 2 (fa1), 3 "
                    "(fa2) or 4 (split_kv)",
                    static_cast<int>(call.algorithm)));
  }
  for (const auto& [field, rows] :
       {std::pair{"q_tile", call.q_tile}, std::pair{"kv_tile", call.kv_tile}}) {
    if (rows < 0) throw Error(fmt::format("{} is {}: use 0 to leave it open", field, rows));
  }
  if (call.splits < 0 || call.splits > kMostSplits) {
    throw Error(fmt::format("splits is {}: it must be between 1 and {}, or 0 to leave it open",
                            call.splits, kMostSplits));
  }
  const bool can_split =
      call.algorithm == Algorithm::split_kv || call.algorithm == Algorithm::automatic;
  if (call.splits > 1 && !can_split) {
    throw Error(fmt::format("splits is {}: {} does not split the keys; split_kv does", call.splits,
                            name_of(call.algorithm)));
  }
}

// A tensor's (batch, head, row) dimensions; the fourth, head_dim, is contiguous.
struct View {
  std::string_view name;  // q
  const void* data;
  Strides strides;
  std::array<std::int64_t, 3> lengths;
  std::int64_t head_dim;
  bool written;
};

struct Dimension {
  const char* name;
  std::int64_t length, stride;
};

std::array<Dimension, 3> dimensions(const View& view) {
  return {{{"batch", view.lengths[0], view.strides.batch},
           {"head", view.lengths[1], view.strides.head},
           {"row", view.lengths[2], view.strides.row}}};
}

void check_stride(const View& view, const Dimension& d) {
  if (d.stride < 0) {
    throw Error(fmt::format("{}_stride of the {} is {}: negative strides are not supported",
                            view.name, d.name, d.stride));
  }
  if (d.stride % (kVectorBytes / kElementBytes) != 0) {
    throw Error(
        fmt::format("{}_stride of the {} is {}: it must be a multiple of 8 elements, which "
                    "are read 16 bytes at a time",
                    view.name, d.name, d.stride));
  }
}

// The view's elements, from the smallest stride to the largest, must not reach into each other.
void check_overlap(const View& view, std::vector<Dimension> longer) {
  std::ranges::sort(longer, {}, &Dimension::stride);
  std::int64_t extent = view.head_dim;  // elements spanned by the dimensions so far
  for (const Dimension& d : longer) {
    if (d.stride < extent) {
      throw Error(
          fmt::format("{0}_stride of the {1} is {2}: elements of {0} overlap, which needs at "
                      "least {3}",
                      view.name, d.name, d.stride, extent));
    }
    extent += (d.length - 1) * d.stride;  // fits: check_view() has seen to it
  }
}

void check_view(const View& view) {
  const auto all = dimensions(view);
  if (std::ranges::any_of(all, [](const Dimension& d) { return d.length == 0; })) return;
  if (view.data == nullptr) throw Error(fmt::format("{} is a null pointer", view.name));
  if (reinterpret_cast<std::uintptr_t>(view.data) % kVectorBytes != 0) {
    throw Error(fmt::format("{} is at {}: it must be aligned to 16 bytes", view.name, view.data));
  }
  std::vector<Dimension> longer;  // the strides of other dimensions are never used
  std::int64_t extent = view.head_dim * kElementBytes;
  for (const Dimension& d : all) {
    if (d.length == 1) continue;
    check_stride(view, d);
    longer.push_back(d);
    std::int64_t span = 0;
    if (__builtin_mul_overflow(d.length - 1, d.stride, &span) ||
        __builtin_mul_overflow(span, kElementBytes, &span) ||
        __builtin_add_overflow(extent, span, &extent)) {
      throw Error(fmt::format("{}_stride of the {} is {}: the tensor's end is beyond 2^63 bytes",
                              view.name, d.name, d.stride));
    }
  }
  if (view.written) check_overlap(view, std::move(longer));
}

void check_tensors(const AttentionCall& call) {
  const std::array q_shape = {call.batch, call.q_heads, call.q_len};
  const std::array kv_shape = {call.batch, call.kv_heads, call.kv_len};
  check_view({"q", call.q, call.q_stride, q_shape, call.head_dim, false});
  check_view({"k", call.k, call.k_stride, kv_shape, call.head_dim, false});
  check_view({"v", call.v, call.v_stride, kv_shape, call.head_dim, false});
  check_view({"o", call.o, call.o_stride, q_shape, call.head_dim, true});
  if (reinterpret_cast<std::uintptr_t>(call.lse) % alignof(float) != 0) {
    throw Error(fmt::format("lse is at {}: it must be aligned to 4 bytes",
                            static_cast<const void*>(call.lse)));
  }
}

}  // namespace

void check_call(const AttentionCall& call) {
  check_shape(call);
  check_mask_and_scale(call);
  check_options(call);
  // No kernel has larger q tiles. From here on, products of batch, heads and tiles fit 64 bits.
  const int most_rows =
      std::ranges::max(kKernelConfigs, {}, &KernelConfig::q_tile_rows).q_tile_rows;
  require_grid(call, ceil_div(call.q_len, most_rows));
  if (!is_empty(call)) check_tensors(call);
}

bool is_empty(const AttentionCall& call) { return call.batch == 0 || call.q_len == 0; }

void require_grid(const AttentionCall& call, std::int64_t blocks_per_head) {
  constexpr std::int64_t kMostBlocks = (std::int64_t{1} << 31) - 1;
  std::int64_t blocks = call.batch * call.q_heads;  // each below 2^31
  if (__builtin_mul_overflow(blocks, blocks_per_head, &blocks) || blocks > kMostBlocks) {
    throw Error(
        fmt::format("batch {} x q_heads {} x q_len {} takes more than the 2^31 - 1 blocks "
                    "that CUDA launches: call it for one part of the batch at a time",
                    call.batch, call.q_heads, call.q_len));
  }
}

std::string head_dims_of(Algorithm algorithm) {
  std::set<int> dims;
  for (const KernelConfig& config : kKernelConfigs) {
    if (algorithm == Algorithm::automatic || config.algorithm == algorithm) {
      dims.insert(config.head_dim);
    }
  }
  std::string text;
  std::size_t left = dims.size();
  for (const int dim : dims) {
    text += fmt::format("{}{}", dim, left > 2 ? ", " : left == 2 ? " or " : "");
    --left;
  }
  return text;
}

}  // namespace flashscope::gpu
