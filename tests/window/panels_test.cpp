// What one does in the panels: breakpoints in the program's margin, editing its table, rows of the
// softmax panel, a comparison, the console, tiles to look at, tilings to try.
#include <imgui.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/window/test_window.h"

namespace flashscope::window_tests {
namespace {

const std::vector<std::string> kProblem = {"--q-len",   "8", "--head-dim", "4",   "--q-tile", "4",
                                           "--kv-tile", "2", "--dtype",    "fp32"};

// Line in the table's text that reads so.
int line_of(Person& p, const std::string& text) {
  for (const Line& line : p.program().algorithm().lines) {
    if (line.text == text) return line.source_line;
  }
  FAIL("no such line: " << text);
  return 0;
}

std::string margin(int line) { return fmt::format("//Beamer/**/##margin_{}", line); }

}  // namespace

TEST_CASE("panels: a click in the program's margin sets a breakpoint and takes it away") {
  TestWindow window({.options = kProblem, .panel = "Program", .height = 1500});
  window.run([](Person& p) {
    const int line = line_of(p, "O = O + P V");
    p.click(margin(line));
    REQUIRE(p.debugger().breakpoints().size() == 1);
    CHECK(p.debugger().breakpoints()[0].source_line == line);
    p.press(ImGuiKey_F5);
    p.wait_until([&] { return !p.app().is_moving(); });
    CHECK(p.program()
              .algorithm()
              .lines[static_cast<std::size_t>(p.debugger().session().next_op().line)]
              .source_line == line);
    p.click(margin(line));
    CHECK(p.debugger().breakpoints().empty());
    // No breakpoint where nothing executes.
    p.click(margin(line_of(p, "load K") - 1));  // for kv_tile
    CHECK(p.debugger().breakpoints().empty());
  });
}

TEST_CASE("panels: an edited table runs at once; a wrong one says why, and the old one runs on") {
  TestWindow window({.options = kProblem, .panel = "Program"});
  window.run([](Person& p) {
    p.app().go_to(12);
    const std::string original = p.program().algorithm().source;
    p.click("//Beamer/Edit");
    p.wait(4);
    const std::string field = "//Beamer/**/##table_text";
    std::string edited = original;
    const std::string rescale = "    O = alpha * O                   when not first\n";
    REQUIRE(edited.find(rescale) != std::string::npos);
    edited.replace(edited.find(rescale), rescale.size(), "");
    p.replace(field, edited);
    p.wait(60);  // a pause in typing
    CHECK(p.app().document().options().table == edited);
    CHECK(p.program().algorithm().source == edited);
    CHECK_FALSE(p.app().dialogs().is_open());

    const Program* const running = &p.program();
    for (const std::string wrong : {"    P = exp(S - m_old)", "    for kv_tile", "nonsense"}) {
      CAPTURE(wrong);
      std::string text = edited;
      const std::string line = "    P = exp(S - m_new)";
      text.replace(text.find(line), line.size(), wrong);
      p.replace(field, text);
      p.wait(60);
      CHECK(&p.program() == running);
      CHECK(p.program().algorithm().source == edited);
      CHECK_FALSE(p.app().dialogs().is_open());
    }
    p.replace(field, "");
    p.wait(60);
    CHECK(&p.program() == running);

    p.press(ImGuiKey_Escape);  // leaves the field
    p.click("//Beamer/Revert");
    p.wait(4);
    CHECK(p.program().algorithm().source == original);
    CHECK_FALSE(p.app().document().options().table.has_value());
    p.press(ImGuiMod_Ctrl | ImGuiKey_Z);
    p.wait(4);
    CHECK(p.program().algorithm().source == edited);
  });
}

TEST_CASE("panels: an edited table is kept in the session file") {
  const WorkingFolder folder;
  TestWindow window({.options = kProblem});
  App& app = window.app();
  ProblemOptions options = app.document().options();
  options.table = app.document().debugger().program().algorithm().source;
  options.table->replace(options.table->find("    cast O to accumulator\n"), 26, "");
  app.change(options);
  app.go_to(20);
  app.save("edited.json");
  app.undo();
  REQUIRE_FALSE(app.document().options().table.has_value());
  app.open("edited.json");
  CHECK(app.document().options().table == options.table);
  CHECK(app.document().debugger().session().position() == 20);
}

TEST_CASE("panels: rows of the softmax state") {
  TestWindow window({.options = kProblem, .panel = "Softmax state"});
  window.run([](Person& p) {
    p.app().go_to(p.debugger().op_of_tile(1, 2));
    p.wait(4);
    p.enter("//Beamer/##rows", "5,6");
    p.wait(4);
    CHECK(p.app().selection().rows == std::vector<std::int64_t>{5, 6});
    p.click("//Beamer/6##row");
    p.enter("//Beamer/##rows", "5-x");  // explained below the field
    p.wait(4);
    CHECK(p.app().selection().rows == std::vector<std::int64_t>{5, 6});
    CHECK_FALSE(p.app().dialogs().is_open());
    // Rows of another q tile than that at hand: a button brings those at hand.
    p.app().go_to(p.debugger().op_of_tile(0, 2));
    p.wait(4);
    p.click("//Beamer/Rows of this q tile");
    p.wait(4);
    CHECK(p.app().selection().rows == std::vector<std::int64_t>{1, 2});
    // A fault is found, and a click goes to where it shows.
    ProblemOptions options = p.app().document().options();
    options.fault = "l_not_rescaled";
    p.app().change(options);
    p.wait(10);
    p.click("//Beamer/**/Go there##departure");
    p.wait(2);
    CHECK(p.position() > p.debugger().op_of_tile(0, 0));
    CHECK(p.position() < p.program().size());
  });
}

TEST_CASE("panels: a comparison finds where two programs part") {
  TestWindow window({.options = kProblem, .panel = "Compare"});
  window.run([](Person& p) {
    // What is compared first: the program with a fault.
    p.wait_until([&] { return p.sees("//Beamer/**/Go there##difference"); });
    p.click("//Beamer/**/Go there##difference");
    p.wait(2);
    CHECK(p.position() > 0);
    p.choose("//Beamer/##what", "kv order");
    p.wait_until([&] { return p.sees("//Beamer/Run"); });
    CHECK_FALSE(p.sees("//Beamer/**/Go there##difference"));
    p.choose("//Beamer/##what", "precision");
    p.wait(4);
    p.click("//Beamer/Run");
    p.wait_until([&] { return p.sees("//Beamer/Run"); });
    for (const std::string kind : {"algorithm", "tiles", "fault"}) {
      CAPTURE(kind);
      p.choose("//Beamer/##what", kind);
      p.wait_until([&] { return p.sees("//Beamer/Run"); });
    }
    CHECK(p.app().panels()[9]->sheet(p.app().context()).has_value());
  });
}

TEST_CASE("panels: the console is the debugger prompt") {
  const WorkingFolder folder;
  TestWindow window({.options = kProblem, .layout = Layout::debug});
  window.run([](Person& p) {
    p.focus("Console");
    const auto enter = [&](const std::string& line) {
      p.enter("//Console/##prompt", line);
      p.wait(2);
      return p.app().document().transcript().back();
    };
    enter("step 5");
    CHECK(p.position() == 5);
    enter("break O = O + P V");
    CHECK(p.debugger().breakpoints().size() == 1);
    CHECK(enter("print m[9]").find("m") != std::string::npos);
    CHECK(enter("frobnicate").find("frobnicate") != std::string::npos);
    CHECK(p.position() == 5);
    CHECK_FALSE(p.app().dialogs().is_open());
    enter("save here.json");
    enter("goto 30");
    CHECK(p.position() == 30);
    enter("load here.json");
    CHECK(p.position() == 5);
    CHECK(enter("load nowhere.json").find("nowhere.json") != std::string::npos);
    CHECK(p.position() == 5);
    // An empty line repeats the last one; the prompt keeps the focus.
    enter("step");
    CHECK(p.position() == 6);
    p.press(ImGuiKey_Enter);
    p.wait(2);
    CHECK(p.position() == 7);
    CHECK(enter("quit").find("stays") != std::string::npos);
    CHECK_FALSE(p.app().wants_to_quit());
    enter("fault o_not_rescaled on");
    CHECK(p.program().algorithm().fault == "o_not_rescaled");
    p.press(ImGuiMod_Ctrl | ImGuiKey_Z);  // the field's own: it is being typed in
    p.press(ImGuiKey_Escape);
    p.press(ImGuiMod_Ctrl | ImGuiKey_Z);
    p.wait(2);
    CHECK(p.program().algorithm().fault.empty());
  });
}

TEST_CASE("panels: a right click anywhere in a panel opens its menu") {
  TestWindow window({.options = kProblem});
  window.run([](Person& p) {
    for (int n = 0; n < static_cast<int>(kPanelTitles.size()); ++n) {
      p.app().show_in_beamer(n);
      p.wait(4);
      for (const auto& [x, y] : {std::pair{0.5f, 0.6f}, {0.1f, 0.3f}}) {
        CAPTURE(std::string(kPanelTitles[static_cast<std::size_t>(n)]));
        p.clear_clipboard();
        p.right_click_at("//Beamer", x, y);
        p.wait(2);
        p.click("//$FOCUSED/Copy the panel's table as CSV##copy_csv");
        p.wait(2);
        const auto sheet = p.app().panels()[static_cast<std::size_t>(n)]->sheet(p.app().context());
        CHECK(p.clipboard() == (sheet ? to_csv(*sheet) : ""));
      }
    }
  });
}

TEST_CASE("panels: a tile is chosen to look at, and a tiling to use") {
  TestWindow window({.options = kProblem});
  window.run([](Person& p) {
    const Algorithm& algorithm = p.program().algorithm();
    for (const std::string name : {"S", "P", "O"}) {
      CAPTURE(name);
      p.click("//Tile/" + name);
      p.wait(2);

      CHECK(p.app().selection().tile == algorithm.find(name, false));
    }
    p.click("//Tile/auto");
    p.wait(2);
    CHECK(p.app().selection().tile == -1);
    p.app().show_in_beamer(panel_index("SRAM budget"));
    p.wait(4);
    p.click_at("//Beamer/**/##fit_map", 0.45f, 0.55f);
    p.wait(2);
    p.click("//Beamer/**/Use this tiling");
    p.wait(4);
    CHECK((p.program().tiling().q_tile_rows != 4 || p.program().tiling().kv_tile_rows != 2));
  });
}

}  // namespace flashscope::window_tests
