// HBM and the on-chip tiles of one simulated SM. copy() is the only way data moves between the two,
// and the only place of the op-by-op run that counts bytes. Tails are zero-filled: nothing past an
// end is ever read.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/attention/program.h"
#include "sim/machine/ledger.h"
#include "sim/machine/tensor.h"
#include "sim/machine/tile.h"

namespace flashscope {

// Q, K, V as they lie in HBM: (batch, heads, rows, head_dim).
struct Inputs {
  TensorView q, k, v;
};

// O: (batch, q_heads, q_len, head_dim) in the output format; LSE: (batch, q_heads, q_len, 1), fp32.
struct Outputs {
  Tensor o, lse;
};
Outputs make_outputs(const Problem& problem, const Precision& precision);

class Memory {
 public:
  // All references must outlive the memory. Throws Error when a table's tensors in HBM are neither
  // Q, K, V, O, LSE nor workspaces of a shape that can be made.
  Memory(const Program& program, const Inputs& inputs, Outputs& outputs);

  // Forgets everything on chip and in the workspaces (both are filled with NaN, so that reading
  // what was never written shows). Workspaces hold the given rows of one head only.
  void begin(IndexRange rows);

  // Performs a load or store line. `ledger` may be null: a replay that is not counted.
  void copy(const Line& line, const Segment& segment, Ledger* ledger);

  Tile& tile(int buffer) { return tiles_[static_cast<std::size_t>(buffer)]; }
  const Tile& tile(int buffer) const { return tiles_[static_cast<std::size_t>(buffer)]; }

  // Everything that changes, for going back to an earlier op. O and LSE in HBM are not part of it:
  // replayed ops write them again.
  struct Snapshot;
  Snapshot save() const;
  void restore(const Snapshot& snapshot);

 private:
  // A workspace in HBM for rows_ of one head: (splits or 1, rows, columns), row-major. Values are
  // rounded to the tensor's format when stored.
  struct Workspace {
    std::int64_t columns = 0, splits = 0;
    std::vector<float> values;
  };
  enum class Role : std::uint8_t { q, k, v, o, lse, workspace };

  Role role_of(const Buffer& tensor) const;
  std::int64_t columns_of(const Buffer& tensor) const;
  HeadRow place_of(Role role, const Segment& segment, std::int64_t row) const;
  HeadRow misplaced(Role role, const Segment& segment, HeadRow at) const;
  void load_row(int tensor, const Segment& segment, std::int64_t row, IndexRange columns,
                std::span<float> values) const;
  void store_row(int tensor, const Segment& segment, std::int64_t row, IndexRange columns,
                 std::span<float> values);
  void load_all_splits(const Line& line, const Segment& segment);
  float* workspace_row(int tensor, std::int64_t split, std::int64_t row);
  const float* workspace_row(int tensor, std::int64_t split, std::int64_t row) const;

  const Program& program_;
  const Inputs& inputs_;
  Outputs& outputs_;
  std::vector<Tile> tiles_;            // by buffer; empty for tensors in HBM
  std::vector<Role> roles_;            // by buffer; tensors in HBM only
  std::vector<Workspace> workspaces_;  // by buffer
  std::vector<float> row_buffer_;
  IndexRange rows_;
};

struct Memory::Snapshot {
  std::vector<Tile> tiles;
  std::vector<Workspace> workspaces;
  IndexRange rows;
};

}  // namespace flashscope
