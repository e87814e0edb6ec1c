// What a run costs: bytes per phase, tensor and direction, and arithmetic per kind. Filled op by op
// by the interpreter (through memory.copy) or in closed steps by count(); both must agree as
// integers. The model is the papers' two-level one, "HBM <-> SRAM, no cache": every tile copy
// counts its in-bounds bytes each time it happens; registers are free.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/attention/program.h"

namespace flashscope {

enum class Direction : std::uint8_t { load, store };

// Arithmetic of one op or many. In-bounds elements only, masked ones included.
struct Work {
  std::int64_t matmul_flops = 0;  // 2 per multiply-add of a tile product
  std::int64_t exponentials = 0;
  std::int64_t rescales = 0;         // rows of O multiplied by their factor
  std::int64_t nonmatmul_flops = 0;  // element-wise arithmetic, exponentials apart

  Work& operator+=(const Work& other);
  Work operator*(std::int64_t times) const;
  friend bool operator==(const Work&, const Work&) = default;
};

struct TrafficRow {
  std::string phase, tensor;
  Direction direction = Direction::load;
  std::int64_t bytes = 0;
  friend bool operator==(const TrafficRow&, const TrafficRow&) = default;
};

class Ledger {
 public:
  explicit Ledger(const Algorithm& algorithm);

  void add_copy(int phase, int tensor, Direction direction, std::int64_t bytes);
  void add_work(const Work& work) { work_ += work; }
  void add(const Ledger& other);

  // Rows with at least one byte, in the order phase, load before store, declaration.
  std::vector<TrafficRow> traffic() const;
  const Work& work() const { return work_; }

  // A phase named `init` (fa1's first stores) is counted apart: load + store = total.
  std::int64_t load_bytes() const { return sum(Direction::load, false); }
  std::int64_t store_bytes() const { return sum(Direction::store, false); }
  std::int64_t init_bytes() const {
    return sum(Direction::load, true) + sum(Direction::store, true);
  }
  std::int64_t total_bytes() const { return load_bytes() + store_bytes(); }
  // With init: what has really passed so far, for running displays.
  std::int64_t all_load_bytes() const { return load_bytes() + sum(Direction::load, true); }
  std::int64_t all_store_bytes() const { return store_bytes() + sum(Direction::store, true); }

 private:
  std::int64_t& cell(int phase, int tensor, Direction direction);
  std::int64_t sum(Direction direction, bool init) const;

  std::vector<std::string> phases_, tensors_;
  std::vector<std::int64_t> bytes_;  // (phase, direction, tensor)
  Work work_;
};

}  // namespace flashscope
