// Colours and fonts of the window. One colour stands for one thing in every panel: each tensor has
// its own, from a palette that colour-blind people can tell apart (Okabe and Ito, "Color universal
// design", 2008). Left out: sizes, which follow the font (ImGui::GetFontSize()).
#pragma once

#include <imgui.h>
#include <string_view>

#include "sim/attention/tile_plan.h"

namespace flashscope::window {

struct Theme {
  bool dark = true;
  ImU32 text = 0, text_dim = 0;
  ImU32 background = 0;  // of a drawing
  ImU32 surface = 0;     // of something that lies on it: a memory, a box
  ImU32 line = 0;        // frames and grids
  ImU32 accent = 0;      // the current op, tile, row
  ImU32 good = 0, bad = 0;
  ImU32 empty_tile = 0, partial_tile = 0, full_tile = 0;
  ImFont* sans = nullptr;
  ImFont* mono = nullptr;  // numbers and code

  static Theme make(bool dark);  // without fonts

  // By a buffer's name: Q K V S P O and their relatives (O_part), else that of the softmax state.
  ImU32 tensor(std::string_view buffer) const;
  ImU32 tile_class(TileClass tile_class) const;
  // Values from 0 to 1, even in lightness (after cividis: Nunez, Anderton and Renslow 2018).
  ImU32 heat(double value) const;
  // Values from -1 to 1: blue below zero, orange above, the background's tone at zero.
  ImU32 diverging(double value) const;
  // Black or white, whichever reads better on `color`.
  static ImU32 ink_on(ImU32 color);
  static ImU32 faded(ImU32 color, float alpha);
};

// Text, frames and plots of Dear ImGui and ImPlot in the theme's colours. `scale`: of all sizes.
void apply(const Theme& theme, float scale);

}  // namespace flashscope::window
