// `walk` for people: ops under their step, each changed number with its formula, and the prefix
// truth.
#pragma once

#include <cstdio>

#include "viz/terminal/screen.h"
#include "viz/views/formula.h"
#include "viz/views/walker.h"

namespace flashscope::terminal {

class WalkText {
 public:
  // `output` must outlive this. Lines take at most `width` columns.
  WalkText(const Scenario& scenario, const Program& program, const Interpreter& machine,
           std::FILE* output = stdout, int width = screen_width());

  void heading(const views::Walker& walker) const;
  void show(const views::WalkEvent& event);
  // Prints nothing, but remembers the op's factors for the formulas of later ones.
  void follow(const views::WalkEvent& event) { formulas_.changes(event); }
  void footer(const views::Walker& walker) const;

 private:
  void segment_heading(const views::WalkEvent& event) const;
  void changes(std::vector<views::Change> changes) const;
  void truth(const PrefixTruth& truth) const;

  const Scenario& scenario_;
  const Program& program_;
  std::FILE* output_;
  views::Formulas formulas_;
  int width_;
  int op_digits_;
};

}  // namespace flashscope::terminal
