// `walk` for people: ops under their step, each changed number with its formula, and the prefix
// truth.
#pragma once

#include "viz/terminal/formula.h"
#include "viz/terminal/walker.h"

namespace flashscope::terminal {

class WalkText {
 public:
  WalkText(const Scenario& scenario, const Program& program, const Interpreter& machine);

  void heading(const Walker& walker) const;
  void show(const WalkEvent& event);
  // "q tile 0, kv tile 1 (keys 2-3), full"
  std::string place(const Segment& segment) const;
  void footer(const Walker& walker) const;

 private:
  void segment_heading(const WalkEvent& event) const;
  void changes(std::vector<Change> changes) const;
  void truth(const PrefixTruth& truth) const;

  const Scenario& scenario_;
  const Program& program_;
  Formulas formulas_;
  int width_;
  int op_digits_;
};

}  // namespace flashscope::terminal
