// Where two computations of one attention part: in lockstep over (batch, head, row, keys consumed),
// comparing m + ln l and O / l, which mean the same in every algorithm, tiling and order.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/debugger/prefix_states.h"

namespace flashscope {

struct Difference {
  std::int64_t op_a = 0, op_b = 0;
  std::int64_t batch = 0, head = 0, row = 0;
  std::int64_t kv_begin = 0, kv_end = 0;  // hull of the keys consumed
  std::string quantity;                   // "lse" or "O[3]"
  double a = 0, b = 0;
};

// How far apart a row is after so many keys.
struct Growth {
  std::int64_t keys = 0;
  bool final = false;
  double lse = 0;           // absolute
  std::optional<double> o;  // the largest absolute one; nothing where a trace has no O
};

struct DiffResult {
  std::optional<Difference> first;  // by op_a
  std::vector<Growth> growth;       // of that row
  std::int64_t compared_points = 0, compared_rows = 0, differing_rows = 0;
};

// The other side may be a second program or states read from a trace.
class OtherSide {
 public:
  virtual ~OtherSide() = default;
  virtual RowStates states(std::int64_t batch, std::int64_t head, IndexRange rows) const = 0;
};

class ProgramSide final : public OtherSide {
 public:
  ProgramSide(const Scenario& scenario, const Program& program)
      : scenario_(scenario), program_(program) {}
  RowStates states(std::int64_t batch, std::int64_t head, IndexRange rows) const override {
    return record_states(scenario_, program_, batch, head, rows);
  }

 private:
  const Scenario& scenario_;
  const Program& program_;
};

// Query rows of one q head.
struct DiffScope {
  std::int64_t batch = 0, head = 0;
  IndexRange rows;
};

struct DiffOptions {
  double tolerance = 0;                                      // relative to max(1, magnitude)
  std::function<void(std::int64_t, std::int64_t)> progress;  // parts done, in all
  std::optional<DiffScope> only = {};                        // nothing: all rows of all heads
};

// Tolerance that honest computations in these precisions keep to.
double diff_tolerance(const Precision& a, const Precision& b);

DiffResult diff(const Scenario& scenario, const Program& a, const OtherSide& b,
                const DiffOptions& options);

}  // namespace flashscope
