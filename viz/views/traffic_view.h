// What a program has moved between HBM and SRAM up to a position, and what that is held against:
// its own total, the closed form, the papers' formulas, and other algorithms at the same progress.
// The roofline says what a device's memory and tensor cores allow at an intensity. All traffic is
// simulated, "HBM <-> SRAM, no cache". Left out: time, which none of this predicts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/attention/program.h"
#include "sim/machine/ledger.h"
#include "sim/model/device.h"
#include "viz/views/sheet.h"

namespace flashscope::views {

// Bytes of all phases, fa1's `init` included: what has really passed.
std::int64_t bytes_passed(const Ledger& ledger);

// Matmul FLOPs a byte; nothing where no byte has passed.
std::optional<double> intensity(const Ledger& ledger);

// A tensor's copies in one direction in one phase.
struct TrafficItem {
  std::string phase, tensor;
  Direction direction = Direction::load;
  std::int64_t bytes = 0;        // so far
  std::int64_t whole_bytes = 0;  // over the whole program
};

// What a paper says about the whole problem: every head the same, no mask.
struct PaperFormula {
  std::string name;              // "4N² + 4Nd"
  std::string text;              // what it means, and where it comes from
  std::int64_t bytes = 0;        // of all heads
  bool order_of_growth = false;  // the constant is left out: no figure to be equal to
};

struct TrafficView {
  std::int64_t op = 0, ops = 0;
  std::vector<TrafficItem> items;  // all that the program ever moves, as Ledger::traffic() orders
  std::int64_t bytes = 0, whole_bytes = 0;  // bytes_passed()
  std::int64_t whole_init_bytes = 0;        // the part that the formulas leave out
  Work work, whole_work;
  std::optional<std::int64_t> closed_form;  // equals whole_bytes - whole_init_bytes
  std::string no_closed_form;               // why there is none
  std::optional<PaperFormula> paper;
  std::string no_paper;  // why there is none
};

// `so_far`: of the ops before `op`; `whole`: of all ops. `device`: whose SRAM the paper's M is.
TrafficView traffic_view(const Program& program, std::int64_t op, const Ledger& so_far,
                         const Ledger& whole, const Device& device);
Sheet traffic_sheet(const TrafficView& view);

// A program's traffic over its own ops. Programs in lockstep stand at the same fraction of their
// ops.
class Lane {
 public:
  static constexpr int kPoints = 65;  // of the curve: at k / 64 of the ops

  explicit Lane(const Program& program);  // the program must outlive the lane

  const Program& program() const { return *program_; }
  std::string name() const { return program_->algorithm().full_name(); }
  const Ledger& whole() const { return whole_; }

  // The op at a fraction, 0 to 1, of the program.
  std::int64_t op_at(double fraction) const;
  // Bytes passed before op_at(k / 64), as far as they are sampled: at most kPoints.
  const std::vector<std::int64_t>& curve() const { return curve_; }
  // Adds a point to the curve; false when it is complete. A point costs one ledger_before().
  bool sample();

 private:
  const Program* program_;
  Ledger whole_;
  std::vector<std::int64_t> curve_;
};

// A lane at its place.
struct LaneState {
  std::string name;
  std::int64_t op = 0, ops = 0, bytes = 0, whole_bytes = 0;
  Work work, whole_work;
  std::optional<double> intensity, whole_intensity;
};

LaneState lane_state(const Lane& lane, std::int64_t op, const Ledger& so_far);
LaneState lane_state(const Lane& lane, double fraction);
Sheet lockstep_sheet(const std::vector<LaneState>& lanes);

// The two roofs of a device.
struct Roofline {
  double flops_per_s = 0;  // fp16 and bf16 tensor cores
  double bytes_per_s = 0;  // HBM
  explicit Roofline(const Device& device);
  // FLOPs a byte at which the roofs meet.
  double ridge() const { return flops_per_s / bytes_per_s; }
  // FLOP/s that the lower of the two roofs allows.
  double attainable(double intensity) const;
};

}  // namespace flashscope::views
