// Every command of the window, run by its key, from its menu, and by name in the palette: each has
// an effect that can be seen, whichever way it was called.
#include "viz/window/commands.h"

#include <functional>
#include <imgui.h>
#include <map>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/window/test_window.h"

namespace flashscope::window_tests {
namespace {

// What holds before, and what must hold after.
struct Effect {
  std::function<void(Person&)> prepare;
  std::function<bool(Person&)> shows;
};

// 2 heads of 2 q tiles and 2 kv tiles; the second kv tile of the first q tile begins here.
const std::vector<std::string> kProblem = {"--q-len",  "4", "--q-heads", "2", "--head-dim", "2",
                                           "--q-tile", "2", "--kv-tile", "2", "--dtype",    "fp32"};

std::int64_t op_of(Person& p, std::int64_t q_tile, std::int64_t kv_tile) {
  return p.debugger().op_of_tile(q_tile, kv_tile);
}

std::function<void(Person&)> at(std::int64_t op) {
  return [=](Person& p) { p.app().go_to(op); };
}

std::function<bool(Person&)> is_at(std::int64_t op) {
  return [=](Person& p) { return p.position() == op; };
}

std::function<bool(Person&)> asks_with(const std::string& item) {
  return [=](Person& p) {
    p.wait(2);
    const bool asks = p.app().dialogs().is_open() && p.sees("//###dialog/" + item);
    p.press(ImGuiKey_Escape);
    p.wait(2);
    return asks && !p.app().dialogs().is_open();
  };
}

std::function<void(Person&)> with_panel(const std::string& title) {
  return [=](Person& p) {
    p.app().go_to(0);
    p.clear_clipboard();
    p.focus(title);
    p.wait(2);
  };
}

std::function<bool(Person&)> copied(const std::string& part) {
  return [=](Person& p) { return p.clipboard().find(part) != std::string::npos; };
}

std::map<std::string, Effect> move_effects() {
  const auto at_tile = [](std::int64_t q, std::int64_t kv) {
    return [=](Person& p) { p.app().go_to(op_of(p, q, kv)); };
  };
  const auto is_at_tile = [](std::int64_t q, std::int64_t kv) {
    return [=](Person& p) { return p.position() == op_of(p, q, kv); };
  };
  const auto with_break = [](std::int64_t from) {
    return [=](Person& p) {
      p.app().go_to(op_of(p, 0, 0));
      p.app().toggle_breakpoint_here();
      p.app().go_to(from);
    };
  };
  const auto stopped_at_break = [](Person& p) {
    p.wait_until([&] { return !p.app().is_moving(); });
    const bool right = p.position() == op_of(p, 0, 0) && p.debugger().breakpoints().size() == 1;
    p.app().toggle_breakpoint_here();
    return right && p.debugger().breakpoints().empty();
  };
  return {
      {"play",
       {at(0),
        [](Person& p) {
          const bool played = p.app().playback().playing();
          p.wait(90);  // at 2 ops a second
          const bool moved = p.position() >= 2 && p.position() <= 4;
          p.app().pause();
          return played && moved;
        }}},
      {"step", {at(3), is_at(4)}},
      {"back", {at(3), is_at(2)}},
      {"next_tile", {at_tile(0, 0), is_at_tile(0, 1)}},
      {"previous_tile", {at_tile(0, 1), is_at_tile(0, 0)}},
      {"next_item",
       {at(2), [](Person& p) { return p.position() == p.program().ops_of_work_item(1).begin; }}},
      {"previous_item",
       {[](Person& p) { p.app().go_to(p.program().ops_of_work_item(1).begin); }, is_at(0)}},
      {"beginning", {at(5), is_at(0)}},
      {"end", {at(5), [](Person& p) { return p.position() == p.program().size(); }}},
      {"go_to", {at(0), asks_with("##place")}},
      {"continue", {with_break(0), stopped_at_break}},
      {"reverse_continue", {with_break(12), stopped_at_break}},
      {"pause",
       {[](Person& p) { p.app().play_or_pause(); },
        [](Person& p) { return !p.app().playback().playing(); }}},
      {"breakpoint",
       {at(2),
        [](Person& p) {
          const auto& all = p.debugger().breakpoints();
          const int line = p.program().op(2).line;
          const bool right =
              all.size() == 1 &&
              all[0].source_line ==
                  p.program().algorithm().lines[static_cast<std::size_t>(line)].source_line;
          p.app().toggle_breakpoint_here();
          return right;
        }}},
      {"faster",
       {[](Person& p) { p.app().set_speed(4); },
        [](Person& p) { return p.app().playback().speed() == 8; }}},
      {"slower",
       {[](Person& p) { p.app().set_speed(4); },
        [](Person& p) { return p.app().playback().speed() == 2; }}},
      {"unit",
       {[](Person&) {},
        [](Person& p) {
          const bool changed = p.app().playback().unit() == Unit::tile;
          p.app().cycle_unit();
          p.app().cycle_unit();
          return changed && p.app().playback().unit() == Unit::op;
        }}},
  };
}

std::map<std::string, Effect> file_and_edit_effects() {
  const auto with_change = [](Person& p) {
    ProblemOptions options = p.app().document().options();
    options.causal = !options.causal;
    p.app().change(options);
  };
  const auto one_picture = [](const std::string& name) {
    return [=](Person& p) {
      p.wait(2);
      const bool written = std::filesystem::exists(name);
      std::filesystem::remove(name);
      return written;
    };
  };
  return {
      {"open", {at(0), asks_with("##path")}},
      {"save", {at(0), asks_with("##path")}},
      {"export", {at(0), asks_with("##first op")}},
      {"picture", {with_panel("Program"), one_picture("Program-op0.png")}},
      {"picture_window", {at(0), one_picture("flashscope-op0.png")}},
      {"quit", {at(0), [](Person& p) { return p.app().wants_to_quit(); }}},
      {"undo",
       {with_change,
        [](Person& p) {
          return !p.app().document().options().causal && p.app().document().can_redo();
        }}},
      {"redo",
       {[=](Person& p) {
          with_change(p);
          p.app().undo();
        },
        [](Person& p) {
          const bool right = p.app().document().options().causal;
          p.app().undo();
          return right;
        }}},
      {"copy_csv", {with_panel("Softmax state"), copied(",")}},
      {"copy_markdown", {with_panel("Softmax state"), copied("| --- |")}},
  };
}

std::map<std::string, Effect> view_effects() {
  const auto layout = [](Layout from, Layout to) {
    return Effect{[=](Person& p) {
                    p.app().apply_layout(from);
                    p.wait(2);
                  },
                  [=](Person& p) {
                    for (const std::string& title : designed_panels(to)) {
                      if (!p.app().is_open(panel_index(title))) return false;
                    }
                    return p.app().layout() == to;
                  }};
  };
  const auto font = [](int times, float after) {
    return Effect{[=](Person& p) {
                    p.app().scale_font(0);
                    for (int n = 0; n < times; ++n) p.app().scale_font(1);
                  },
                  [=](Person& p) {
                    const float now = p.app().preferences().font;
                    p.app().scale_font(0);
                    return now > after - 0.001f && now < after + 0.001f;
                  }};
  };
  return {
      {"predict",
       {at(0),
        [](Person& p) {
          const bool hidden = p.app().numbers_hidden();
          p.app().toggle_prediction();
          return hidden && !p.app().numbers_hidden();
        }}},
      {"reveal",
       {[](Person& p) { p.app().toggle_prediction(); },
        [](Person& p) {
          const bool shown = !p.app().numbers_hidden();
          p.app().move(Unit::op, true);
          const bool hidden_again = p.app().numbers_hidden();
          p.app().toggle_prediction();
          return shown && hidden_again;
        }}},
      {"beamer",
       {[](Person& p) { p.focus("Tile map"); },
        [](Person& p) {
          p.wait(2);
          const bool right = p.app().in_beamer() && p.sees("//Beamer/**/##tile_map");
          p.app().toggle_beamer();
          p.wait(2);
          return right;
        }}},
      {"tour",
       {at(0),
        [](Person& p) {
          p.wait(2);
          const bool right = p.app().tour().stop() == 0 && p.sees("//Guided tour/Skip");
          p.click("//Guided tour/Skip");
          return right && !p.app().tour().is_running();
        }}},
      {"keys", {at(0), asks_with("Close")}},
      {"command_palette",
       {at(0),
        [](Person& p) {
          p.wait(2);
          const bool open = p.app().palette().is_open();
          p.press(ImGuiKey_Escape);
          p.wait(2);
          return open && !p.app().palette().is_open();
        }}},
      {"dark",
       {[](Person& p) {
          if (!p.app().preferences().dark) p.app().toggle_dark();
        },
        [](Person& p) {
          const ImVec4 color = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
          const bool right = !p.app().preferences().dark && color.x > 0.5f;
          p.app().toggle_dark();
          return right;
        }}},
      {"larger", font(0, 1.1f)},
      {"smaller", font(2, 1.1f)},
      {"normal", font(3, 1)},
      {"layout_learn", layout(Layout::debug, Layout::learn)},
      {"layout_debug", layout(Layout::learn, Layout::debug)},
      {"layout_measure", layout(Layout::learn, Layout::measure)},
      {"layout_reset",
       {[](Person& p) {
          p.app().apply_layout(Layout::learn);
          p.wait(2);
          if (p.app().is_open(0)) p.app().toggle_panel(0);
        },
        [](Person& p) { return p.app().is_open(0); }}},
  };
}

std::map<std::string, Effect> lesson_effects() {
  const auto on_page = [](std::size_t page) {
    return [=](Person& p) {
      p.app().open_lesson(FLASHSCOPE_SOURCE_DIR "/tests/data/lessons/window_lesson.md");
      while (p.app().lesson_player().section() > page) p.app().turn_lesson_page(false);
      while (p.app().lesson_player().section() < page) p.app().turn_lesson_page(true);
      p.wait(2);
      p.wait_until([&] { return !p.app().has_unfinished_work(); });
    };
  };
  // The session and the layout are again as they were.
  const auto close = [](Person& p) {
    p.wait(2);
    p.wait_until([&] { return !p.app().has_unfinished_work(); });
    p.wait(2);
    while (p.app().document().options().problem == "pencil") p.app().undo();
    p.click("//Lesson/All lessons##lesson list");
    p.wait(2);
    p.app().apply_layout(Layout::learn);
    p.wait(2);
  };
  const auto is_on_page = [=](std::size_t page) {
    return [=](Person& p) {
      const bool right = p.app().lesson_player().section() == page;
      close(p);
      return right;
    };
  };
  return {
      {"lesson",
       {at(0),
        [](Person& p) {
          p.wait(2);
          const int panel = panel_index("Lesson");
          const bool right = p.app().is_open(panel);
          p.app().toggle_panel(panel);
          return right;
        }}},
      {"lesson_next", {on_page(0), is_on_page(1)}},
      {"lesson_back", {on_page(1), is_on_page(0)}},
      {"lesson_stop",
       {on_page(1),
        [=](Person& p) {
          const auto stop = p.app().lesson_player().last_stop();
          const bool right = stop && p.position() == p.app().lesson_player().played(*stop).position;
          close(p);
          return right;
        }}},
  };
}

std::map<std::string, Effect> all_effects() {
  std::map<std::string, Effect> effects = move_effects();
  effects.merge(file_and_edit_effects());
  effects.merge(view_effects());
  effects.merge(lesson_effects());
  for (int n = 0; n < static_cast<int>(kPanelTitles.size()); ++n) {
    const bool closes = n % 2 == 0;
    effects[fmt::format("panel_{}", n)] = {[=](Person& p) {
                                             if (p.app().is_open(n) != closes)
                                               p.app().toggle_panel(n);
                                             p.wait(2);
                                           },
                                           [=](Person& p) {
                                             p.wait(2);
                                             return p.app().is_open(n) != closes;
                                           }};
  }
  return effects;
}

using Way = std::function<void(Person&, const Command&)>;

void check_all(const Way& way, const std::function<bool(const Command&)>& applies) {
  const std::map<std::string, Effect> effects = all_effects();
  const WorkingFolder folder;
  TestWindow window({.options = kProblem});
  window.run([&](Person& p) {
    for (const Command& command : commands()) {
      if (!applies(command)) continue;
      CAPTURE(command.name);
      const auto effect = effects.find(command.name);
      REQUIRE(effect != effects.end());
      effect->second.prepare(p);
      p.wait(2);
      way(p, command);
      p.wait(2);
      CHECK(effect->second.shows(p));
      CHECK_FALSE(p.app().dialogs().is_open());
      if (command.group != "Panel") continue;
      const bool open = p.app().is_open(command.argument);  // what closed opens, and the reverse
      way(p, command);
      p.wait(2);
      CHECK(p.app().is_open(command.argument) != open);
    }
  });
}

bool every(const Command&) { return true; }

}  // namespace

TEST_CASE("every command has a key, and the key runs it") {
  check_all(
      [](Person& p, const Command& command) {
        CHECK(key_text(command) != "");
        p.press(command.key);
      },
      every);
}

TEST_CASE("a second key does the same") {
  check_all([](Person& p, const Command& command) { p.press(command.other_key); },
            [](const Command& command) { return command.other_key != ImGuiKey_None; });
}

TEST_CASE("every command is in a menu") {
  check_all([](Person& p, const Command& command) { p.menu(command.name); }, every);
}

TEST_CASE("the palette finds every command by its title") {
  check_all([](Person& p, const Command& command) { p.palette(command.name); },
            [](const Command& command) { return command.name != "command_palette"; });
}

}  // namespace flashscope::window_tests
