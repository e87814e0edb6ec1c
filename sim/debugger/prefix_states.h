// What the rows of one chain read as after each step: m + ln l and O / l beside the keys consumed
// so far. Two programs, or a program and a kernel's trace, are compared where the key sets are
// equal, whatever their tilings and orders.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/machine/interpreter.h"
#include "sim/scenario/scenario.h"

namespace flashscope {

// Sorted, disjoint, neighbours joined: equal sets compare equal.
using KeySet = std::vector<std::pair<std::int64_t, std::int64_t>>;
KeySet key_set(std::vector<IndexRange> ranges);

struct PrefixState {
  std::int64_t op = 0;  // the last op of the step; of a final result, the chain's last op
  bool final = false;   // O and LSE as stored, over all keys
  KeySet keys;
  double lse = 0;
  std::vector<double> o;  // (head_dim); empty in a trace without O
};

// States by query row of one q head, in the order of the program.
using RowStates = std::map<std::int64_t, std::vector<PrefixState>>;

// Runs the chains of one batch and q head whose q tiles hold some of the rows. Steps are recorded
// where the table has an estimate; final results always.
RowStates record_states(const Scenario& scenario, const Program& program, std::int64_t batch,
                        std::int64_t q_head, IndexRange rows);

}  // namespace flashscope
