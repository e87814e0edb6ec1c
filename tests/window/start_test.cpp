// From one start to the next: what is remembered, what the tour says at the first start, and a
// start with files that are damaged.
#include <filesystem>
#include <fstream>
#include <imgui_internal.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/error.h"
#include "tests/window/test_window.h"

namespace flashscope::window_tests {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

// Where every open panel lies: "Program 0 24 300 400".
std::vector<std::string> places(App& app) {
  std::vector<std::string> result;
  for (std::size_t n = 0; n < kPanelTitles.size(); ++n) {
    if (!app.is_open(static_cast<int>(n))) continue;
    const ImGuiWindow* w = ImGui::FindWindowByName(kPanelTitles[n]);
    REQUIRE(w != nullptr);
    result.push_back(fmt::format("{} {:.0f} {:.0f} {:.0f} {:.0f}", kPanelTitles[n], w->Pos.x,
                                 w->Pos.y, w->Size.x, w->Size.y));
  }
  return result;
}

// Closes as the loop does, which keeps what is to be remembered.
void close(TestWindow& window) {
  window.app().quit();
  window.loop().run();
}

}  // namespace

TEST_CASE("start: layouts are remembered, each as it was left") {
  const WorkingFolder folder;
  const fs::path storage = folder / "config";
  std::vector<std::string> learn, debug;
  {
    TestWindow window({.storage = storage});
    window.run([&](Person& p) {
      p.app().toggle_panel(panel_index("Tile map"));  // closes
      p.app().toggle_panel(panel_index("Console"));   // opens
      p.wait(4);
      learn = places(p.app());
      p.press(ImGuiMod_Ctrl | ImGuiKey_2);
      p.wait(4);
      p.app().toggle_panel(panel_index("SRAM budget"));
      p.app().toggle_dark();
      p.app().scale_font(1);
      p.wait(4);
      debug = places(p.app());
      CHECK(debug != learn);
    });
    close(window);
  }
  {
    TestWindow window({.storage = storage});
    window.run([&](Person& p) {
      p.wait(4);
      CHECK_FALSE(p.app().dialogs().is_open());
      CHECK(p.app().layout() == Layout::debug);
      CHECK_FALSE(p.app().preferences().dark);
      CHECK(p.app().preferences().font == doctest::Approx(1.1));
      CHECK(places(p.app()) == debug);
      p.press(ImGuiMod_Ctrl | ImGuiKey_0);
      p.press(ImGuiMod_Ctrl | ImGuiKey_1);
      p.wait(4);
      CHECK_FALSE(p.app().is_open(panel_index("Tile map")));
      CHECK(p.app().is_open(panel_index("Console")));
      p.press(ImGuiMod_Ctrl | ImGuiKey_4);  // as designed
      p.wait(4);
      CHECK(p.app().is_open(panel_index("Tile map")));
      CHECK_FALSE(p.app().is_open(panel_index("Console")));
    });
    close(window);
  }
}

TEST_CASE("start: an option of the command line wins over what is remembered") {
  const WorkingFolder folder;
  const fs::path storage = folder / "config";
  {
    TestWindow window({.storage = storage});
    window.run([](Person& p) { p.app().apply_layout(Layout::debug); });
    close(window);
  }
  TestWindow window({.layout = Layout::measure, .storage = storage});
  window.run([](Person& p) {
    p.wait(4);
    CHECK(p.app().layout() == Layout::measure);
    CHECK(p.app().is_open(panel_index("Traffic")));
  });
}

TEST_CASE("start: damaged layouts are told of once, and the designed ones are shown") {
  const WorkingFolder folder;
  const fs::path storage = folder / "config";
  for (const std::string& content :
       {std::string("garbage"), std::string(), std::string(2000, '\xff'),
        std::string("; flashscope layout 1 0000000000000000\n; open Program,Tile\n[Window]\n")}) {
    for (const char* const name : {"layout-learn.ini", "layout-debug.ini", "layout-measure.ini"}) {
      write(storage / name, content);
    }
    {
      TestWindow window({.storage = storage});
      window.run([](Person& p) {
        p.wait(4);
        REQUIRE(p.app().dialogs().is_open());
        CHECK(p.app().dialogs().message().find("layout-") != std::string::npos);
        p.click("//###dialog/OK");
        p.wait(2);
        for (const std::string& title : designed_panels(Layout::learn)) {
          CHECK(p.app().is_open(panel_index(title)));
        }
        p.press(ImGuiKey_RightArrow);
        CHECK(p.position() == 1);
      });
      close(window);
    }
    TestWindow again({.storage = storage});
    CHECK_FALSE(again.app().dialogs().is_open());
  }
}

