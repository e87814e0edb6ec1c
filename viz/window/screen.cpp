// GLFW and OpenGL; see screen.h.
#include "viz/window/screen.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>
#include <png.h>

#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope::window {
namespace {

constexpr const char* kTerminalInstead =
    "the terminal shows the same: `flashscope walk`, `flashscope debug`, `flashscope count`";

std::string last_glfw_error() {
  const char* description = nullptr;
  glfwGetError(&description);
  return description == nullptr ? "no reason given" : description;
}

Screen& screen_of(GLFWwindow* window) {
  return *static_cast<Screen*>(glfwGetWindowUserPointer(window));
}

}  // namespace

Picture Picture::cropped(int x, int y, int crop_width, int crop_height) const {
  const int left = std::clamp(x, 0, width), top = std::clamp(y, 0, height);
  const int right = std::clamp(x + crop_width, left, width);
  const int bottom = std::clamp(y + crop_height, top, height);
  Picture part{right - left, bottom - top, {}};
  for (int row = top; row < bottom; ++row) {
    const auto begin = rgb.begin() + 3 * (static_cast<std::ptrdiff_t>(row) * width + left);
    part.rgb.insert(part.rgb.end(), begin, begin + std::ptrdiff_t{3} * part.width);
  }
  return part;
}

void write_png(const Picture& picture, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  const std::string part = path + ".part";
  std::error_code failed;
  if (picture.width == 0 || picture.height == 0 ||
      png_image_write_to_file(&image, part.c_str(), 0, picture.rgb.data(), 0, nullptr) == 0) {
    std::filesystem::remove(part, failed);
    throw Error(fmt::format("{}: the picture can't be written there ({})", path,
                            picture.width == 0 ? "it is empty" : image.message));
  }
  std::filesystem::rename(part, path, failed);
  if (failed) {
    const std::string reason = failed.message();
    std::filesystem::remove(part, failed);
    throw Error(fmt::format("{}: the picture can't be written there ({})", path, reason));
  }
}

Screen::Screen(const std::string& title, int width, int height, bool visible) : visible_(visible) {
  glfwSetErrorCallback(nullptr);
  if (glfwInit() != GLFW_TRUE) {
    throw Error(fmt::format("no display to open a window on ({}); {}", last_glfw_error(),
                            kTerminalInstead));
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_VISIBLE, visible ? GLFW_TRUE : GLFW_FALSE);
  window_ = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    const std::string reason = last_glfw_error();
    glfwTerminate();
    throw Error(fmt::format("no OpenGL 3.3 here ({}); {}", reason, kTerminalInstead));
  }
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(visible ? 1 : 0);
  glfwSetWindowSizeLimits(window_, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);

  // Ours first: Dear ImGui's backend calls the callbacks that it finds.
  glfwSetWindowUserPointer(window_, this);
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    for (int n = 0; n < count; ++n) screen_of(window).dropped_.emplace_back(paths[n]);
    ++screen_of(window).events_;
  });
  static constexpr auto count_event = [](GLFWwindow* window) { ++screen_of(window).events_; };
  glfwSetKeyCallback(window_, [](GLFWwindow* w, int, int, int, int) { count_event(w); });
  glfwSetCharCallback(window_, [](GLFWwindow* w, unsigned) { count_event(w); });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* w, int, int, int) { count_event(w); });
  glfwSetScrollCallback(window_, [](GLFWwindow* w, double, double) { count_event(w); });
  glfwSetCursorPosCallback(window_, [](GLFWwindow* w, double, double) { count_event(w); });
  glfwSetCursorEnterCallback(window_, [](GLFWwindow* w, int) { count_event(w); });
  glfwSetWindowFocusCallback(window_, [](GLFWwindow* w, int) { count_event(w); });
  glfwSetFramebufferSizeCallback(window_, [](GLFWwindow* w, int, int) { count_event(w); });
  glfwSetWindowRefreshCallback(window_, [](GLFWwindow* w) { count_event(w); });

  ImGui_ImplGlfw_InitForOpenGL(window_, true);
  if (!ImGui_ImplOpenGL3_Init("#version 330 core")) {
    ImGui_ImplGlfw_Shutdown();
    glfwDestroyWindow(window_);
    glfwTerminate();
    throw Error(fmt::format("OpenGL 3.3 can't be used here; {}", kTerminalInstead));
  }
}

Screen::~Screen() {
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  glfwDestroyWindow(window_);
  glfwTerminate();
}

bool Screen::should_close() const { return glfwWindowShouldClose(window_) == GLFW_TRUE; }
void Screen::set_title(const std::string& title) { glfwSetWindowTitle(window_, title.c_str()); }
void Screen::resize(int width, int height) { glfwSetWindowSize(window_, width, height); }

float Screen::scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return std::clamp(x, 0.5f, 4.0f);
}

void Screen::wait_for_events(double seconds) {
  seconds > 0 ? glfwWaitEventsTimeout(seconds) : glfwPollEvents();
}

std::vector<std::string> Screen::take_dropped() { return std::exchange(dropped_, {}); }

void Screen::make_target(int width, int height) {
  if (framebuffer_ != 0 && target_width_ == width && target_height_ == height) return;
  if (framebuffer_ == 0) {
    glGenFramebuffers(1, &framebuffer_);
    glGenRenderbuffers(1, &color_);
  }
  glBindRenderbuffer(GL_RENDERBUFFER, color_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
  target_width_ = width;
  target_height_ = height;
}

void Screen::draw(const std::function<void()>& content) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  ImGui::NewFrame();
  content();
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(window_, &width, &height);
  make_target(std::max(1, width), std::max(1, height));
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glViewport(0, 0, width, height);
  const ImVec4 color = ImGui::GetStyleColorVec4(ImGuiCol_MenuBarBg);
  glClearColor(color.x, color.y, color.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  if (!visible_) return;
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glfwSwapBuffers(window_);
}

Picture Screen::picture() {
  Picture picture{target_width_, target_height_, {}};
  const auto row_bytes = static_cast<std::size_t>(3 * picture.width);
  picture.rgb.resize(row_bytes * static_cast<std::size_t>(picture.height));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, picture.width, picture.height, GL_RGB, GL_UNSIGNED_BYTE, picture.rgb.data());
  // OpenGL's rows come from the bottom.
  for (int top = 0, bottom = picture.height - 1; top < bottom; ++top, --bottom) {
    std::swap_ranges(picture.rgb.begin() + static_cast<std::ptrdiff_t>(row_bytes) * top,
                     picture.rgb.begin() + static_cast<std::ptrdiff_t>(row_bytes) * (top + 1),
                     picture.rgb.begin() + static_cast<std::ptrdiff_t>(row_bytes) * bottom);
  }
  return picture;
}

}  // namespace flashscope::window
