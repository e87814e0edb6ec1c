// The Dear ImGui and ImPlot contexts with our fonts in them. Backends (GLFW and OpenGL, or none in
// benchmarks) are attached by whoever draws.
#pragma once

#include "viz/window/theme.h"

namespace flashscope::window {

constexpr float kFontSize = 15;  // at scale 1, in pixels

class Gui {
 public:
  Gui();
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  const Theme& theme() const { return theme_; }
  // `scale`: pixels per 1/96 inch, of all sizes; `font`: a factor on top for text (and beamers).
  void set_look(bool dark, float scale, float font);

 private:
  ImFont* sans_ = nullptr;
  ImFont* mono_ = nullptr;
  Theme theme_;
};

}  // namespace flashscope::window
