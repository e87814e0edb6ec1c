// A half-open range of indices, used for rows, keys and tiles alike.
#pragma once

#include <cstdint>

#include "sim/host_device.h"

namespace flashscope {

struct IndexRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  FLASHSCOPE_HOST_DEVICE constexpr std::int64_t size() const {
    return end > begin ? end - begin : 0;
  }
  FLASHSCOPE_HOST_DEVICE constexpr bool empty() const { return end <= begin; }
  FLASHSCOPE_HOST_DEVICE constexpr bool contains(std::int64_t index) const {
    return begin <= index && index < end;
  }
  friend constexpr bool operator==(const IndexRange&, const IndexRange&) = default;
};

}  // namespace flashscope
