// The mask, element by element: which keys of a range does one (packed) row of a head see?
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sim/attention/program.h"

namespace flashscope {

class MaskRows {
 public:
  explicit MaskRows(const Program& program);

  // visible[n] = 1 when the row sees key keys.begin + n; 0 also for keys past the end
  // (unless the algorithm forgets to mask them).
  void row(std::int64_t batch, std::int64_t head, std::int64_t packed_row, std::int64_t first_key,
           std::span<std::uint8_t> visible) const;

 private:
  Band band_;
  std::int64_t q_len_, kv_len_, group_;
  std::optional<expression::MaskExpression> expression_;
};

}  // namespace flashscope
