// The algorithms that have kernels. The numbers are the C ABI's.
#pragma once

#include <cstdint>

namespace flashscope::gpu {

enum class Algorithm : std::int32_t {
  automatic = 0,  // plan() chooses
  standard = 1,
  fa1 = 2,
  fa2 = 3,
  split_kv = 4,
};

}  // namespace flashscope::gpu
