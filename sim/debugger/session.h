// A program stopped between two ops, which can be moved to any other place: the debugger prompt,
// the window and the lessons all stand on this class. It keeps no log of what was done: going back
// means replaying the chain (batch, head, q tile) that the op belongs to, from its beginning or
// from a snapshot on the way. What a user sets by hand is an event at an op, replayed like
// everything else.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "sim/machine/interpreter.h"
#include "sim/scenario/scenario.h"

namespace flashscope {

// One element of a tile changed by hand just before op `op` executes.
struct SetEvent {
  std::int64_t op = 0;
  int buffer = 0;
  std::int64_t row = 0, column = 0;  // on the tile
  float value = 0;
  friend bool operator==(const SetEvent&, const SetEvent&) = default;
};

class Session {
 public:
  // The scenario and the program must outlive the session.
  Session(const Scenario& scenario, const Program& program);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Program& program() const { return program_; }
  const Scenario& scenario() const { return scenario_; }

  // The op that executes next; program().size() at the end.
  std::int64_t position() const { return position_; }
  bool at_end() const { return position_ == program_.size(); }
  Op next_op() const { return program_.op(position_); }  // not at the end
  // The segment that holds the next op; at the end, the last one.
  const Segment& segment() const { return segment_; }

  // Executes the next op. At the end: does nothing and returns false. `executed` is called when the
  // op is done and nothing of the next place has touched the tiles yet.
  bool step(const std::function<void()>& executed = {});
  // Moves to any position in [0, size()]. Far or back: replays the chain there.
  void seek(std::int64_t op);

  // First ops of other places, for stepping by more than one op; size() or 0 where there is none.
  std::int64_t next_segment() const;  // one kv tile on
  std::int64_t previous_segment() const;
  std::int64_t next_work_item() const;
  std::int64_t previous_work_item() const;

  // A tile as the next op finds it. Between q tiles, what is on chip is that of the q tile to come.
  const Tile& tile(int buffer) const { return interpreter_.tile(buffer); }
  const Interpreter& machine() const { return interpreter_; }
  // The result tile of the next op as the op will leave it (of a store: as it is). Not at the end.
  Tile preview() const;

  // Changes an element now, and whenever this op is reached again. Throws Error when it is no
  // element of an on-chip tile in use here.
  void set(int buffer, std::int64_t row, std::int64_t column, float value);
  const std::vector<SetEvent>& events() const { return events_; }  // ascending by op
  // Replaces all events (a session file) and replays the present position.
  void set_events(std::vector<SetEvent> events);

  // O and LSE of all ops executed so far along this position's chain.
  const Outputs& outputs() const { return outputs_; }

 private:
  struct Snapshot {
    std::int64_t op = 0;  // a segment's first op
    Memory::Snapshot memory;
    std::set<std::int64_t> current_tiles;
  };
  using Home = std::pair<std::int64_t, std::int64_t>;  // (batch * heads + head, q tile or -1)

  Home home_of(const Segment& segment) const;
  void forget(const Segment& segment);
  void arrive();
  void enter(const Segment& segment);
  void make_current(const Segment& segment);
  void replay_chain(const Chain& chain, std::int64_t end);
  void execute_from(const Segment& segment, std::int64_t first, std::int64_t end);
  void apply_events(std::int64_t op);
  bool restore_snapshot(const Segment& target, std::int64_t op);
  void keep_snapshot(const Segment& segment);

  const Scenario& scenario_;
  const Program& program_;
  Outputs outputs_;
  mutable Interpreter interpreter_;  // preview() executes an op and takes it back
  std::int64_t position_ = 0;
  Segment segment_;                       // of the op at position_
  bool whole_heads_ = false;              // some work item is a whole head: its q tiles take turns
  std::optional<Home> home_;              // whose state is on the machine
  std::set<std::int64_t> current_tiles_;  // q tiles whose state is that of position_
  std::vector<SetEvent> events_;
  std::vector<Snapshot> snapshots_;  // of home_, ascending
  std::int64_t segments_since_snapshot_ = 0;
};

}  // namespace flashscope
