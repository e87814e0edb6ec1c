// Faults of the online softmax itself: the running max m, the running sum l and the accumulator O.
// All are edits of lines; the alternatives of a form are those for fa2 and split_kv, fa1 and
// standard.
#include "sim/attention/fault_catalogue.h"

namespace flashscope {
namespace {

constexpr std::string_view kNewMax = "m_new = max(m, rowmax S)";
constexpr std::string_view kFa2Sum = "l = alpha * l + rowsum P";
constexpr std::string_view kFactor = "alpha = exp(m - m_new)";
constexpr std::string_view kRescale = "O = alpha * O";
constexpr std::string_view kAccumulate = "O = O + P V";
// fa1 keeps O normalised: its rescale multiplies the old sum back in.
constexpr std::string_view kFa1Shrink = "l = alpha * l";
constexpr std::string_view kFa1Rescale = "O = l * O";

std::vector<Fault> maximum_faults() {
  return {
      {"no_max_subtraction",
       FaultKind::fault,
       FaultNeeds::nothing,
       "P = exp(S), with no maximum taken off",
       "small random scores stay far below 88, where e^x leaves fp32 (11 in fp16)",
       "inf or NaN in rows with large scores; exact everywhere else",
       {{"", {{{kNewMax, "m_new = 0"}}, {{"m = rowmax S_row", "m = 0"}}}}}},
      {"max_not_carried",
       FaultKind::fault,
       FaultNeeds::nothing,
       "every tile subtracts its own maximum, and nothing is rescaled",
       "one kv tile holds all keys of a small test",
       "tiles with small scores weigh too much; right where one tile holds all keys",
       {{"",
         {{{kNewMax, "m_new = rowmax S"}, {kFa2Sum, "l = l + rowsum P"}, {kRescale, ""}},
          {{kNewMax, "m_new = rowmax S"}, {kFa1Shrink, ""}}}},
        {"m is never updated, so that alpha is 0: only the last tile counts",
         {{{"m = m_new", ""}}}}}},
      {"m_init_zero",
       FaultKind::fault,
       FaultNeeds::nothing,
       "m starts at 0 instead of -inf",
       "random scores have a positive maximum in every row",
       "O = 0 or coarse where all scores of a row are far below 0",
       {{"", {{{"m = -inf", "m = 0"}}}}}},
      {"rescale_inverted",
       FaultKind::fault,
       FaultNeeds::nothing,
       "alpha = exp(m_new - m_old)",
       "a first tile with the row's maximum makes every later alpha 1",
       "rows whose maximum moves keep too much of the old tiles, often inf",
       {{"",
         {{{kFactor, "alpha = exp(m - m_new) when first\nalpha = exp(m_new - m) when not first"}}}},
        {"O alone is divided by alpha, as line 10 of FlashAttention-2's Algorithm 1 prints it",
         {{{kRescale, "O = O / alpha"}}}}}},
  };
}

std::vector<Fault> sum_faults() {
  return {
      {"l_not_rescaled",
       FaultKind::fault,
       FaultNeeds::nothing,
       "l = l + rowsum P: the old sum keeps its old maximum",
       "right while no later tile raises the maximum",
       "rows whose maximum moves come out too small, by one factor per row",
       {{"",
         {{{kFa2Sum, "l = l + rowsum P"}},
          {{kFa1Shrink, ""}, {kFa1Rescale, "O = l * O\nO = alpha * O"}}}}}},
      {"o_not_rescaled",
       FaultKind::fault,
       FaultNeeds::nothing,
       "O = O + P V without O = alpha * O before it",
       "right while no later tile raises the maximum",
       "rows whose maximum moves come out too large; LSE is right",
       {{"",
         {{{kFa2Sum, kFa2Sum}, {kRescale, ""}},
          {{kFa1Shrink, "O = l * O when not first\nl = alpha * l"}, {kFa1Rescale, ""}}}}}},
      {"normalise_every_step",
       FaultKind::fault,
       FaultNeeds::nothing,
       "O = O / l inside the loop, and again at the end",
       "the shape of the answer is right, and one tile with l near 1 is too",
       "O is too small everywhere; with one tile by a factor l",
       {{"",
         {{{kFa1Shrink, kFa1Shrink}, {"O = O / l", "O = O / l\nO = O / l when last"}},
          {{kFa2Sum, kFa2Sum}, {kAccumulate, "O = O + P V\nO = O / l"}}}}}},
      {"normalise_old_only",
       FaultKind::fault,
       FaultNeeds::nothing,
       "O = O * alpha / l + P V, and O / l at the end",
       "right when one tile holds all keys",
       "the first tiles fade, the last one is right",
       {{"", {{{kFa2Sum, kFa2Sum}, {kRescale, "O = alpha * O\nO = O / l"}}}}}},
      {"o_averaged",
       FaultKind::fault,
       FaultNeeds::nothing,
       "every tile is normalised alone, and the tiles are averaged",
       "equal or nearly equal scores give every tile the same weight",
       "right for constant scores; else tiles with small scores weigh too much",
       {{"",
         {{{kNewMax, "m_new = rowmax S"},
           {kFa2Sum, "alpha = rowsum P\nP = P / alpha\nl = l + rowsum P"},
           {kRescale, ""}},
          {{kNewMax, "m_new = rowmax S"}, {kFa1Shrink, "alpha = rowsum P\nP = P / alpha"}}}}}},
  };
}

}  // namespace

std::vector<Fault> softmax_faults() {
  std::vector<Fault> all = maximum_faults();
  for (Fault& fault : sum_faults()) all.push_back(std::move(fault));
  return all;
}

}  // namespace flashscope
