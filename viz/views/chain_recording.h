// What some rows of one chain hold after each of its steps, beside the fp64 truth over the keys
// consumed so far. A chain is executed once, a little in every frame, and read back at any
// position. Left out: tiles in the middle of a step (ask the session), and rows of other chains.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/debugger/prefix_truth.h"
#include "sim/debugger/session.h"

namespace flashscope::views {

// The tiles that a table's running softmax lives in; -1 where the table has none.
struct SoftmaxTiles {
  int m = -1, l = -1, o = -1;
  int o_divisor = -1;  // l while O is not yet normalised
  int alpha = -1;      // = exp(m - m_new)
  int p = -1;          // the weights of O = O + P V
};
// Nothing: the table keeps no running state (it has no `estimate`).
std::optional<SoftmaxTiles> softmax_tiles(const Algorithm& algorithm);

// A step over one kv tile, for all rows.
struct RecordedStep {
  std::int64_t first_op = 0, end_op = 0;
  std::int64_t alpha_op = -1;  // computes alpha; from the op behind it on, the new max is known
  std::int64_t kv_tile = 0;
  std::int64_t split = -1;  // -1: the keys are not split
  IndexRange keys;
  std::int64_t keys_so_far = 0;  // since `first`, this step's among them
  bool first = false;            // the state starts anew: of the chain, or of its split
  // Whether lines of this step multiply the old sum and the old O by a factor.
  bool corrects_sum = false, corrects_o = false;
};

// One row after one step. NaN where the table has no such tile.
struct RecordedState {
  double m = 0, l = 0, alpha = 0;
  double lse = 0;                               // m + ln l
  double true_m = 0, true_l = 0, true_lse = 0;  // fp64, over the keys since the step's `first`
  std::optional<Departure> departure;           // more than rounding away from the truth
  std::vector<double> o, true_o;                // (head_dim) normalised; only when they are kept
};

struct RecordedRow {
  std::int64_t row = 0;                        // of the head (packed)
  std::vector<RecordedState> states;           // by step
  std::optional<std::size_t> first_departure;  // step that departs from the truth
  std::vector<float> p;                        // (kv_len) P as computed; NaN: no step had this key
  // Over all keys, in fp64 and as stored at the end; valid when the recording is complete (the
  // weights as soon as a step is there).
  std::vector<double> true_weights;  // (kv_len)
  double true_m = 0, true_l = 0, true_lse = 0;
  std::vector<double> true_o, o;  // (head_dim); only when they are kept
  double lse = 0;
};

struct ChainRecording {
  Chain chain;
  std::vector<RecordedStep> steps;
  std::vector<RecordedRow> rows;
  std::int64_t total_steps = 0;  // that there will be
  std::int64_t end_op = 0;       // behind the chain's last op
  bool complete = false;
};

class ChainRecorder {
 public:
  // Both must outlive the recorder. Makes room for the program's whole O, once.
  ChainRecorder(const Scenario& scenario, const Program& program);
  ChainRecorder(const ChainRecorder&) = delete;
  ChainRecorder& operator=(const ChainRecorder&) = delete;

  // Begins anew with these (packed) rows, all of the chain's q tile; `events` as in the session.
  void start(const Chain& chain, const std::vector<std::int64_t>& rows,
             std::vector<SetEvent> events, bool keep_o);
  // Goes on for about so many seconds (one step at least); true when the recording is complete.
  bool advance(double seconds);
  // So far: rows have a state for each of the steps. Nothing is recorded before start().
  const ChainRecording& recording() const { return recording_; }
  double progress() const;  // 0 to 1

 private:
  struct Prefix {  // fp64, of one row, since the state started anew
    double m = 0, lse = 0;
    std::vector<double> o;
  };
  void compute_scores(IndexRange keys);
  void finish_scores();
  void execute(const Segment& segment);
  void record(const Segment& segment);
  void extend_truth(const Segment& segment);
  RecordedState state_of(std::size_t row, std::int64_t tile_row) const;
  void finish();

  const Scenario& scenario_;
  const Program& program_;
  const std::optional<SoftmaxTiles> tiles_;
  const reference::Inputs reference_;
  Outputs outputs_;
  Interpreter machine_;
  ChainRecording recording_;
  std::vector<SetEvent> events_;  // ascending by op
  bool keep_o_ = false;
  std::vector<Segment> segments_;
  std::size_t next_segment_ = 0;
  std::int64_t next_key_ = 0;
  std::vector<std::vector<double>> scores_;  // by row; (kv_len)
  std::vector<Prefix> prefixes_;             // by row
  std::vector<bool> consumed_tiles_;         // since the state started anew
};

}  // namespace flashscope::views
