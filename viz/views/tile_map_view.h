// The score matrix of one head as a map of tiles: which are empty, partial or full, and in which
// order one phase of the program visits them, so that every tile is known as done, current or to
// come at any position. Kept as runs of equal tiles, as the Program keeps them: half a million
// tiles cost a few thousand runs. Left out: how a map is drawn.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/attention/program.h"
#include "sim/machine/mask_rows.h"
#include "viz/views/sheet.h"

namespace flashscope::views {

// never: no step of the phase meets the tile.
enum class TileState : std::uint8_t { never, to_come, current, done };

struct TileMapCell {
  TileClass tile_class = TileClass::empty;  // what the mask makes of it
  TileState state = TileState::never;
  // Of its first visit; -1 where there is none.
  std::int64_t op = -1;     // index of the step's first op
  std::int64_t order = -1;  // number of the step within the head, from 0
  std::int64_t split = -1;
  int visits = 0;                          // more than one: a loop with wrong bounds
  TileClass taken_for = TileClass::empty;  // whose lines the step executes
};

// A rectangle of tiles in bins of q_per_bin x kv_per_bin; those at the far edges may hold fewer.
struct TileMapBins {
  struct Bin {
    std::array<std::int64_t, 3> tiles{};  // by TileClass
    std::int64_t visits = 0, done = 0;
  };
  IndexRange q_tiles, kv_tiles;
  std::int64_t q_per_bin = 1, kv_per_bin = 1;
  std::int64_t rows = 0, columns = 0;
  std::vector<Bin> bins;  // (rows, columns)
  const Bin& at(std::int64_t row, std::int64_t column) const {
    return bins[static_cast<std::size_t>(row * columns + column)];
  }
};

class TileMapView {
 public:
  // Phases whose steps are tiles: one loop over q tiles, one over kv tiles.
  static std::vector<int> phases_with_tiles(const Program& program);
  // The phase to show at a segment: its own, else the last one before it that has tiles, else the
  // first that has; -1 when there is none.
  static int phase_at(const Program& program, const Segment& segment);

  // `phase` as phase_at() gives it. The program must outlive the view. Throws Error where the mask
  // does.
  TileMapView(const Program& program, int phase, std::int64_t batch, std::int64_t head);

  std::int64_t q_tiles() const { return q_tiles_; }
  std::int64_t kv_tiles() const { return kv_tiles_; }
  int phase() const { return phase_; }
  std::int64_t batch() const { return batch_; }
  std::int64_t head() const { return head_; }
  const std::array<std::int64_t, 3>& counts() const { return counts_; }  // tiles by TileClass
  std::int64_t visits() const { return visits_; }
  std::int64_t done(std::int64_t position) const;  // visits whose last op lies before `position`
  // First kv tiles of the splits but the first one's; none where the phase has no splits.
  std::vector<std::int64_t> split_borders() const;

  IndexRange rows_of(std::int64_t q_tile) const;  // (packed) query rows
  IndexRange keys_of(std::int64_t kv_tile) const;
  // Rows and keys of a tile that is not cut off by an end.
  std::int64_t tile_rows() const { return tile_rows_; }
  std::int64_t tile_keys() const { return tile_keys_; }

  TileMapCell cell(std::int64_t q_tile, std::int64_t kv_tile, std::int64_t position) const;
  // The nearest visited tile in direction (q_step, kv_step); one of both is 0, the other 1 or -1.
  std::optional<std::pair<std::int64_t, std::int64_t>> neighbour(std::int64_t q_tile,
                                                                 std::int64_t kv_tile, int q_step,
                                                                 int kv_step) const;
  TileMapBins bins(IndexRange q_tiles, IndexRange kv_tiles, std::int64_t q_per_bin,
                   std::int64_t kv_per_bin, std::int64_t position) const;
  // The same bins at another position.
  void update_done(TileMapBins& bins, std::int64_t position) const;

  // Elements that are hidden by the mask or lie past an end, as rectangles on the tile. With more
  // rows than `most_rows`, every nth is asked and stands for those that follow.
  struct Hidden {
    IndexRange rows, keys;  // counted from the tile's corner
  };
  std::vector<Hidden> hidden(std::int64_t q_tile, std::int64_t kv_tile,
                             std::int64_t most_rows) const;
  // Nothing when that takes more than a moment.
  std::optional<std::int64_t> visible_elements(std::int64_t q_tile, std::int64_t kv_tile) const;

  // A row a tile; nothing when there are more than a spreadsheet takes.
  std::optional<Sheet> sheet(std::int64_t position) const;

 private:
  struct ClassRun {
    IndexRange kv_tiles;
    TileClass tile_class = TileClass::empty;
  };
  // Steps that follow one another along the loop of a line, with equal lines of the table.
  struct VisitRun {
    IndexRange tiles;           // along the loop
    std::int64_t first_op = 0;  // of the first one visited, counted from the head's first op
    std::int64_t ops = 0;       // of each
    std::int64_t first_order = 0;
    std::int64_t split = -1;
    TileClass taken_for = TileClass::empty;
    std::int64_t done(std::int64_t local_position) const;
  };
  void find_classes();
  void find_visits();
  template <typename Use>
  void for_each_visit(TileMapBins& bins, Use use) const;
  std::int64_t step_of(const VisitRun& visit, std::int64_t tile) const;  // 0: visited first
  IndexRange done_tiles(const VisitRun& visit, std::int64_t local_position) const;

  const Program* program_;
  int phase_;
  std::int64_t batch_, head_;
  MaskRows mask_;
  bool by_column_ = false;  // lines are kv tiles, loops run over q tiles
  bool backwards_ = false;  // loops run from the last tile to the first
  std::int64_t q_tiles_ = 0, kv_tiles_ = 0, tile_rows_ = 0, tile_keys_ = 0;
  std::int64_t first_op_ = 0;  // of the head in this phase
  std::int64_t visits_ = 0;
  std::array<std::int64_t, 3> counts_{};
  std::vector<std::vector<ClassRun>> classes_;  // by q tile, ascending, empty ones left out
  std::vector<std::vector<VisitRun>> lines_;    // by q tile, or by kv tile
};

}  // namespace flashscope::views
