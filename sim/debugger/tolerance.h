// How far a right answer may lie from the fp64 reference, derived from the problem and its
// precision rather than picked: the larger of twice what standard attention measures in the same
// precision (scores and probabilities rounded to the dtype) and a first-order bound on the
// roundings of fp32 sums; plus the rounding of O itself.
#pragma once

#include "sim/scenario/scenario.h"

namespace flashscope {

// Bounds on what a problem computes with.
struct Magnitudes {
  double largest_score = 0;  // |scale| * max |q| * max |k|
  double largest_value = 0;  // max |V|
};
Magnitudes magnitudes(const Scenario& scenario, Format input);

struct Tolerance {
  double o = 0, lse = 0;
  double largest_o = 0;                     // no right O is larger than the largest V
  double plain_o = 0, plain_lse = 0;        // twice the measured errors of standard attention
  double rounding_o = 0, rounding_lse = 0;  // the bound
};

// plain_o, plain_lse: measured errors of standard attention in this precision.
Tolerance tolerance(const Problem& problem, const Precision& precision,
                    const Magnitudes& magnitudes, double plain_o, double plain_lse);

// |got - want|; 0 for equal infinities and where both are NaN, infinite where only one is.
double difference(double got, double want);
// The same between two wrong answers: NaN in one and inf in the other are alike, for whether inf -
// inf or inf / inf comes up depends on the order of operations.
double difference_of_wrong(double a, double b);

}  // namespace flashscope
