// The real window under Dear ImGui Test Engine: a window::Loop with an engine in it, and what a
// person does with mouse and keyboard, as calls. Items are named by paths as in the engine's wiki:
// "//Controls/Problem/##q-len", with a wildcard where a panel has parts: "//Program/**/##line_7".
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/io/io_test_support.h"
#include "viz/window/loop.h"

struct ImGuiTestContext;
struct ImGuiTestEngine;

namespace flashscope::window_tests {

using namespace flashscope::window;

// Makes a new folder the process's working one, where the window writes pictures and sessions.
class WorkingFolder {
 public:
  WorkingFolder() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_.path());
  }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;
  ~WorkingFolder() { std::filesystem::current_path(before_); }
  std::string operator/(const std::string& name) const { return folder_ / name; }
  const std::string& path() const { return folder_.path(); }
  // Names of the files in it with this extension, sorted.
  std::vector<std::string> files(const std::string& extension) const;

 private:
  io::TemporaryFolder folder_;
  std::filesystem::path before_;
};

// What a person does. Every call takes as many frames as it needs; an item that isn't there, or
// can't be reached, ends the test.
class Person {
 public:
  Person(ImGuiTestContext& context, App& app) : context_(context), app_(app) {}

  void click(const std::string& item);
  // Within the item's rectangle: (0, 0) is its upper left, (1, 1) its lower right corner.
  void click_at(const std::string& item, float x, float y);
  void right_click_at(const std::string& window, float x, float y);
  void hover_at(const std::string& item, float x, float y);
  void drag(const std::string& item, float from_x, float to_x);
  void press(ImGuiKeyChord key);
  void type(const std::string& text);                               // into what has the focus
  void enter(const std::string& field, const std::string& text);    // replaces, then Enter
  void replace(const std::string& field, const std::string& text);  // replaces, no Enter
  void choose(const std::string& combo, const std::string& item);
  void open_section(const std::string& header);
  void focus(const std::string& window);
  // A command's item in the main menu.
  void menu(const std::string& command);
  // Types the command's title into the palette.
  void palette(const std::string& command);
  void wait(int frames = 1);
  // Until nothing moves, 20 seconds at most.
  void wait_until(const std::function<bool()>& done);

  bool sees(const std::string& item);
  // Whether Enter would press it.
  bool has_focus(const std::string& item);
  ImVec4 rectangle(const std::string& item);
  std::string clipboard() const;
  void clear_clipboard();

  App& app() { return app_; }
  const Debugger& debugger() const { return app_.document().debugger(); }
  std::int64_t position() const { return debugger().session().position(); }
  const Program& program() const { return debugger().program(); }

 private:
  void check();  // throws when the engine missed something

  ImGuiTestContext& context_;
  App& app_;
};

class TestWindow {
 public:
  struct Setup {
    std::vector<std::string> options = {};  // of the problem, as typed
    std::optional<std::string> session = {}, panel = {}, lesson = {};
    std::filesystem::path progress = {};  // of lessons; empty: nothing is kept
    std::optional<Layout> layout = {};
    std::filesystem::path storage = {};  // empty: nothing is kept
    bool tour = false;
    bool visible = false;
    bool draws_every_frame = false;  // for pictures that are taken while a person acts
    int width = 1280, height = 800;
    float scale = 1;
  };
  TestWindow() : TestWindow(Setup{}) {}
  explicit TestWindow(const Setup& setup);
  ~TestWindow();
  TestWindow(const TestWindow&) = delete;
  TestWindow& operator=(const TestWindow&) = delete;

  App& app() { return loop_->app(); }
  Loop& loop() { return *loop_; }
  // Lets a person do this; what fails in it fails the test, and leaves a picture.
  void run(const std::function<void(Person&)>& actions);
  // Drops files onto the window as the system does.
  void drop(const std::vector<std::string>& paths);
  // Into the folder of pictures that tests leave.
  void keep_picture(const std::string& name);

 private:
  bool draws_every_frame_;
  ImGuiTestEngine* engine_ = nullptr;
  std::unique_ptr<Loop> loop_;
};

// The panel's index in kPanelTitles.
int panel_index(const std::string& title);

}  // namespace flashscope::window_tests
