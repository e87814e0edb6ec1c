// Steps an interpreter through the ops of one or more work items, and hands each op to a listener
// with what it changed. Both faces of `walk` (text and JSON) listen here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/debugger/prefix_truth.h"
#include "sim/machine/interpreter.h"
#include "sim/scenario/scenario.h"

namespace flashscope::views {

struct WalkOptions {
  std::optional<std::int64_t> work_item;  // else: everything that one q tile goes through
  std::int64_t head = 0;                  // when no work item is named
  std::vector<std::int64_t> rows;         // (packed) rows of the head to show; empty = chosen
  std::int64_t from_op = 0;
  std::int64_t to_op = INT64_MAX;  // inclusive
};

struct WalkEvent {
  const Line* line = nullptr;
  const Segment* segment = nullptr;
  std::int64_t op = 0;
  bool first_of_segment = false;
  const Tile* before = nullptr;    // the result tile before the op
  const Tile* after = nullptr;     // and after it
  std::vector<std::int64_t> rows;  // the rows shown that this op's q tile holds
  std::int64_t copied_bytes = 0;
  std::int64_t load_bytes = 0, store_bytes = 0;  // so far, init included
  const PrefixTruth* truth = nullptr;            // behind the last op of a step
};

class Walker {
 public:
  using Listener = std::function<void(const WalkEvent&)>;

  Walker(const Scenario& scenario, const Program& program, const WalkOptions& options);

  // Throws Error when the options name what does not exist.
  void walk(const Listener& listener);

  const Interpreter& interpreter() const { return interpreter_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }
  const Chain& chain() const { return chain_; }
  // The work items that are walked, all of them in this head.
  const std::set<std::int64_t>& work_items() const { return work_items_; }
  bool whole_head() const { return whole_head_; }
  std::int64_t ops_seen() const { return ops_seen_; }
  const Ledger& ledger() const { return ledger_; }

 private:
  void choose();
  void add_work_items_of_head();
  void execute(const Segment& segment, const Listener& listener);
  std::vector<std::int64_t> rows_in(const Segment& segment) const;

  const Scenario& scenario_;
  const Program& program_;
  WalkOptions options_;
  Outputs outputs_;
  Interpreter interpreter_;
  Ledger ledger_;
  Chain chain_;
  bool whole_head_ = false;  // a work item is all of a head: other q tiles take part
  std::set<std::int64_t> work_items_;
  std::vector<std::int64_t> rows_;
  std::int64_t ops_seen_ = 0;
};

}  // namespace flashscope::views