TEST_CASE("start: a layout with a byte changed is damaged") {
  const WorkingFolder folder;
  const fs::path storage = folder / "config";
  {
    TestWindow window({.storage = storage});
    window.run([](Person& p) { p.wait(4); });
    close(window);
  }
  std::string text = io::file_content((storage / "layout-learn.ini").string());
  REQUIRE(text.size() > 100);
  text[text.size() / 2] ^= 1;
  write(storage / "layout-learn.ini", text);
  TestWindow window({.storage = storage});
  CHECK(window.app().dialogs().is_open());
}

TEST_CASE("start: damaged preferences are told of once, and the usual ones are taken") {
  const WorkingFolder folder;
  const fs::path storage = folder / "config";
  for (const std::string& content :
       {std::string("{"), std::string(), std::string("[1, 2]"), std::string("\xff\xfe"),
        std::string(R"({"dark": 3, "font": 1, "layout": "learn", "tour_seen": true})"),
        std::string(R"({"dark": true, "font": 1, "layout": "lean", "tour_seen": true})")}) {
    CAPTURE(content);
    write(storage / "preferences.json", content);
    {
      TestWindow window({.storage = storage});
      window.run([](Person& p) {
        p.wait(2);
        REQUIRE(p.app().dialogs().is_open());
        CHECK(p.app().dialogs().message().find("preferences.json") != std::string::npos);
        CHECK(p.app().layout() == Layout::learn);
        p.press(ImGuiKey_Escape);
        p.press(ImGuiKey_RightArrow);
        CHECK(p.position() == 1);
      });
      close(window);
    }
    TestWindow again({.storage = storage});
    CHECK_FALSE(again.app().dialogs().is_open());
  }
  // Sizes of text that can't be read are brought back into the range.
  write(storage / "preferences.json",
        R"({"dark": true, "font": 1e30, "layout": "learn", "tour_seen": true})");
  TestWindow window({.storage = storage});
  CHECK(window.app().preferences().font == Preferences::kLargestFont);
}

TEST_CASE("start: where nothing can be kept, closing says so in one line") {
  const WorkingFolder folder;
  write(folder / "file", "");
  TestWindow window({.storage = folder / "file/config"});
  window.run([](Person& p) { p.wait(2); });
  window.app().quit();
  std::string why;
  try {
    window.loop().run();
  } catch (const Error& error) {
    why = error.what();
  }
  CHECK(why.find("file/config") != std::string::npos);
}

TEST_CASE("start: the tour comes once, walks over its panels, and never blocks") {
  const WorkingFolder folder;
  const fs::path storage = folder / "config";
  {
    TestWindow window({.storage = storage, .tour = true});
    window.run([](Person& p) {
      REQUIRE(p.app().tour().is_running());
      for (int stop = 0; stop < Tour::stops(); ++stop) {
        CAPTURE(stop);
        CHECK(p.app().tour().stop() == stop);
        const std::string panel = p.app().tour().panel();
        if (panel != "") CHECK(p.app().is_open(panel_index(panel)));
        const std::int64_t here = p.position();
        p.press(ImGuiKey_RightArrow);  // what the tour asks to try
        CHECK(p.position() == here + 1);
        p.click("//Controls/Mask/##mask");  // a field elsewhere keeps the keyboard
        p.type("k<3");
        p.press(ImGuiKey_Enter);
        p.wait(2);
        CHECK(p.app().document().options().mask.has_value());
        p.press(ImGuiMod_Ctrl | ImGuiKey_Z);
        p.wait(2);
        CHECK_FALSE(p.app().document().options().mask.has_value());
        if (stop == 2) {
          p.click("//Guided tour/Back##tour");
          CHECK(p.app().tour().stop() == 1);
          p.click("//Guided tour/###next");
        }
        p.click("//Guided tour/###next");
        p.wait(2);
      }
      CHECK_FALSE(p.app().tour().is_running());
    });
    close(window);
  }
  TestWindow window({.storage = storage, .tour = true});
  CHECK_FALSE(window.app().tour().is_running());
}

}  // namespace flashscope::window_tests
