// The window on the screen, and pictures of it: GLFW and OpenGL 3 under Dear ImGui.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct GLFWwindow;

namespace flashscope::window {

// RGB, rows from the top.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
  // The part inside the rectangle, clipped to the picture.
  Picture cropped(int x, int y, int crop_width, int crop_height) const;
};

// Throws Error when the file can't be written; nothing half-written stays.
void write_png(const Picture& picture, const std::string& path);

class Screen {
 public:
  // Needs a Gui. Throws Error when there is no display or no OpenGL 3, naming the commands that
  // need neither. A hidden screen is for pictures only.
  Screen(const std::string& title, int width, int height, bool visible);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool should_close() const;
  void set_title(const std::string& title);
  void resize(int width, int height);
  // Pixels per 1/96 inch, as the system says.
  float scale() const;

  // Returns when there was an event, or after `seconds`; 0: at once.
  void wait_for_events(double seconds);
  std::int64_t events() const { return events_; }  // seen so far
  // Files dropped on the window since the last call.
  std::vector<std::string> take_dropped();

  // One frame: `content` makes the windows of Dear ImGui.
  void draw(const std::function<void()>& content);
  Picture picture();  // of the last frame

 private:
  void make_target(int width, int height);

  GLFWwindow* window_ = nullptr;
  bool visible_ = false;
  std::int64_t events_ = 0;
  std::vector<std::string> dropped_;
  // A hidden window's own pixels are undefined: pictures are drawn into a buffer of our own.
  unsigned framebuffer_ = 0, color_ = 0;
  int target_width_ = 0, target_height_ = 0;
};

}  // namespace flashscope::window
