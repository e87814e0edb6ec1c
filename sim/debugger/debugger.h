// Breakpoints, watches and movement over a session, forwards and backwards: what a debugger does
// short of its prompt. The words are gdb's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/debugger/prefix_truth.h"
#include "sim/debugger/session.h"
#include "sim/debugger/session_view.h"

namespace flashscope {

struct Breakpoint {
  enum class Kind : std::uint8_t {
    line,       // before a line of the table executes
    operation,  // before any line of a kind executes
    condition,  // where the condition holds after an op that changes what it reads
    wrong,      // behind the first step whose state departs from the prefix truth
    watch,      // where an expression's value has changed
  };
  int id = 0;
  Kind kind = Kind::line;
  int source_line = 0;                                   // Kind::line: in the .alg text
  LineKind operation = LineKind::load;                   // Kind::operation
  std::optional<expression::StateExpression> condition;  // of all but wrong; watch: what is watched
  bool temporary = false;
  bool enabled = true;
  std::int64_t hits = 0;
  std::string text;      // as asked for
  Dependencies depends;  // of the condition
};

struct Stop {
  enum class Reason : std::uint8_t { moved, breakpoint, beginning, end };
  Reason reason = Reason::moved;
  int breakpoint = 0;  // its id
  std::string detail;  // what a watch or `wrong` saw
};

class Debugger {
 public:
  Debugger(const Scenario& scenario, const Program& program);

  Session& session() { return session_; }
  const Session& session() const { return session_; }
  const Program& program() const { return session_.program(); }
  const expression::StateVocabulary& vocabulary() const { return vocabulary_; }
  // Cost of all ops before the position.
  const Ledger& ledger() const;
  // During a step()'s `executed`: the op itself included.
  const Ledger& ledger_so_far() const { return *ledger_; }
  // First op of the step where a q tile of the present batch and head meets a kv tile. Throws Error
  // when it never does.
  std::int64_t op_of_tile(std::int64_t q_tile, std::int64_t kv_tile) const;
  SessionView view() const {
    return {session_, [this]() -> const Ledger& { return ledger(); }};
  }

  // Parses `LINE|KIND|wrong [if EXPR]`, or `if EXPR` alone. LINE is a line number of the table, or
  // the beginning of a statement's text. Throws Error.
  int add_breakpoint(const std::string& where, bool temporary);
  int add_watch(const std::string& expression);
  void remove_breakpoint(int id);  // throws Error when there is none
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }

  // One op on; `executed` as in Session::step().
  void step(const std::function<void()>& executed = {});
  // The same, and the breakpoint that the new position hits.
  std::optional<Stop> step_and_check(const std::function<void()>& executed);
  // To exactly this op, past breakpoints.
  Stop go_to(std::int64_t op);
  // Forwards to `target` or the first breakpoint on the way, whichever comes first.
  Stop run_to(std::int64_t target);
  // Backwards to `target` or the last breakpoint before the position.
  Stop run_back_to(std::int64_t target);

 private:
  struct Hit {
    std::int64_t position = 0;
    int breakpoint = 0;
    std::string detail;
  };
  std::optional<Hit> hit_here(std::vector<std::string>& watched);
  bool may_have_changed(const Breakpoint& breakpoint) const;
  bool place_matches(const Breakpoint& breakpoint) const;
  std::vector<std::string> watched_values() const;
  Stop stop_at(const Hit& hit);
  std::optional<Departure> departure(const Segment& finished) const;
  Breakpoint parse_place(const std::string& place) const;

  const Scenario& scenario_;
  Session session_;
  expression::StateVocabulary vocabulary_;
  mutable std::optional<Ledger> ledger_;  // of ledger_position_
  mutable std::int64_t ledger_position_ = -1;
  std::vector<Breakpoint> breakpoints_;
  int next_id_ = 1;
  // What the last op did; after a jump, anything may have changed.
  std::optional<Departure> departure_;  // of a step whose last op it was
  int written_ = -1;                    // the on-chip buffer it wrote
  bool entered_segment_ = true;
  bool jumped_ = true;
};

}  // namespace flashscope
