// The tile plan: which rows and keys a tile holds, which tiles a mask leaves empty, partial or
// full, and which kv tiles a q tile visits. Everything is constexpr and runs on host and device, so
// that the CUDA kernels walk the very plan that the simulator shows and counts. Only the diagonal
// band of a mask (causal, window) is decided here; mask expressions are classified in tile_map.h.
#pragma once

#include <cstdint>

#include "sim/host_device.h"
#include "sim/index_range.h"

namespace flashscope {

// full: every element is visible and the tile is not the kv tail. partial: some are, or it is the
// kv tail. empty: no element is visible.
enum class TileClass : std::uint8_t { empty, partial, full };

FLASHSCOPE_HOST_DEVICE constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) {
  return a < b ? a : b;
}
FLASHSCOPE_HOST_DEVICE constexpr std::int64_t larger(std::int64_t a, std::int64_t b) {
  return a > b ? a : b;
}
// Division that rounds towards minus infinity (divisor > 0).
FLASHSCOPE_HOST_DEVICE constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
FLASHSCOPE_HOST_DEVICE constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return floor_div(a + b - 1, b);
}
FLASHSCOPE_HOST_DEVICE constexpr IndexRange intersect(IndexRange a, IndexRange b) {
  return {larger(a.begin, b.begin), smaller(a.end, b.end)};
}

// Rows of tile `index` of a dimension of `length` rows cut into tiles of `tile_rows`.
FLASHSCOPE_HOST_DEVICE constexpr IndexRange tile_rows(std::int64_t index, std::int64_t tile_rows,
                                                      std::int64_t length) {
  return {index * tile_rows, smaller((index + 1) * tile_rows, length)};
}

// The diagonal band of a mask: query row r sees keys r + offset - left ... r + offset + right.
struct Band {
  std::int64_t kv_len = 0;
  std::int64_t offset = 0;  // kv_len - q_len: the diagonal ends in the bottom-right corner
  std::int64_t left = 0;    // keys left of the diagonal, inclusive
  std::int64_t right = 0;   // keys right of it; 0 for causal
};

// window_left and window_right as in Mask: -1 means unbounded.
FLASHSCOPE_HOST_DEVICE constexpr Band make_band(std::int64_t q_len, std::int64_t kv_len,
                                                bool causal, std::int64_t window_left,
                                                std::int64_t window_right) {
  // A side longer than everything there is stands for "unbounded", and keeps the sums small.
  const std::int64_t everything = q_len + kv_len;
  const std::int64_t left = window_left < 0 ? everything : smaller(window_left, everything);
  const std::int64_t right = window_right < 0 ? everything : smaller(window_right, everything);
  return {kv_len, kv_len - q_len, left, causal ? smaller(right, 0) : right};
}

// Keys that one query row sees. The range may be empty.
FLASHSCOPE_HOST_DEVICE constexpr IndexRange visible_keys(const Band& band, std::int64_t row) {
  return intersect({row + band.offset - band.left, row + band.offset + band.right + 1},
                   {0, band.kv_len});
}

// Keys that at least one of the (consecutive, at least one) rows sees: consecutive rows see ranges
// shifted by one, so the union has no hole.
FLASHSCOPE_HOST_DEVICE constexpr IndexRange keys_seen_by_any(const Band& band, IndexRange rows) {
  return intersect({rows.begin + band.offset - band.left, rows.end + band.offset + band.right},
                   {0, band.kv_len});
}

// Keys that all of the rows see.
FLASHSCOPE_HOST_DEVICE constexpr IndexRange keys_seen_by_all(const Band& band, IndexRange rows) {
  return intersect(
      {rows.end - 1 + band.offset - band.left, rows.begin + band.offset + band.right + 1},
      {0, band.kv_len});
}

// kv tiles with at least one visible element for these rows: those a q tile visits.
FLASHSCOPE_HOST_DEVICE constexpr IndexRange visited_kv_tiles(const Band& band, IndexRange rows,
                                                             std::int64_t kv_tile_rows) {
  const IndexRange keys = keys_seen_by_any(band, rows);
  const std::int64_t tiles = ceil_div(band.kv_len, kv_tile_rows);
  // Clamped rather than set to {0, 0} when empty: both ends stay monotone in the row, which
  // TileMap's search for a column's q tiles relies on.
  return {smaller(floor_div(larger(keys.begin, 0), kv_tile_rows), tiles),
          ceil_div(larger(keys.end, 0), kv_tile_rows)};
}

// kv tiles whose every element is visible to all of the rows, the kv tail not among them.
FLASHSCOPE_HOST_DEVICE constexpr IndexRange full_kv_tiles(const Band& band, IndexRange rows,
                                                          std::int64_t kv_tile_rows) {
  const IndexRange keys = keys_seen_by_all(band, rows);
  return {ceil_div(larger(keys.begin, 0), kv_tile_rows),
          floor_div(larger(keys.end, 0), kv_tile_rows)};
}

FLASHSCOPE_HOST_DEVICE constexpr TileClass classify(const Band& band, IndexRange rows,
                                                    std::int64_t kv_tile,
                                                    std::int64_t kv_tile_rows) {
  if (!visited_kv_tiles(band, rows, kv_tile_rows).contains(kv_tile)) return TileClass::empty;
  return full_kv_tiles(band, rows, kv_tile_rows).contains(kv_tile) ? TileClass::full
                                                                   : TileClass::partial;
}

// Split-KV: the kv tiles of one of `splits` parts, as even as whole tiles allow.
FLASHSCOPE_HOST_DEVICE constexpr IndexRange split_kv_tiles(std::int64_t split, std::int64_t splits,
                                                           std::int64_t kv_tiles) {
  // kv_tiles = whole * splits + rest; the first `rest` parts get one tile more.
  const std::int64_t whole = kv_tiles / splits, rest = kv_tiles % splits;
  return {split * whole + smaller(split, rest), (split + 1) * whole + smaller(split + 1, rest)};
}

// pack_gqa puts the q heads of one kv head into one sequence of rows, heads innermost, so that a q
// tile reads K and V once for all of them: packed row p is query row p / group of head p % group.
// Query rows that the packed rows [begin, end) touch:
FLASHSCOPE_HOST_DEVICE constexpr IndexRange query_rows_of_packed(IndexRange packed,
                                                                 std::int64_t group) {
  return {packed.begin / group, ceil_div(packed.end, group)};
}

}  // namespace flashscope
