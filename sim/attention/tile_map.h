// Which tiles of one head's score matrix are empty, partial or full, and in which order a loop
// visits them. Causal and window masks are answered in closed form from the tile plan; mask
// expressions are classified once, by interval arithmetic refined where it is undecided, as
// FlexAttention's block masks are. Everything is given as runs of equal steps, so that a million
// rows cost milliseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/attention/behaviour.h"
#include "sim/attention/expression_classifier.h"
#include "sim/attention/problem.h"
#include "sim/attention/tile_plan.h"
#include "sim/attention/tiling.h"

namespace flashscope {

// "empty", "partial", "full".
std::string_view name_of(TileClass tile_class);

// What the lines of a step can depend on (the `when` conditions of a table).
struct StepKind {
  TileClass tile_class = TileClass::full;
  bool first = false;  // the q tile's first visited kv tile (within its split)
  bool last = false;   // the q tile's last visited kv tile (within its split)
  friend constexpr bool operator==(const StepKind&, const StepKind&) = default;
};

// Tiles [begin, end) along the axis being walked, all of one kind. In a descending walk they are
// visited from end - 1 down to begin, and the runs themselves come in visiting order.
struct StepRun {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  StepKind kind;
  std::int64_t size() const { return end - begin; }
};

enum class Visit : std::uint8_t { non_empty, all };

class TileMap {
 public:
  // One head: `head` counts kv heads when the tiling packs GQA groups, q heads otherwise.
  TileMap(const Problem& problem, const Tiling& tiling, std::int64_t batch, std::int64_t head,
          const Behaviour& behaviour = {});

  std::int64_t q_tiles() const { return q_tiles_; }
  std::int64_t kv_tiles() const { return kv_tiles_; }
  // Rows that q tiles cut up: q_len, or q_len * group when packed.
  std::int64_t total_rows() const { return total_rows_; }

  // The hull of the kv tiles that q tile i visits; empty when it sees no key.
  IndexRange visited(std::int64_t q_tile) const;

  // kv tiles of q tile i inside `window`, in visiting order.
  std::vector<StepRun> steps_of_q_tile(std::int64_t q_tile, IndexRange window, KvOrder order,
                                       Visit visit) const;

  // For listed runs (below), to be called once before steps_of_kv_tile(): visits every tile.
  void prepare_columns();

  // q tiles that visit kv tile j, ascending. first and last still speak of the q tile's kv tiles.
  std::vector<StepRun> steps_of_kv_tile(std::int64_t kv_tile, KvOrder order) const;

  // Score elements that the mask shows, over the whole head. Looks at every element of the partial
  // tiles of a mask expression that interval arithmetic can't decide; `progress` hears of the q
  // tiles done, and of how many there are.
  std::int64_t visible_elements(
      const std::function<void(std::int64_t, std::int64_t)>& progress = {}) const;

 private:
  IndexRange packed_rows(std::int64_t q_tile) const;
  IndexRange query_rows(std::int64_t q_tile) const;      // query positions that a q tile touches
  std::vector<TileRun> runs(std::int64_t q_tile) const;  // non-empty, ascending
  std::vector<StepRun> band_column(std::int64_t kv_tile, KvOrder order) const;

  Band band_;
  std::int64_t q_len_, q_tile_rows_, kv_tile_rows_;
  std::int64_t group_;  // q heads per row sequence: 1 unless packed
  std::int64_t total_rows_, q_tiles_, kv_tiles_;

  // Where no closed form answers (mask expressions, loops with a fault): the runs of every q tile,
  // and their transposition (ascending order).
  std::optional<ExpressionClassifier> expression_;
  bool is_listed_ = false;
  std::vector<std::vector<TileRun>> listed_runs_;
  std::vector<std::vector<StepRun>> listed_columns_;
};

}  // namespace flashscope
