// Element-wise masks; see mask_rows.h.
#include "sim/machine/mask_rows.h"

#include <algorithm>

namespace flashscope {

MaskRows::MaskRows(const Program& program)
    : q_len_(program.problem().q_len),
      kv_len_(program.problem().kv_len),
      group_(program.group()),
      expression_(program.problem().mask.expression) {
  const Behaviour& behaviour = program.algorithm().behaviour;
  band_ = mask_band(program.problem(), behaviour);
  // A mask that forgets the tail sees the zero-filled keys of the last tile.
  if (!behaviour.masks_tail) band_.kv_len += program.tiling().kv_tile_rows;
}

void MaskRows::row(std::int64_t batch, std::int64_t head, std::int64_t packed_row,
                   std::int64_t first_key, std::span<std::uint8_t> visible) const {
  const auto count = static_cast<std::int64_t>(visible.size());
  const std::int64_t query = packed_row / group_;
  const IndexRange keys = intersect(visible_keys(band_, query), {first_key, first_key + count});
  std::fill(visible.begin(), visible.end(), std::uint8_t{0});
  if (keys.empty()) return;
  const std::span<std::uint8_t> inside = visible.subspan(
      static_cast<std::size_t>(keys.begin - first_key), static_cast<std::size_t>(keys.size()));
  if (!expression_) {
    std::fill(inside.begin(), inside.end(), std::uint8_t{1});
    return;
  }
  const expression::MaskScope scope{batch, head * group_ + packed_row % group_, q_len_, kv_len_};
  expression_->visible_row(scope, query, keys.begin, inside);
}

}  // namespace flashscope
