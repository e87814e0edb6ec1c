// What is wrong with somebody's attention? Given Q, K, V and the O (and LSE) that another program
// made of them: right, right by another convention, or the faults of the catalogue that reproduce
// it. Every fault is a program, so a suspicion is tested by running it: fa2 with the fault, cut
// into tiles of every usual size, on a few q tiles, compared with what was observed. Left out: two
// faults at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/attention/faults.h"
#include "sim/debugger/tolerance.h"
#include "sim/scenario/scenario.h"

namespace flashscope {

struct Observed {
  TensorView o;                   // (batch, q_heads, q_len, head_dim)
  std::optional<TensorView> lse;  // (batch, q_heads, q_len, 1)
};

struct DiagnoseOptions {
  int threads = 0;  // 0: as many as the machine has
  std::vector<std::int64_t> q_tiles = {16, 32, 64, 128, 256};
  std::vector<std::int64_t> kv_tiles = {16, 32, 64, 128, 256};
  // Where none of these tilings reproduces the output: the same from the last key to the first, as
  // FlashAttention-2's own kernel goes, and then other sizes.
  bool tries_other_tilings = true;
  // Hypotheses done, and in all; from any thread but never from two at once.
  std::function<void(std::int64_t, std::int64_t)> progress;
};

struct Candidate {
  const Fault* fault = nullptr;
  const FaultForm* form = nullptr;
  std::int64_t q_tile = 0, kv_tile = 0;
  KvOrder kv_order = KvOrder::ascending;
  double residual = 0;      // max |observed O - O with the fault| on the rows probed
  double lse_residual = 0;  // likewise; 0 when no LSE was observed
  double share = 0;         // of what rounding allows O; at most 1 reproduces
  double lse_share = 0;     // likewise
  bool reproduces = false;  // O; and LSE where that alone is wrong
  // Else O is reproduced and LSE is not: a broken kernel's m and l can mean many things.
  bool lse_fits() const { return lse_share <= 1; }
};

// A q tile of 32 rows with wrong rows in it.
struct WrongTile {
  std::int64_t batch = 0, head = 0, first_row = 0, wrong_rows = 0;
  double max_abs_error = 0;
};

struct Diagnosis {
  bool is_right = false;       // by FlashScope's definition
  bool is_convention = false;  // else: the best candidate is a convention
  double max_abs_error = 0, lse_max_abs_error = 0;
  std::int64_t batch = 0, head = 0, row = 0;  // the worst
  Tolerance tolerance;
  std::int64_t wrong_rows = 0, checked_rows = 0, total_rows = 0;
  std::vector<WrongTile> wrong_tiles;  // in their order
  std::int64_t hypotheses = 0;         // tried
  std::vector<Candidate> candidates;   // those that reproduce, best first, one a fault
  std::vector<Candidate> nearest;      // up to three that do not
  bool is_correct() const { return is_right || is_convention; }
};

// Throws Error when a shape is not the problem's. `precision` is what the other program is taken to
// compute in: default_precision() of fa2, if nothing else is known.
Diagnosis diagnose(const Scenario& scenario, const Observed& observed, const Precision& precision,
                   const DiagnoseOptions& options = {});

}  // namespace flashscope
