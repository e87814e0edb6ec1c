// The guided tour of the first start: a minute, a few stops, each at one panel, with the thing to
// try there. It never blocks: the window works as always beneath it.
#pragma once

#include <imgui.h>

namespace flashscope::window {

class App;

class Tour {
 public:
  void start() {
    stop_ = 0;
    arrived_ = -1;
  }
  void end() { stop_ = -1; }
  bool is_running() const { return stop_ >= 0; }
  int stop() const { return stop_; }
  static int stops();
  // Title of the panel that the present stop is about; "" for none.
  const char* panel() const;
  // `rectangle`: of that panel on the screen (min, max).
  void draw(App& app, const ImVec4& rectangle);

 private:
  void arrive(App& app);

  int stop_ = -1;
  int arrived_ = -1;  // the stop whose panel was brought to the front
};

}  // namespace flashscope::window
