// What the answer would be, had the softmax ended after the keys consumed so far: fp64 attention
// over exactly those keys, beside what the running state says (the table's `estimate`: O / l and m
// + ln l). This is how one sees at which tile an online softmax goes wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/machine/interpreter.h"
#include "sim/scenario/scenario.h"

namespace flashscope {

struct PrefixTruth {
  struct Row {
    std::int64_t row = 0;  // of the head (packed)
    std::vector<double> o_here, o_true;
    double lse_here = 0, lse_true = 0;
  };
  std::vector<IndexRange> keys;  // consumed, in the order of the visits
  std::vector<Row> rows;
};

// Whether behind the last op of this segment the state reads as an answer over the keys so far: a
// step over kv tiles that moves the running sum.
bool has_prefix_truth(const Program& program, const Segment& segment);

// The keys that the q tile (and split) of a step has consumed once the step is done.
std::vector<IndexRange> consumed_keys(const Program& program, const Segment& segment);

// For some (packed) rows of the segment's q tile, all held by it. The tiles must be as the last op
// of the segment leaves them. Needs has_prefix_truth(). Costs rows x keys x head_dim.
PrefixTruth prefix_truth(const Scenario& scenario, const Program& program,
                         const Interpreter& machine, const Segment& segment,
                         std::span<const std::int64_t> rows);

// How far an honest state may be off, for values of size `magnitude`: from the roundings of P, S
// and O in this precision.
double truth_tolerance(const Precision& precision, double magnitude);

// The first row that is off by more, and what of it; nothing when all agree.
struct Departure {
  std::int64_t row = 0;
  std::int64_t column = -1;  // of O; -1: it is m + ln l
  double here = 0, truth = 0;
};
std::optional<Departure> first_departure(const PrefixTruth& truth, const Precision& precision);

}  // namespace flashscope
