// Calls that must be refused, and what the refusal must say; see cases.h.
#include <cstddef>
#include <limits>

#include "gpu/verify/cases.h"

namespace flashscope::gpu {
namespace {

// Not aligned to 16 bytes.
const void* shifted(const void* address) { return static_cast<const std::byte*>(address) + 2; }

}  // namespace

const std::vector<Refusal>& refusals() {
  static const std::vector<Refusal> all = {
      {"head_dim 63", [](AttentionCall& c) { c.head_dim = 63; }, {"head_dim", "63", "64"}},
      {"6 q heads on 4 kv heads",
       [](AttentionCall& c) {
         c.q_heads = 6;
         c.kv_heads = 4;
       },
       {"q_heads", "6", "multiple", "4"}},
      {"no kv heads", [](AttentionCall& c) { c.kv_heads = 0; }, {"kv_heads", "0"}},
      {"left window bound -2", [](AttentionCall& c) { c.window_left = -2; }, {"window_left", "-2"}},
      {"right window bound -7",
       [](AttentionCall& c) { c.window_right = -7; },
       {"window_right", "-7"}},
      {"dtype fp32", [](AttentionCall& c) { c.dtype = Format::fp32; }, {"dtype", "fp32", "fp16"}},
      {"dtype e4m3", [](AttentionCall& c) { c.dtype = Format::e4m3; }, {"dtype", "e4m3", "fp16"}},
      {"q not aligned", [](AttentionCall& c) { c.q = shifted(c.q); }, {"q ", "16 bytes"}},
      {"k not aligned", [](AttentionCall& c) { c.k = shifted(c.k); }, {"k ", "16 bytes"}},
      {"v not aligned", [](AttentionCall& c) { c.v = shifted(c.v); }, {"v ", "16 bytes"}},
      {"o not aligned",
       [](AttentionCall& c) { c.o = const_cast<void*>(shifted(c.o)); },
       {"o ", "16 bytes"}},
      {"lse not aligned",
       [](AttentionCall& c) { c.lse = static_cast<float*>(const_cast<void*>(shifted(c.lse))); },
       {"lse", "4 bytes"}},
      {"q is null", [](AttentionCall& c) { c.q = nullptr; }, {"q ", "null"}},
      {"k is null", [](AttentionCall& c) { c.k = nullptr; }, {"k ", "null"}},
      {"v is null", [](AttentionCall& c) { c.v = nullptr; }, {"v ", "null"}},
      {"o is null", [](AttentionCall& c) { c.o = nullptr; }, {"o ", "null"}},
      {"row stride of k no multiple of 8",
       [](AttentionCall& c) { c.k_stride.row += 1; },
       {"k_stride", "row", "multiple of 8"}},
      {"head stride of v no multiple of 8",
       [](AttentionCall& c) { c.v_stride.head += 4; },
       {"v_stride", "head", "multiple of 8"}},
      {"batch stride of q no multiple of 8",
       [](AttentionCall& c) { c.q_stride.batch += 2; },
       {"q_stride", "batch", "multiple of 8"}},
      {"rows of o that overlap",
       [](AttentionCall& c) { c.o_stride.row = c.head_dim - 8; },
       {"o_stride", "overlap"}},
      {"negative q_len", [](AttentionCall& c) { c.q_len = -1; }, {"q_len", "-1"}},
      {"negative kv_len", [](AttentionCall& c) { c.kv_len = -5; }, {"kv_len", "-5"}},
      {"negative batch", [](AttentionCall& c) { c.batch = -2; }, {"batch", "-2"}},
      {"scale infinite",
       [](AttentionCall& c) { c.scale = std::numeric_limits<float>::infinity(); },
       {"scale", "inf"}},
      {"scale NaN",
       [](AttentionCall& c) { c.scale = std::numeric_limits<float>::quiet_NaN(); },
       {"scale", "nan"}},
      {"a q tile that is not compiled", [](AttentionCall& c) { c.q_tile = 7; }, {"q_tile", "7"}},
      {"a kv tile that is not compiled", [](AttentionCall& c) { c.kv_tile = 9; }, {"kv_tile", "9"}},
      {"negative splits", [](AttentionCall& c) { c.splits = -1; }, {"splits", "-1"}},
      {"splits for fa2",
       [](AttentionCall& c) {
         c.algorithm = Algorithm::fa2;
         c.splits = 3;
       },
       {"splits", "3", "fa2"}},
  };
  return all;
}

}  // namespace flashscope::gpu
