// Faults of masks and of the loops that rely on them, and the conventions of catalogue entries:
// which keys count as hidden, what hidden scores become, and which kv tiles a loop visits.
#include <limits>

#include "sim/attention/fault_catalogue.h"

namespace flashscope {
namespace {

constexpr std::string_view kFa2SumText = "l = alpha * l + rowsum P";
constexpr float kSentinel = -1e9F;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Changes every `mask` line of the buffer; says so in the line's text.
std::string set_mask(Algorithm& algorithm, std::string_view buffer, std::optional<float> hidden,
                     std::optional<float> past_end, std::string_view note) {
  bool found = false;
  for (Line& line : algorithm.lines) {
    if (line.kind != LineKind::mask ||
        algorithm.buffers[static_cast<std::size_t>(line.result)].name != buffer) {
      continue;
    }
    line.hidden = hidden;
    line.past_end = past_end;
    line.text += note;
    found = true;
  }
  return found ? "" : "it has no line `mask " + std::string(buffer) + "`";
}

std::string write_sentinel(Algorithm& algorithm) {
  return set_mask(algorithm, "S", kSentinel, kSentinel, " with -1e9");
}

std::string hide_after_softmax(Algorithm& algorithm) {
  const std::string why = set_mask(algorithm, "S", std::nullopt, -kInfinity, " past the end only");
  return why.empty() ? set_mask(algorithm, "P", 0.0F, std::nullopt, " with 0") : why;
}

std::string forget_tail(Algorithm& algorithm) {
  for (const Buffer& buffer : algorithm.buffers) {
    if (buffer.place == Place::hbm && buffer.columns == Dim::kv_len) {
      return "its scores lie in HBM, where the tail's are not stored";
    }
  }
  algorithm.behaviour.masks_tail = false;
  return set_mask(algorithm, "S", -kInfinity, -kInfinity, " but not the tail");
}

std::string visit(Algorithm& algorithm, CausalLoop loop) {
  bool skips = false;
  for (const Phase& phase : algorithm.phases) {
    skips = skips || (phase.step_visit == Visit::non_empty &&
                      (phase.step_axis == StepAxis::kv_tile || phase.row_axis == RowAxis::kv_tile));
  }
  for (const Phase& phase : algorithm.phases) {
    if (phase.step_axis == StepAxis::kv_tile && phase.step_visit == Visit::all) skips = false;
  }
  if (!skips) return "its loops visit every tile";
  algorithm.behaviour.causal_loop = loop;
  return "";
}

// The two stages are two loops over keys inside a q tile.
std::string visit_in_stages(Algorithm& algorithm, CausalLoop loop) {
  for (const Phase& phase : algorithm.phases) {
    if (phase.row_axis == RowAxis::kv_tile) return "its outer loop runs over keys, in one stage";
  }
  return visit(algorithm, loop);
}

std::vector<Fault> hiding_faults() {
  return {
      {"mask_after_softmax",
       FaultKind::fault,
       FaultNeeds::hidden_keys,
       "P = softmax(S), then P = 0 where the mask hides",
       "right without a mask, and rows that see all keys are right with one",
       "rows sum to less than 1: O is too small, most where most keys are hidden",
       {{"",
         {{{kFa2SumText, "l = alpha * l + rowsum P\nmask P when not full"}},
          {{"l = l + rowsum P", "l = l + rowsum P\nmask P when not full"}},
          {{"load P", "load P\nmask P when not full"}}},
         hide_after_softmax},
        {"hidden tiles count too",
         {{{"for kv_tile", "for all kv_tile"},
           {kFa2SumText, "l = alpha * l + rowsum P\nmask P when not full"}}},
         hide_after_softmax}}},
      {"sentinel_fully_masked_row",
       FaultKind::fault,
       FaultNeeds::empty_rows,
       "hidden scores are -1e9 instead of -inf",
       "e^-1e9 is 0 in every row that sees a key",
       "rows that see no key give mean(V) instead of 0, LSE near -1e9",
       {{"",
         {{{"for kv_tile", "for all kv_tile"}, {"O = alpha * O", "O = alpha * O"}},
          {{"l = alpha * l", "l = alpha * l"}}},  // fa1 has no loop over all tiles
         write_sentinel},
        {"over the visited tiles only", {{}}, write_sentinel}}},
      {"tail_not_masked",
       FaultKind::fault,
       FaultNeeds::tail,
       "the zero-filled keys past the end are scored like keys",
       "lengths in tests are multiples of the tile",
       "O shrinks towards 0 and LSE grows; right when kv_tile divides kv_len, or under a causal "
       "mask",
       {{"", {{}}, forget_tail}}},
      {"causal_off_by_one",
       FaultKind::fault,
       FaultNeeds::causal,
       "k <= q + 1, or k < q",
       "long rows hardly change; a model trained with k <= q + 1 even looks better",
       "early rows are wrong most: row 0 sees one key too many, or none",
       {{"",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.causal_shift = 1;
           return std::string();
         }},
        {"each row misses its own key",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.causal_shift = -1;
           return std::string();
         }}}},
  };
}

