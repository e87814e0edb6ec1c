// What B is: the running program with one thing changed, chosen from lists.
#pragma once

#include <string>

#include "viz/window/panel.h"

namespace flashscope::window {

class CompareChoice {
 public:
  // Fits the choice to another program: what cannot be kept goes back to its beginning.
  void adapt(const Context& context);
  // Draws the controls; true when the choice was changed.
  bool draw();
  // The options of B. Throws Error when a list's word does not fit; most contradictions are found
  // by set_up() only.
  ProblemOptions options(const Context& context) const;
  // "fault o_not_rescaled", "kv tiles of 32": what B has that A has not.
  std::string text() const;

 private:
  enum class Kind : int { fault, algorithm, precision, tiles, kv_order };
  bool draw_value();

  Kind kind_ = Kind::fault;
  std::string fault_ = "o_not_rescaled";  // empty: none
  std::string algorithm_ = "fa1", stage_ = "accumulator", format_ = "fp16", order_ = "descending";
  int q_tile_ = 0, kv_tile_ = 0;
};

}  // namespace flashscope::window
