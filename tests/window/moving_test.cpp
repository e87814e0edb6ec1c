// Moving through a program with the mouse and by time: playing at three units, the scrub bar, the
// buttons at the foot, clicks in the panels. And which keys are whose.
#include <imgui.h>

#include <doctest/doctest.h>

#include "tests/window/test_window.h"
#include "viz/window/commands.h"

namespace flashscope::window_tests {
namespace {

// One head, 2 x 4 tiles of 2 rows.
const std::vector<std::string> kProblem = {"--q-len",  "4", "--kv-len",  "8", "--head-dim", "4",
                                           "--q-tile", "2", "--kv-tile", "2"};

}  // namespace

TEST_CASE("moving: plays at the speed of ops, kv tiles and work items, and stops at the end") {
  TestWindow window({.options = kProblem});
  window.run([](Person& p) {
    p.app().set_speed(2);
    p.click("//##transport/ ▶ ##play");
    p.wait(60 * 3);  // 3 seconds
    CHECK(p.position() >= 5);
    CHECK(p.position() <= 7);
    p.press(ImGuiKey_Space);
    const std::int64_t paused = p.position();
    p.wait(60);
    CHECK(p.position() == paused);

    p.press(ImGuiKey_Home);
    p.press(ImGuiKey_U);  // kv tiles
    REQUIRE(p.app().playback().unit() == Unit::tile);
    p.press(ImGuiKey_Space);
    p.wait(60);
    CHECK(p.position() == p.debugger().op_of_tile(0, 1));
    p.press(ImGuiKey_Space);

    p.press(ImGuiKey_Home);
    p.press(ImGuiKey_U);  // work items
    p.press(ImGuiKey_Space);
    p.wait(40);
    CHECK(p.position() == p.program().ops_of_work_item(1).begin);
    p.wait_until([&] { return !p.app().playback().playing(); });
    CHECK(p.position() == p.program().size());
    // From the end, playing begins anew.
    p.press(ImGuiKey_Space);
    CHECK(p.app().playback().playing());
    CHECK(p.position() < p.program().size());
  });
}

TEST_CASE("moving: playing stops at a breakpoint") {
  TestWindow window({.options = kProblem});
  window.run([](Person& p) {
    CHECK(p.app().type("break 4") != "");  // a line of the head
    REQUIRE(p.app().type("break O = O + P V if j == 2") == "");
    p.app().set_speed(1000);
    p.press(ImGuiKey_Space);
    p.wait_until([&] { return !p.app().playback().playing(); });
    const Op op = p.debugger().session().next_op();
    CHECK(p.program().algorithm().lines[static_cast<std::size_t>(op.line)].text == "O = O + P V");
    CHECK(op.segment.kv_tile == 2);
    CHECK(op.segment.q_tile == 0);
  });
}

TEST_CASE("moving: buttons at the foot") {
  TestWindow window({.options = kProblem});
  window.run([](Person& p) {
    const auto press = [&](const std::string& button) { p.click("//##transport/" + button); };
    press("▶##step");
    press("▶##step");
    CHECK(p.position() == 2);
    press("◀##back");
    CHECK(p.position() == 1);
    press("▶▶##next_tile");
    CHECK(p.position() == p.debugger().op_of_tile(0, 0));
    press("▶▶##next_tile");
    CHECK(p.position() == p.debugger().op_of_tile(0, 1));
    press("◀◀##previous_tile");
    CHECK(p.position() == p.debugger().op_of_tile(0, 0));
    press("▶|##end");
    CHECK(p.position() == p.program().size());
    press("|◀##beginning");
    CHECK(p.position() == 0);
    press("+##faster");
    CHECK(p.app().playback().speed() == 4);
    press("−##slower");
    CHECK(p.app().playback().speed() == 2);
    press("op##unit");
    CHECK(p.app().playback().unit() == Unit::tile);
  });
}

TEST_CASE("moving: the scrub bar") {
  TestWindow window({.options = kProblem});
  window.run([](Person& p) {
    const std::string bar = "//##transport/##scrub";
    const std::int64_t size = p.program().size();
    const auto near = [&](double part) {
      return std::abs(static_cast<double>(p.position()) - part * static_cast<double>(size)) <= 1;
    };
    p.click_at(bar, 0.5f, 0.5f);
    CHECK(near(0.5));
    p.drag(bar, 0.5f, 0.8f);
    CHECK(near(0.8));
    p.drag(bar, 0.8f, 1.5f);  // beyond its end
    CHECK(p.position() == size);
    p.drag(bar, 0.9f, -0.5f);
    CHECK(p.position() == 0);
    // It is moved to while it plays: then it plays no more.
    p.press(ImGuiKey_Space);
    p.click_at(bar, 0.25f, 0.5f);
    CHECK(near(0.25));
    CHECK_FALSE(p.app().playback().playing());
  });
}

TEST_CASE("moving: a click in the tile map goes to that tile") {
  TestWindow window({.options = kProblem});
  window.run([](Person& p) {
    const std::string map = "//Tile map/**/##tile_map";
    p.click_at(map, 0.93f, 0.9f);
    CHECK(p.position() == p.debugger().op_of_tile(1, 3));
    // The first cell lies beside the labels.
    p.click_at(map, 0.3f, 0.35f);
    CHECK(p.position() == p.debugger().op_of_tile(0, 0));
    const auto step = [&](ImGuiKey key, std::int64_t q_tile, std::int64_t kv_tile) {
      p.press(ImGuiMod_Shift | key);
      p.wait(2);
      CHECK(p.position() == p.debugger().op_of_tile(q_tile, kv_tile));
    };
    step(ImGuiKey_RightArrow, 0, 1);
    step(ImGuiKey_DownArrow, 1, 1);
    step(ImGuiKey_LeftArrow, 1, 0);
    step(ImGuiKey_UpArrow, 0, 0);
    step(ImGuiKey_UpArrow, 0, 0);  // there is none above
  });
}

TEST_CASE("moving: a presenter's remote control reveals, then goes on") {
  TestWindow window({.options = kProblem, .panel = "Tile"});
  window.run([](Person& p) {
    p.press(ImGuiKey_H);
    p.app().go_to(4);
    REQUIRE(p.app().numbers_hidden());
    p.press(ImGuiKey_PageDown);
    CHECK_FALSE(p.app().numbers_hidden());
    CHECK(p.position() == 4);
    p.press(ImGuiKey_PageDown);
    CHECK(p.position() == 5);
    CHECK(p.app().numbers_hidden());
    p.press(ImGuiKey_PageUp);
    CHECK(p.position() == 4);
    // Numbers of the keyboard show another panel.
    p.press(ImGuiMod_Alt | ImGuiKey_2);
    p.wait(2);
    CHECK(p.sees("//Beamer/**/##tile_map"));
    p.press(ImGuiKey_B);
    CHECK_FALSE(p.app().in_beamer());
  });
}

TEST_CASE("moving: to a place that is typed") {
  TestWindow window({.options = kProblem});
  window.run([](Person& p) {
    const auto ask = [&](const std::string& place) {
      p.press(ImGuiMod_Ctrl | ImGuiKey_G);
      p.wait(2);
      p.enter("//###dialog/##place", place);
      p.wait(2);
    };
    ask("7");
    CHECK(p.position() == 7);
    CHECK_FALSE(p.app().dialogs().is_open());
    ask("tile 1 2");
    CHECK(p.position() == p.debugger().op_of_tile(1, 2));
    ask("item 1");
    CHECK(p.position() == p.program().ops_of_work_item(1).begin);
    // What is no place is said in the dialog, which stays.
    ask("tile 9 9");
    CHECK(p.app().dialogs().is_open());
    CHECK(p.app().dialogs().error().find("tile") != std::string::npos);
    CHECK(p.position() == p.program().ops_of_work_item(1).begin);
    p.enter("//###dialog/##place", "3");
    p.wait(2);
    CHECK(p.position() == 3);
    CHECK_FALSE(p.app().dialogs().is_open());
  });
}

TEST_CASE("keys: a text field gets the letters, a menu the arrows, a dialog all") {
  TestWindow window({.options = kProblem});
  window.run([](Person& p) {
    // Typing a space, h, r, u, b, comma or an arrow in a field is typing.
    p.click("//Controls/Mask/##mask");
    p.type("k < 3 , h r u b");
    p.press(ImGuiKey_LeftArrow);
    p.press(ImGuiKey_Home);
    CHECK(p.position() == 0);
    CHECK_FALSE(p.app().playback().playing());
    CHECK_FALSE(p.app().predicts());
    CHECK(p.app().playback().unit() == Unit::op);
    CHECK(p.app().playback().speed() == 2);
    CHECK_FALSE(p.app().in_beamer());
    p.press(ImGuiKey_Escape);  // takes back what was typed
    p.wait(2);
    CHECK_FALSE(p.app().document().options().mask.has_value());

    // While a dialog or the palette is open, nothing moves beneath it.
    p.app().go_to(3);
    for (const std::string name : {"open", "keys", "command_palette"}) {
      CAPTURE(name);
      p.press(find_command(name).key);
      p.wait(2);
      p.press(ImGuiKey_RightArrow);
      p.press(ImGuiKey_F5);
      p.press(ImGuiKey_F9);
      CHECK(p.position() == 3);
      CHECK(p.debugger().breakpoints().empty());
      p.press(ImGuiKey_Escape);
      p.wait(2);
    }
    p.press(ImGuiKey_RightArrow);
    CHECK(p.position() == 4);

    // Arrows in an open menu choose an item.
    p.click("//##MainMenuBar/##MenuBar/Move");
    p.press(ImGuiKey_DownArrow);
    p.press(ImGuiKey_UpArrow);
    CHECK(p.position() == 4);
    p.press(ImGuiKey_Escape);
  });
}

TEST_CASE("keys: stepping and playing press no button") {
  TestWindow window({.options = kProblem});
  window.run([](Person& p) {
    // After a click into a panel, arrows step and Space plays; no control there is changed.
    const std::string causal = "//Controls/Mask/##causal";
    p.click(causal);
    p.wait(2);
    REQUIRE(p.app().document().options().causal);
    p.app().go_to(0);
    p.press(ImGuiKey_RightArrow);
    p.press(ImGuiKey_RightArrow);
    p.press(ImGuiKey_LeftArrow);
    CHECK(p.position() == 1);
    p.press(ImGuiKey_Space);
    p.wait(2);
    CHECK(p.app().playback().playing());
    CHECK(p.app().document().options().causal);
    p.press(ImGuiKey_Space);
    CHECK_FALSE(p.app().playback().playing());
    p.press(ImGuiKey_DownArrow);
    p.press(ImGuiKey_Enter);
    p.wait(2);
    CHECK(p.app().document().options().causal);
  });
}

}  // namespace flashscope::window_tests