std::vector<Fault> loop_faults() {
  return {
      {"causal_skip_inverted",
       FaultKind::fault,
       FaultNeeds::causal,
       "if (k_start <= q_end) continue: the wrong tiles are skipped",
       "right while one kv tile holds all keys",
       "every row sees the keys of its diagonal tile only",
       {{"", {{}}, [](Algorithm& a) { return visit(a, CausalLoop::beyond_diagonal); }},
        {"tiles past the diagonal count as full",
         {{}},
         [](Algorithm& a) { return visit(a, CausalLoop::beyond_diagonal_unmasked); }}}},
      {"diagonal_tile_skipped",
       FaultKind::fault,
       FaultNeeds::causal,
       "the loop ends at q_start / kv_tile, before the diagonal",
       "rows far down the matrix change little",
       "the first rows are 0 with LSE = -inf; each row misses its latest keys",
       {{"", {{}}, [](Algorithm& a) { return visit(a, CausalLoop::diagonal_left_out); }},
        {"only the last tile",
         {{}},
         [](Algorithm& a) { return visit(a, CausalLoop::last_left_out); }}}},
      {"stage_ranges_overlap",
       FaultKind::fault,
       FaultNeeds::causal,
       "the stages before and on the diagonal meet at q_start, rounded up in one and down in the "
       "other",
       "kv_tile divides q_tile in every test",
       "q tiles that begin inside a kv tile count its keys twice, or not at all",
       {{"", {{}}, [](Algorithm& a) { return visit_in_stages(a, CausalLoop::stages_overlap); }},
        {"the tile where they meet is left out",
         {{}},
         [](Algorithm& a) { return visit_in_stages(a, CausalLoop::stages_leave_hole); }}}},
  };
}

}  // namespace

std::vector<Fault> mask_faults() {
  std::vector<Fault> all = hiding_faults();
  for (Fault& fault : loop_faults()) all.push_back(std::move(fault));
  return all;
}

std::vector<Fault> conventions() {
  return {
      {"causal_top_left",
       FaultKind::convention,
       FaultNeeds::unequal_causal,
       "row r sees keys <= r, whatever the lengths (PyTorch's is_causal)",
       "equal lengths make both alignments one",
       "as if keys were appended: the last keys, or the last rows' view of them, differ",
       {{"",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.causal_is_top_left = true;
           return std::string();
         }}}},
      {"lse_base2",
       FaultKind::convention,
       FaultNeeds::nothing,
       "LSE as a logarithm to base 2",
       "O does not change",
       "every LSE is 1.4427 times as large",
       {{"",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.lse = LseForm::base_2;
           return std::string();
         }}}},
      {"lse_plus_inf_on_empty_rows",
       FaultKind::convention,
       FaultNeeds::empty_rows,
       "LSE = +inf where a row sees no key (FlashAttention-2)",
       "the backward pass wants e^(S - LSE) = 0 there",
       "O and all other LSE are right",
       {{"",
         {{}},
         [](Algorithm& algorithm) {
           algorithm.behaviour.lse = LseForm::infinite_when_empty;
           return std::string();
         }}}},
      {"mean_v_on_empty_rows",
       FaultKind::convention,
       FaultNeeds::empty_rows,
       "a row that sees no key weighs all keys alike (frameworks that mask with a finite number)",
       "rows that see a key are right",
       "rows that see no key hold the mean of V",
       {{"",
         {{{"for kv_tile", "for all kv_tile"}, {"O = alpha * O", "O = alpha * O"}},
          {{"load S_row from S", "load S_row from S"}}},
         [](Algorithm& algorithm) {
           return set_mask(algorithm, "S", kSentinel, -kInfinity, " with -1e9, the tail with -inf");
         }}}},
  };
}

}  // namespace flashscope
