// The running softmax of one row at a position: what m, l and alpha are and ought to be, what the
// present step corrects, and the weights so far beside those that all keys will give.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viz/views/chain_recording.h"
#include "viz/views/sheet.h"

namespace flashscope::views {

// The (packed) rows to show of `chosen`: those of the session's head. Where nobody chose, one row
// of the q tile at hand: the last under a causal or window mask, which sees the most keys, else the
// first (of the head, where q tiles take turns at every step). At most `most`, all of one q tile
// (that of the first); empty when the head has no such row.
std::vector<std::int64_t> rows_to_show(const Session& session,
                                       const std::vector<std::int64_t>& chosen, std::size_t most);
// (Packed) rows of the q tile at hand; empty where there is none.
IndexRange rows_at_hand(const Session& session);
// As many rows as are chosen, at their places within a tile, in the q tile at hand.
std::vector<std::int64_t> moved_to_tile(const Session& session,
                                        const std::vector<std::int64_t>& chosen);

// Where a position lies in a recorded chain.
struct StepsDone {
  std::size_t done = 0;                  // steps wholly behind the position
  std::optional<std::size_t> under_way;  // a step with ops on both sides of it
  double position = 0;                   // `done` and the part of the step under way
};
StepsDone steps_done(const ChainRecording& recording, std::int64_t position);

// m, l, alpha and m + ln l at a position. In the middle of a step, each has the truth over the keys
// that it has taken in itself: before its line of the step those of the steps done, behind it the
// step's own too.
struct StateEntry {
  const char* name = "";
  double here = 0, truth = 0;  // NaN: not known, or no number that means anything at this op
  bool comparable = false;     // false between two lines that compute it, and for m + ln l where
                               // only one of m and l has been through its line
  bool differs = false;        // m + ln l: by more than rounding
};
struct SoftmaxNow {
  StepsDone steps;
  bool live = false;  // `here` is on the machine now; else from the last step that is done
  std::vector<StateEntry> entries;
};
SoftmaxNow softmax_now(const Session& session, const ChainRecording& recording, std::size_t row);

// What the step under way, or else the last one done, does to the old state, in words.
struct Correction {
  std::string text;
  bool wrong = false;  // not what an online softmax does
};
Correction correction(const Program& program, const ChainRecording& recording, std::size_t row,
                      std::int64_t position);

// "departs from fp64 at step 2 of 2 (kv tile 1): m + ln l is 4.1, not 3.3".
std::string departure_text(const ChainRecording& recording, std::size_t row, std::size_t step);

// What the keys that `steps` steps have consumed weigh in O / l, which is P times the alphas of
// later steps (where they multiply O) / l, beside the softmax over all keys. Sums over bins of
// keys, from the first key with a weight to the last; none: the row sees no key. Where the keys are
// split, the splits' states are combined.
struct WeightBin {
  IndexRange keys;
  double here = 0, truth = 0;
  bool consumed = false;  // some of its keys have been
};
std::vector<WeightBin> weight_bins(const ChainRecording& recording, std::size_t row,
                                   std::size_t steps, std::size_t most_bins);

// The state after every recorded step of every recorded row.
Sheet softmax_sheet(const ChainRecording& recording);

// What the panel says of a table without a running softmax. With the row maxima and sums on the
// machine, when the position is in the row's own pass over its scores.
std::string no_running_state(const Session& session);

}  // namespace flashscope::views
