// Counts how often each tile of the tensors in HBM has been read and written so far by the head at
// the present position. Whole rows of a phase are added as runs of equal steps, so that 65,536 keys
// cost well under a millisecond; moving on by some ops adds just these.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "viz/views/memory_view_tiles.h"

namespace flashscope::views {

class CopyCounter {
 public:
  // The program must outlive it.
  explicit CopyCounter(const Program& program);

  // Counts the ops before `position` of one head. `segment`: of the op at the position; at the end
  // of the program, the last one.
  void move_to(std::int64_t position, const Segment& segment);
  // All ops of a head.
  void count_whole_head(std::int64_t batch, std::int64_t head);

  // Tensors in HBM, in the order of declaration, also those that no line copies.
  std::span<const TensorCopies> tensors() const { return tensors_; }
  const TensorCopies& tensor(int buffer) const;
  // The largest times_copied() of all tiles and both directions.
  double most_times() const;

  // What a load or store copies; no tiles where the segment has no such rows.
  TileCopy copy_of(const Segment& segment, const Line& line) const;

 private:
  struct HeadPhase {
    int phase = 0;
    std::int64_t batch = 0, head = 0;
    friend bool operator==(const HeadPhase&, const HeadPhase&) = default;
  };
  void recount(std::int64_t batch, std::int64_t head, std::int64_t position);
  void count_phase(int phase, std::int64_t batch, std::int64_t head, std::int64_t position);
  void walk(std::int64_t first, std::int64_t end);
  void add_row(const Program::Row& row, std::int64_t times);
  void add_run(const Program::Row& row, const StepRun& run);
  void add_lines(const Segment& segment, std::span<const int> lines, std::int64_t times);
  void add(const TileCopy& copy, std::int64_t times);

  const Program& program_;
  std::vector<TensorCopies> tensors_;
  std::vector<std::size_t> tensor_of_buffer_;  // index into tensors_, of buffers in HBM
  std::optional<HeadPhase> place_;             // what is counted, up to position_
  std::int64_t position_ = 0;
};

// The op at which a tile is copied next, after `position`; else some op that copies it. Within the
// head of `here`; nothing when no op of it does. Walks chains: meant for a click.
std::optional<std::int64_t> op_of_copy(const Program& program, const CopyCounter& counter,
                                       const Segment& here, std::int64_t position, int tensor,
                                       std::int64_t row, std::int64_t column);

}  // namespace flashscope::views
