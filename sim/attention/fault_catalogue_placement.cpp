// Faults of what is read and at which scale and precision: scale factors, head maps, stale tiles,
// strides, layouts, the format of the accumulator.
#include "sim/attention/fault_catalogue.h"

namespace flashscope {
namespace {

constexpr std::string_view kScores = "S = scale * Q K'";
constexpr std::string_view kScale = "S = scale * S";

std::vector<Fault> scale_faults() {
  return {
      {"scale_missing",
       FaultKind::fault,
       FaultNeeds::nothing,
       "S = Q K' without scale",
       "head_dim 1, or a test that passes scale = 1",
       "the softmax is too sharp: O moves towards single rows of V",
       {{"", {{{kScores, "S = Q K'"}}, {{kScale, ""}}}}}},
      {"scale_twice",
       FaultKind::fault,
       FaultNeeds::nothing,
       "Q is scaled as it is loaded, and S again",
       "head_dim 1, or a test that passes scale = 1",
       "the softmax is too flat: O moves towards the mean of V",
       {{"",
         {{{kScores, "S = scale * Q K'\nS = scale * S"}},
          {{kScale, "S = scale * S\nS = scale * S"}}}}}},
      {"scale_base2_mixed",
       FaultKind::fault,
       FaultNeeds::nothing,
       "exp2(S - m) where S was not multiplied by log2 e",
       "weights keep their order and sum to 1",
       "the softmax is too flat, as if the scale were ln 2 times as large",
       {{"",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.tile_exponent_base_2 = true;
           algorithm.behaviour.factor_exponent_base_2 = true;
           return std::string();
         }},
        {"only the weights; alpha is e^x",
         {{{"alpha = exp(m - m_new)", "alpha = exp(m - m_new)"}}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.tile_exponent_base_2 = true;
           return std::string();
         }}}},
      {"accumulate_in_fp16",
       FaultKind::fault,
       FaultNeeds::nothing,
       "O is summed in fp16",
       "short rows of small values stay below 65504 with digits to spare",
       "inf for long rows of large values, else noise of 1e-3 that grows with kv_len",
       {{"",
         {{{"cast O to accumulator", "cast O to accumulator"}}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.accumulate_in_fp16 = true;
           return std::string();
         }}}},
  };
}

std::vector<Fault> address_faults() {
  return {
      {"gqa_modulo",
       FaultKind::fault,
       FaultNeeds::several_kv_heads,
       "q head h reads kv head h % kv_heads",
       "right for kv_heads = 1 and for kv_heads = q_heads",
       "some heads are exactly right, the others exactly another head's",
       {{"",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.kv_head_modulo = true;
           return std::string();
         }}}},
      {"stale_kv_tile",
       FaultKind::fault,
       FaultNeeds::nothing,
       "a barrier is missing: step j multiplies with the K of step j - 1",
       "right when one tile holds all keys, and on a lucky run",
       "the weights of tile j are those of tile j - 1",
       {{"",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.stale_k = true;
           return std::string();
         }},
        {"V is stale",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.stale_v = true;
           return std::string();
         }},
        {"K and V are stale",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.stale_k = algorithm.behaviour.stale_v = true;
           return std::string();
         }}}},
      {"kv_strides_swapped",
       FaultKind::fault,
       FaultNeeds::several_heads,
       "K, stored (b,h,s,d), is read with the strides of V, stored (b,s,h,d), and V with K's",
       "one head, or K and V stored alike",
       "shapes are right and values plausible: rows and heads are shuffled",
       {{"",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.kv_strides_swapped = true;
           return std::string();
         }}}},
      {"layout_swapped",
       FaultKind::fault,
       FaultNeeds::several_heads,
       "tensors stored (b,h,s,d) are passed as (b,s,h,d)",
       "one head, or as many heads as rows and symmetric data",
       "shapes are right; rows attend to rows of other heads",
       {{"",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.layout_swapped = true;
           return std::string();
         }}}},
  };
}

}  // namespace

std::vector<Fault> placement_faults() {
  std::vector<Fault> all = scale_faults();
  for (Fault& fault : address_faults()) all.push_back(std::move(fault));
  return all;
}

}  // namespace flashscope
