// Inputs that reveal faults; see revealing.h.
#include "sim/scenario/revealing.h"

#include <vector>

#include <fmt/format.h>

namespace flashscope {
namespace {

constexpr std::int64_t kLength = 150, kShorter = 90, kHeadDim = 16;
constexpr std::uint32_t kStreamQ = 0, kStreamK = 1, kStreamV = 2;
constexpr std::uint64_t kSeed = 7;

// Elements are spread * N(0, 1) + middle; q and k have another middle in their first column, which
// shifts all scores alike.
struct Values {
  double q_spread = 2, k_spread = 1, v_spread = 1;
  double q_first = 0, k_first = 0, v_middle = 1;
  // Of every second query row, so that faults of the same symptom part there.
  double odd_q_spread = 2, odd_q_first = 0;
};

Values values_for(const Fault& fault) {
  Values values;
  if (fault.name == "no_max_subtraction") values.q_spread = 60;  // scores beyond e^x's range
  if (fault.name == "m_init_zero") {  // all scores near -200, where e^x is 0
    values.q_spread = 0.5;
    values.q_first = 20;
    values.k_first = -40;
    values.odd_q_first = -20;  // and +200
  }
  if (fault.name == "accumulate_in_fp16") {  // sums of V beyond 65504
    values.q_spread = values.odd_q_spread = 0.25;
    values.v_spread = 100;
    values.v_middle = 1000;
  }
  return values;
}

// What each row of a tensor is drawn from.
struct RowValues {
  double spread = 1, middle = 0, first = 0;
};

Tensor draw(const Shape& shape, std::uint32_t stream, const RowValues& even, const RowValues& odd) {
  Tensor tensor(Format::fp32, shape);
  std::vector<float> row(static_cast<std::size_t>(shape[3]));
  for (std::int64_t n = 0; n < shape[0] * shape[1] * shape[2]; ++n) {
    const RowValues& from = n % shape[2] % 2 == 0 ? even : odd;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const auto index = static_cast<std::uint64_t>(n * shape[3]) + c;
      row[c] = static_cast<float>(from.spread * normal(kSeed, stream, index) + from.middle +
                                  (c == 0 ? from.first : 0));
    }
    const std::int64_t head = n / shape[2];
    tensor.write_row(head / shape[1], head % shape[1], n % shape[2], row);
  }
  return tensor;
}

Mask hiding_mask(const Fault& fault) {
  Mask mask;
  if (fault.needs == FaultNeeds::hidden_keys) {
    mask.window_left = 40;
    mask.window_right = 10;
  }
  if (fault.needs == FaultNeeds::empty_rows) {
    mask.expression = expression::MaskExpression::parse("q % 5 != 3");
  }
  return mask;
}

}  // namespace

bool can_show(const Fault& fault, bool causal) {
  switch (fault.needs) {
    case FaultNeeds::causal:
    case FaultNeeds::unequal_causal:
      return causal;
    case FaultNeeds::tail:
      return !causal;  // keys past the end lie right of the diagonal
    case FaultNeeds::nothing:
    case FaultNeeds::hidden_keys:
    case FaultNeeds::empty_rows:
    case FaultNeeds::several_kv_heads:
    case FaultNeeds::several_heads:
      break;
  }
  return true;
}

Scenario revealing_scenario(const Fault& fault, bool causal, Format dtype) {
  Scenario scenario;
  scenario.title = fmt::format("reveals {}", fault.name);
  Problem& problem = scenario.problem;
  problem.q_heads = 4;
  problem.kv_heads = 2;
  problem.q_len = problem.kv_len = kLength;
  problem.head_dim = kHeadDim;
  problem.scale = default_scale(kHeadDim);
  problem.dtype = dtype;
  if (causal) {
    problem.mask.causal = true;
    if (fault.needs == FaultNeeds::unequal_causal) problem.q_len = kShorter;
    if (fault.needs == FaultNeeds::empty_rows) problem.kv_len = kShorter;
  } else {
    problem.mask = hiding_mask(fault);
  }
  const Values values = values_for(fault);
  const Shape q{1, problem.q_heads, problem.q_len, kHeadDim};
  const Shape kv{1, problem.kv_heads, problem.kv_len, kHeadDim};
  const RowValues k_rows{values.k_spread, 0, values.k_first};
  const RowValues v_rows{values.v_spread, values.v_middle, 0};
  scenario.inputs = {draw(q, kStreamQ, {values.q_spread, 0, values.q_first},
                          {values.odd_q_spread, 0, values.odd_q_first})
                         .view(),
                     draw(kv, kStreamK, k_rows, k_rows).view(),
                     draw(kv, kStreamV, v_rows, v_rows).view()};
  return scenario;
}

Tiling revealing_tiling() {
  Tiling tiling;
  tiling.q_tile_rows = 32;
  tiling.kv_tile_rows = 64;
  return tiling;
}

}  // namespace flashscope
