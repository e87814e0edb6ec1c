// The parts of the SRAM budget panel: a tiling's needs, and the choice of another tiling.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/fit.h"
#include "viz/views/budget_view.h"
#include "viz/window/panel.h"

namespace flashscope::window {

// "48 KiB", "24 B": exact where it is a whole number of KiB.
std::string kib(std::int64_t bytes);

// Bars and tables, phase by phase.
void draw_needs(const Context& context, const views::BudgetView& view);

// Which tiles to look at, by steppers, a map and a list of the best: the user's choice is written
// to `tiling`.
void draw_steppers(const Context& context, Tiling& tiling);

class TilingChoice {
 public:
  void draw_map(const Context& context, Placement placement, Tiling& tiling);
  void draw_best(const Context& context, Placement placement, Tiling& tiling);

 private:
  void follow(const Context& context, Placement placement);

  std::optional<std::uint64_t> program_version_;
  Placement placement_ = Placement::kernel;
  views::FitMap map_;
  std::optional<std::vector<FitCandidate>> best_;  // once ranked
};

}  // namespace flashscope::window
