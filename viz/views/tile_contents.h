// What an on-chip tile holds at a position: which ops wrote it, of which rows and keys it speaks,
// and which quantity of attention it is by definition. Read off the table, so that tables with
// other names are understood as well. Left out: the quantity's value (tile_truth.h).
#pragma once

#include <cstdint>
#include <optional>

#include "sim/debugger/session.h"

namespace flashscope::views {

// Whether a line changes a tile.
bool writes(const Line& line, int buffer);

// The segment whose ops wrote a tile last, and how many of its ops have been executed.
struct TileOrigin {
  Segment segment;
  std::int64_t ops = 0;
  bool is_current = false;  // it is the position's own segment
};
// Looked for within the position's work item. Nothing: the work item has not written the tile.
std::optional<TileOrigin> origin_of(const Session& session, int buffer);

enum class Quantity : std::uint8_t {
  none,      // nothing that attention defines
  constant,  // what a fill wrote
  input,     // rows of Q, K or V
  score,     // scale * q.k
  weight,    // exp(score - max)
  max,       // largest score
  factor,    // exp(old max - new max)
  sum,       // sum of the weights
  output,    // sum of weights times rows of V
  lse,       // max + ln sum
};

// The keys that a quantity speaks of.
enum class KeyScope : std::uint8_t {
  before,  // those consumed before the present step
  now,     // and those of its kv tile
  tile,    // those of the kv tile alone
  split,   // those of a split
  all,
};

struct Meaning {
  Quantity quantity = Quantity::none;
  KeyScope keys = KeyScope::now;
  int tensor = -1;          // input: the buffer in HBM
  double number = 0;        // constant
  bool scaled = false;      // score
  bool masked = false;      // score: hidden ones are -inf
  bool normalised = false;  // weight, output: divided by the sum
  bool of_whole = false;    // output: its weights were normalised over all keys
  // weight, sum, output: the max that is subtracted; factor: the new one, against that of `keys`.
  KeyScope frame = KeyScope::now;
  int frame_buffer = -1;  // where that max lies
};
Meaning meaning_of(const Program& program, const TileOrigin& origin, int buffer);

}  // namespace flashscope::views
