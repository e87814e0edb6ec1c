// What a player plays: the ops that Walker shows, each with its arithmetic in words, the bytes that
// the whole program has moved so far, the truth over the keys so far, and the tiles on chip that it
// changed. Bounded, so that a page stays a page.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "viz/pages/tile_shot.h"
#include "viz/views/formula.h"
#include "viz/views/walker.h"

namespace flashscope::pages {

constexpr std::int64_t kMostOps = 600;             // of one player
constexpr std::size_t kMostTextBytes = 1'500'000;  // of all that its ops say

struct TruthRow {
  std::string row;               // "0"
  std::string name;              // "m + ln l", "O / l"
  std::string here, truth, off;  // "1.375 0.5058", "2e-08"
  bool agrees = true;            // within rounding
};

struct RecordedOp {
  std::int64_t op = 0;
  int line = 0;           // index into Algorithm::lines
  std::size_t place = 0;  // index into Recording::places
  std::vector<views::Change> changes;
  std::int64_t load_bytes = 0, store_bytes = 0;  // so far, of all work items
  std::int64_t copied_bytes = 0;                 // by this op
  std::map<int, TileShot> tiles;                 // by buffer: those that differ from the op before
  std::string truth_keys;                        // "0-3"; empty: no truth here
  std::vector<TruthRow> truth;
};

// A run of ops in one segment.
struct RecordedPlace {
  std::string text;
  int map = -1;                            // the phase whose tile map shows it; -1: none
  std::int64_t q_tile = -1, kv_tile = -1;  // both: a step
  std::int64_t first_op = 0;
  int phase = 0;
};

struct Recording {
  std::vector<int> buffers;  // those on chip that the recorded phases use
  std::vector<RecordedPlace> places;
  std::map<int, TileShot> start;  // before the first op
  std::int64_t start_load_bytes = 0, start_store_bytes = 0;
  std::vector<RecordedOp> ops;
  std::int64_t batch = 0, head = 0;  // of the tile maps
  std::vector<std::int64_t> rows;    // looked at
  std::string extent;                // "work item 0 of 2: batch 0, head 0; tiles 2 x 2; row 0"
};

// Throws Error as Walker does; when no op lies in the range; and when there are more ops or more
// text than a page takes, which says how to ask for less.
Recording record(const Scenario& scenario, const Program& program,
                 const views::WalkOptions& options);

}  // namespace flashscope::pages
