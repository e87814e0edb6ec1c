// The formulas, in the field's notation, for one sequence of N query rows against L keys (one head,
// or the heads of a GQA group packed into one sequence):
//   d      head_dim
//   e      bytes of an element of Q, K, V; e_S, e_P, e_O of S, P and the output; w of fa1's
//          workspace O; m, l, LSE and split_kv's partial results have 4
//   Br, Bc rows of a q tile and of a kv tile; Tr = ceil(N / Br), Tc = ceil(L / Bc)
//   R_i    in-bounds rows of q tile i
//   T_i    kv tiles that q tile i visits; A_i the in-bounds keys in them
//   U      in-bounds keys in the kv tiles that at least one q tile visits
//   s      splits
// The problem moves batch * sequences times as much.
#include "sim/attention/closed_forms.h"

#include <algorithm>

namespace flashscope {
namespace {

constexpr std::int64_t kFp32 = 4;

struct Sizes {
  std::int64_t n = 0, keys = 0, d = 0, tr = 0, tc = 0, splits = 1;
  std::int64_t e = 0, e_s = 0, e_p = 0, e_o = 0, w = 0;
};

struct Visits {
  std::int64_t keys = 0;        // sum of A_i
  std::int64_t row_steps = 0;   // sum of R_i T_i
  std::int64_t rows = 0;        // sum of R_i over the q tiles with T_i > 0
  std::int64_t union_keys = 0;  // U
};

// Query row r sees the keys r + L - q_len - left ... r + L - q_len + right that exist, so a q tile
// visits the kv tiles from the first key of its first row to the last key of its last row.
Visits visits(const Problem& problem, const Tiling& tiling, std::int64_t group,
              const Sizes& sizes) {
  const Mask& mask = problem.mask;
  const std::int64_t keys = sizes.keys, diagonal = keys - problem.q_len;
  // No key is further from the diagonal than this; it keeps the sums below from overflowing.
  const std::int64_t furthest = keys + problem.q_len;
  const auto reach = [&](std::int64_t side) {
    return side == kUnbounded ? furthest : std::min(side, furthest);
  };
  const std::int64_t left = reach(mask.window_left);
  const std::int64_t right = mask.causal ? 0 : reach(mask.window_right);

  Visits sum;
  std::int64_t next = 0;  // the first kv tile that no q tile has visited so far
  for (std::int64_t i = 0; i < sizes.tr; ++i) {
    const std::int64_t first = i * tiling.q_tile_rows;
    const std::int64_t rows = std::min(tiling.q_tile_rows, sizes.n - first);
    // Packed row p is query row p / group.
    const std::int64_t first_row = first / group, last_row = (first + rows - 1) / group;
    const std::int64_t first_key = std::max<std::int64_t>(0, first_row + diagonal - left);
    const std::int64_t last_key = std::min(keys - 1, last_row + diagonal + right);
    if (first_key > last_key) continue;
    const std::int64_t first_tile = first_key / tiling.kv_tile_rows;
    const std::int64_t end_tile = last_key / tiling.kv_tile_rows + 1;
    const auto keys_from = [&](std::int64_t tile) {
      return std::min(end_tile * tiling.kv_tile_rows, keys) - tile * tiling.kv_tile_rows;
    };
    sum.keys += keys_from(first_tile);
    sum.row_steps += rows * (end_tile - first_tile);
    sum.rows += rows;
    // Neither end ever moves back from one q tile to the next.
    const std::int64_t fresh = std::max(next, first_tile);
    if (fresh < end_tile) sum.union_keys += keys_from(fresh);
    next = end_tile;
  }
  return sum;
}

// S kernel: Q Tc times, K Tr times, S out. Softmax: S in, P and LSE out. PV: P in, V Tr times, O
// out.
//   Tc N d e + Tr L d e + N L e_S  +  N L e_S + N L e_P + 4 N  +  N L e_P + Tr L d e + N d e_O
std::int64_t standard_bytes(const Sizes& z) {
  return z.tc * z.n * z.d * z.e + 2 * z.tr * z.keys * z.d * z.e +
         2 * z.n * z.keys * (z.e_s + z.e_p) + kFp32 * z.n + z.n * z.d * z.e_o;
}

// K and V once; at each step Q, O, m, l in; at each step but a q tile's last O, m, l out; O and LSE
// out once for every row, whether at the last step or because the row's q tile visits nothing.
//   2 U d e + sum R_i T_i (d e + d w + 8) + sum over T_i > 0 of R_i (T_i - 1) (d w + 8)
//     + N (d e_O + 4)
std::int64_t fa1_bytes(const Sizes& z, const Visits& v) {
  const std::int64_t state = z.d * z.w + 2 * kFp32;  // O, m and l of one row
  return 2 * v.union_keys * z.d * z.e + v.row_steps * (z.d * z.e + state) +
         (v.row_steps - v.rows) * state + z.n * (z.d * z.e_o + kFp32);
}

// Q once, K and V of the visited tiles for every q tile, O and LSE once.
//   N d e + 2 d e sum A_i + N (d e_O + 4)
std::int64_t fa2_bytes(const Sizes& z, const Visits& v) {
  return z.n * z.d * z.e + 2 * z.d * z.e * v.keys + z.n * (z.d * z.e_o + kFp32);
}

// As fa2, but Q once for every split, and between the phases s partial O and LSE out and in again.
//   s N d e + 2 d e sum A_i + 2 s N (4 d + 4) + N (d e_O + 4)
std::int64_t split_kv_bytes(const Sizes& z, const Visits& v) {
  return z.splits * z.n * z.d * z.e + 2 * z.d * z.e * v.keys +
         2 * z.splits * z.n * (kFp32 * z.d + kFp32) + z.n * (z.d * z.e_o + kFp32);
}

}  // namespace

std::optional<std::int64_t> closed_form_bytes(const Problem& problem, const Tiling& tiling,
                                              const Precision& precision,
                                              std::string_view algorithm_name) {
  if (problem.mask.expression) return std::nullopt;
  const std::int64_t group = tiling.pack_gqa ? problem.q_heads / problem.kv_heads : 1;
  Sizes sizes;
  sizes.n = problem.q_len * group;
  sizes.keys = problem.kv_len;
  sizes.d = problem.head_dim;
  sizes.tr = (sizes.n + tiling.q_tile_rows - 1) / tiling.q_tile_rows;
  sizes.tc = (sizes.keys + tiling.kv_tile_rows - 1) / tiling.kv_tile_rows;
  sizes.splits = tiling.splits;
  sizes.e = bytes_per_element(precision.input);
  sizes.e_s = bytes_per_element(precision.score);
  sizes.e_p = bytes_per_element(precision.probability);
  sizes.e_o = bytes_per_element(precision.output);
  sizes.w = tiling.workspace_in_input_format ? sizes.e : kFp32;

  const std::int64_t sequences = problem.batch * (problem.q_heads / group);
  if (algorithm_name == "standard") return sequences * standard_bytes(sizes);
  const Visits visited = visits(problem, tiling, group, sizes);
  if (algorithm_name == "fa1") return sequences * fa1_bytes(sizes, visited);
  if (algorithm_name == "fa2") return sequences * fa2_bytes(sizes, visited);
  if (algorithm_name == "split_kv") return sequences * split_kv_bytes(sizes, visited);
  return std::nullopt;
}

std::int64_t standard_paper_elements(std::int64_t n, std::int64_t head_dim) {
  return 4 * n * n + 4 * n * head_dim;
}

std::int64_t flash_paper_elements(std::int64_t n, std::int64_t head_dim,
                                  std::int64_t sram_elements) {
  // (Nd)^2 / M without squaring Nd, which would not fit 64 bits where the result does.
  const std::int64_t matrix = n * head_dim;
  return matrix * (matrix / sram_elements) + matrix * (matrix % sram_elements) / sram_elements;
}

}  // namespace flashscope
