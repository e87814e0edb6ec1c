// The window as a running program: Dear ImGui, a screen and the app, drawn when something happened.
// The tests run this very loop with Dear ImGui's Test Engine in it.
#pragma once

#include <filesystem>
#include <functional>

#include "viz/window/app.h"
#include "viz/window/screen.h"

namespace flashscope::window {

class Loop {
 public:
  struct Settings {
    std::filesystem::path storage;  // of preferences and layouts; empty: none are kept
    int width = 1280, height = 800;
    float scale = 0;  // 0: the screen's
    bool visible = true;
  };
  // Throws Error.
  Loop(const App::Start& start, const Settings& settings);

  App& app() { return *app_; }
  Screen& screen() { return *screen_; }

  // Until the window is closed; then layouts and preferences are kept.
  void run();
  // One frame, and the pictures that the app wants of it.
  void draw(double seconds);
  // Frames until nothing changes any more: for a picture.
  void settle();

 private:
  void take_shots();

  Gui gui_;
  std::unique_ptr<Screen> screen_;
  std::unique_ptr<App> app_;
  std::string title_;
};

}  // namespace flashscope::window
