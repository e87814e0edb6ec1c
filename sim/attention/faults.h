// The faults people really write into attention kernels, and the conventions that look like faults.
// A fault is an edit of the Algorithm: of lines of its table, or of its Behaviour. So every one of
// them can be run, walked, counted and recognised (sim/debugger/diagnose.h) like any honest
// algorithm. Left out: faults that no sequence of ops shows, such as races that differ from run to
// run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/attention/algorithm.h"

namespace flashscope {

// convention: right, but by another definition of the answer than FlashScope's.
enum class FaultKind : std::uint8_t { fault, convention };

// What a problem must have for the fault to make a difference.
enum class FaultNeeds : std::uint8_t {
  nothing,
  causal,
  unequal_causal,    // causal, q_len != kv_len
  hidden_keys,       // a mask that hides something
  empty_rows,        // rows that see no key
  tail,              // kv_tile does not divide kv_len
  several_kv_heads,  // kv_heads > 1, q_heads a larger multiple
  several_heads,     // kv_heads > 1
};

// Statements of a table's text (without indent and condition) and what stands there instead, one
// statement a line; "" removes it. A condition of the old line carries over to new ones without
// their own.
struct TextEdit {
  std::string_view statement;
  std::string_view replacement;
};

// One way in which the fault is written. `tables` are alternatives: the first whose statements all
// occur in the algorithm applies (an empty one always does). `adjust` edits what is no text, and
// returns why it does not apply, or "".
struct FaultForm {
  std::string_view note;  // what tells this form apart; "" for the first
  std::vector<std::vector<TextEdit>> tables = {{}};
  std::string (*adjust)(Algorithm&) = nullptr;
};

struct Fault {
  std::string_view name;
  FaultKind kind = FaultKind::fault;
  FaultNeeds needs = FaultNeeds::nothing;
  std::string_view what_people_wrote;
  std::string_view why_it_passes;  // the tests that people have
  std::string_view signature;      // by what to recognise it
  std::vector<FaultForm> forms;    // the first is what apply_fault() by name takes
};

// The whole catalogue, faults before conventions.
std::span<const Fault> faults();

// Throws Error; an unknown name is answered with the nearest.
const Fault& find_fault(std::string_view name);

// Whether the fault can change the answer of this problem at some tiling, and where it does in
// words.
bool can_show_on(const Fault& fault, const Problem& problem);
std::string_view shows_where(FaultNeeds needs);

// Throws Error when the fault does not apply to this algorithm, saying why.
void apply_fault(Algorithm& algorithm, std::string_view name);
void apply_fault(Algorithm& algorithm, const Fault& fault, const FaultForm& form);

}  // namespace flashscope
