// Sizes of window and text, pictures that are kept for looking at, animations as files, and a
// window that rests when nothing happens.
#include <GLFW/glfw3.h>
#include <chrono>
#include <imgui_internal.h>
#include <thread>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/window/test_window.h"

namespace flashscope::window_tests {
namespace {

using Arguments = std::vector<std::string>;

// Something to see: a causal problem of some tiles, in the middle.
const Arguments kProblem = {"--q-len", "64",        "--head-dim", "16",      "--q-tile",
                            "16",      "--kv-tile", "8",          "--causal"};

void open_all(App& app) {
  for (int n = 0; n < static_cast<int>(kPanelTitles.size()); ++n) {
    if (!app.is_open(n)) app.toggle_panel(n);
  }
}

// Frames until nothing is left to do; the last one is drawn.
void settle(TestWindow& window) {
  window.run([](Person& p) {
    p.wait(12);
    p.wait_until([&] { return !p.app().has_unfinished_work(); });
  });
}

// Whether the picture shows more than one colour: whether anything was drawn at all.
bool shows_something(const Picture& picture) {
  for (std::size_t n = 3; n < picture.rgb.size(); ++n) {
    if (picture.rgb[n] != picture.rgb[n % 3]) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("look: the three layouts at three sizes, dark and light") {
  struct Size {
    int width, height;
    float scale;
  };
  for (const Size& size : {Size{1280, 800, 1}, Size{1920, 1080, 1}, Size{2560, 1600, 2}}) {
    TestWindow window(
        {.options = kProblem, .width = size.width, .height = size.height, .scale = size.scale});
    window.app().go_to(window.app().document().debugger().op_of_tile(2, 3) + 6);
    for (const Layout layout : kLayouts) {
      window.app().apply_layout(layout);
      settle(window);
      const Picture picture = window.loop().screen().picture();
      CHECK(picture.width == size.width);
      CHECK(picture.height == size.height);
      CHECK(shows_something(picture));
      window.keep_picture(fmt::format("{}-{}x{}", name_of(layout), size.width, size.height));
    }
    if (size.scale == 1 && size.width == 1280) {
      window.app().toggle_dark();
      window.app().apply_layout(Layout::learn);
      settle(window);
      window.keep_picture("learn-1280x800-light");
    }
  }
}

TEST_CASE("look: small windows with all panels open, and back") {
  TestWindow window({.options = kProblem});
  open_all(window.app());
  window.app().go_to(100);
  settle(window);
  const Picture before = window.loop().screen().picture();
  for (const auto& [width, height] :
       {std::pair{800, 600}, {320, 240}, {2500, 1500}, {320, 1500}, {1280, 800}}) {
    CAPTURE(width);
    window.loop().screen().resize(width, height);
    for (const Layout layout : kLayouts) {
      window.app().apply_layout(layout);
      open_all(window.app());
      window.run([](Person& p) {
        p.wait(3);
        // Every panel once in front.
        for (const char* const title : kPanelTitles) {
          ImGui::SetWindowFocus(title);
          p.wait(2);
        }
        p.press(ImGuiKey_RightArrow);
        p.press(ImGuiKey_LeftArrow);
        CHECK(p.position() == 100);
      });
      window.loop().draw(0);
      CHECK(window.loop().screen().picture().width == width);
      CHECK(window.loop().screen().picture().height == height);
    }
  }
  CHECK(window.loop().screen().picture().rgb.size() == before.rgb.size());
}

TEST_CASE("look: every panel alone, from tiny to large text") {
  TestWindow window({.options = kProblem, .width = 640, .height = 480});
  window.app().go_to(100);
  window.run([](Person& p) {
    for (int n = 0; n < static_cast<int>(kPanelTitles.size()); ++n) {
      p.app().show_in_beamer(n);
      for (int size = 0; size < 12; ++size) {
        p.app().scale_font(n % 2 == 0 ? 1 : -1);
        p.wait();
      }
      p.app().scale_font(0);
    }
    p.app().toggle_beamer();
    p.wait(2);
    CHECK_FALSE(p.app().in_beamer());
  });
}

TEST_CASE("look: problems without rows, without keys, of one element") {
  for (const Arguments& options :
       {Arguments{"--q-len", "1", "--head-dim", "1"},
        {"--q-len", "3", "--kv-len", "0"},
        {"--q-len", "4", "--mask", "k > 10"},
        {"--q-len", "8", "--algorithm", "standard"},
        {"--q-len", "8", "--algorithm", "fa1"},
        {"--q-len", "300", "--q-heads", "8", "--kv-heads", "2", "--pack-gqa"},
        {"--q-len", "65536", "--q-heads", "2"}}) {
    CAPTURE(fmt::format("{} {} {}", options[1], options[2], options[3]));
    TestWindow window({.options = options});
    open_all(window.app());
    window.run([](Person& p) {
      const std::int64_t size = p.program().size();
      for (const std::int64_t op : {std::int64_t{0}, size / 2, size}) {
        p.app().go_to(op);
        p.wait(2);
        for (const char* const title : kPanelTitles) {
          ImGui::SetWindowFocus(title);
          p.wait();
        }
        CHECK(p.position() == op);
      }
    });
  }
}

TEST_CASE("look: an animation is exported as numbered pictures") {
  const WorkingFolder folder;
  TestWindow window({.options = kProblem, .draws_every_frame = true, .width = 800, .height = 600});
  window.run([](Person& p) {
    p.app().go_to(20);
    p.press(ImGuiMod_Ctrl | ImGuiKey_E);
    p.wait(2);
    p.enter("//###dialog/##last op", "22");
    p.enter("//###dialog/##frames per op", "4");
    p.enter("//###dialog/##folder", "film");
    p.click("//###dialog/Export");
    p.wait(2);
    CHECK(p.app().is_exporting());
    p.wait_until([&] { return !p.app().is_exporting(); });
    CHECK(p.position() == 22);
  });
  for (int n = 0; n < 12; ++n) {
    CHECK(std::filesystem::file_size(fmt::format("film/frame-{:05}.png", n)) > 1000);
  }
  CHECK(std::distance(std::filesystem::directory_iterator("film"), {}) == 12);
}

TEST_CASE("look: an export that can't be made says why; Escape stops one under way") {
  const WorkingFolder folder;
  TestWindow window({.options = kProblem, .width = 800, .height = 600});
  window.run([](Person& p) {
    const auto refused = [&](const std::string& field, const std::string& text) {
      CAPTURE(field);
      p.press(ImGuiMod_Ctrl | ImGuiKey_E);
      p.wait(2);
      p.enter("//###dialog/" + field, text);
      p.click("//###dialog/Export");
      p.wait(2);
      CHECK(p.app().dialogs().error() != "");
      CHECK_FALSE(p.app().is_exporting());
      p.click("//###dialog/Cancel");
      p.wait(2);
    };
    refused("##last op", "99999999");
    refused("##first op", "-1");
    refused("##folder", "/dev/null/film");
    refused("##folder", "");
    p.press(ImGuiMod_Ctrl | ImGuiKey_E);
    p.wait(2);
    p.enter("//###dialog/##folder", "film");
    p.click("//###dialog/Export");
    p.wait(6);
    p.press(ImGuiKey_Escape);
    CHECK_FALSE(p.app().is_exporting());
  });
}

TEST_CASE("look: at rest the window draws nothing") {
  TestWindow window({.options = kProblem, .layout = Layout::measure, .visible = true});
  auto* const handle = static_cast<GLFWwindow*>(ImGui::GetMainViewport()->PlatformHandle);
  const auto run_for = [&](double seconds) {
    std::thread clock([=] {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      glfwSetWindowShouldClose(handle, GLFW_TRUE);
      glfwPostEmptyEvent();
    });
    const std::int64_t before = window.app().frames();
    window.loop().run();
    clock.join();
    glfwSetWindowShouldClose(handle, GLFW_FALSE);
    return window.app().frames() - before;
  };
  run_for(1);  // until all is laid out and counted
  // A few frames for what may have happened, and for tooltips.
  const std::int64_t at_rest = run_for(2);
  CHECK(at_rest <= 12);
  // While it plays it draws: more than at rest in as long a time, and more than those few frames. A
  // slow machine may take its time for them.
  window.app().set_speed(100);
  window.app().play_or_pause();
  std::int64_t frames = 0, enough = 12;
  for (int halves = 1; halves <= 10 && frames <= enough; ++halves) {
    frames += run_for(0.5);
    enough = 12 + at_rest * halves / 4;
  }
  CHECK(frames > enough);
  CHECK(window.app().document().debugger().session().position() > 0);
}

}  // namespace flashscope::window_tests
