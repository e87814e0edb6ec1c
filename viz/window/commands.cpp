// The list of commands and the reading of keys; see commands.h.
#include "viz/window/commands.h"

#include <cassert>
#include <imgui_internal.h>

#include "viz/window/app.h"

namespace flashscope::window {
namespace {

Unit unit_of(int argument) { return static_cast<Unit>(argument); }

std::vector<Command> make_commands() {
  constexpr int kOp = 0, kTile = 1;
  const auto forward = [](App& app, int unit) { app.move(unit_of(unit), true); };
  const auto back = [](App& app, int unit) { app.move(unit_of(unit), false); };
  std::vector<Command> list = {
      {"open", "File", "Open a session, table, tensors or lesson…", ImGuiMod_Ctrl | ImGuiKey_O, 0,
       [](App& app, int) { app.ask_open(); }},
      {"save", "File", "Save the session…", ImGuiMod_Ctrl | ImGuiKey_S, 0,
       [](App& app, int) { app.ask_save(); }},
      {"picture", "File", "Picture of the panel in front (PNG)",
       ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P, 0, [](App& app, int) { app.shoot(false); }},
      {"picture_window", "File", "Picture of the whole window (PNG)", ImGuiKey_F12, 0,
       [](App& app, int) { app.shoot(true); }},
      {"export", "File", "Export an animation (PNG frames)…", ImGuiMod_Ctrl | ImGuiKey_E, 0,
       [](App& app, int) { app.ask_export(); }},
      {"quit", "File", "Quit", ImGuiMod_Ctrl | ImGuiKey_Q, 0, [](App& app, int) { app.quit(); }},

      {"undo", "Edit", "Undo the last change of settings", ImGuiMod_Ctrl | ImGuiKey_Z, 0,
       [](App& app, int) { app.undo(); }},
      {"redo", "Edit", "Redo it", ImGuiMod_Ctrl | ImGuiKey_Y,
       ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_Z, [](App& app, int) { app.redo(); }},
      {"copy_csv", "Edit", "Copy the panel's table as CSV",
       ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_C, 0, [](App& app, int) { app.copy(false); }},
      {"copy_markdown", "Edit", "Copy the panel's table as Markdown",
       ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_M, 0, [](App& app, int) { app.copy(true); }},

      {"play", "Move", "Play or pause", ImGuiKey_Space, 0,
       [](App& app, int) { app.play_or_pause(); }},
      {"step", "Move", "One op forward", ImGuiKey_RightArrow, 0, forward, kOp, true},
      {"back", "Move", "One op back", ImGuiKey_LeftArrow, 0, back, kOp, true},
      {"next_tile", "Move", "One kv tile forward", ImGuiKey_DownArrow, 0, forward, kTile, true},
      {"previous_tile", "Move", "One kv tile back", ImGuiKey_UpArrow, 0, back, kTile, true},
      {"next_item", "Move", "One work item forward (beamer: reveal, then one on)",
       ImGuiKey_PageDown, 0, [](App& app, int) { app.present(true); }, 0, true},
      {"previous_item", "Move", "One work item back (beamer: one back)", ImGuiKey_PageUp, 0,
       [](App& app, int) { app.present(false); }, 0, true},
      {"beginning", "Move", "To the beginning", ImGuiKey_Home, 0,
       [](App& app, int) { app.go_to(0); }},
      {"end", "Move", "To the end", ImGuiKey_End, 0,
       [](App& app, int) { app.go_to(app.document().debugger().program().size()); }},
      {"go_to", "Move", "To an op, work item or tile…", ImGuiMod_Ctrl | ImGuiKey_G, 0,
       [](App& app, int) { app.ask_go_to(); }},
      {"continue", "Move", "On to the next breakpoint", ImGuiKey_F5, 0,
       [](App& app, int) { app.run(true); }},
      {"reverse_continue", "Move", "Back to the last breakpoint", ImGuiMod_Shift | ImGuiKey_F5, 0,
       [](App& app, int) { app.run(false); }},
      {"pause", "Move", "Stop what is moving", ImGuiKey_Escape, 0,
       [](App& app, int) { app.pause(); }},
      {"breakpoint", "Move", "Breakpoint on the current line", ImGuiKey_F9, 0,
       [](App& app, int) { app.toggle_breakpoint_here(); }},
      {"faster", "Move", "Play twice as fast", ImGuiKey_Period, 0,
       [](App& app, int) { app.set_speed(app.playback().speed() * 2); }},
      {"slower", "Move", "Play half as fast", ImGuiKey_Comma, 0,
       [](App& app, int) { app.set_speed(app.playback().speed() / 2); }},
      {"unit", "Move", "Play by op, kv tile or work item", ImGuiKey_U, 0,
       [](App& app, int) { app.cycle_unit(); }},

      {"predict", "Teach", "Hide numbers until asked", ImGuiKey_H, 0,
       [](App& app, int) { app.toggle_prediction(); }, 0, false,
       [](const App& app, int) { return app.predicts(); }},
      {"reveal", "Teach", "Reveal them", ImGuiKey_R, 0, [](App& app, int) { app.reveal(); }},
      {"beamer", "Teach", "Beamer mode: one panel, large", ImGuiKey_F11, ImGuiKey_B,
       [](App& app, int) { app.toggle_beamer(); }, 0, false,
       [](const App& app, int) { return app.in_beamer(); }},
      {"lesson", "Teach", "Lessons", ImGuiMod_Ctrl | ImGuiKey_L, 0,
       [](App& app, int) { app.show_lessons(); }},
      {"lesson_stop", "Teach", "Next stop on the page of the lesson", ImGuiKey_N, 0,
       [](App& app, int) { app.go_to_lesson_stop(); }},
      {"lesson_next", "Teach", "Next page of the lesson", ImGuiMod_Ctrl | ImGuiKey_PageDown, 0,
       [](App& app, int) { app.turn_lesson_page(true); }},
      {"lesson_back", "Teach", "Previous page of the lesson", ImGuiMod_Ctrl | ImGuiKey_PageUp, 0,
       [](App& app, int) { app.turn_lesson_page(false); }},
      {"tour", "Teach", "Guided tour", ImGuiKey_F1, 0, [](App& app, int) { app.show_tour(); }},
      {"keys", "Teach", "All keys", ImGuiMod_Shift | ImGuiKey_F1, 0,
       [](App& app, int) { app.show_keys(); }},

      {"command_palette", "View", "Command palette", ImGuiMod_Ctrl | ImGuiKey_P, 0,
       [](App& app, int) { app.show_palette(); }},
      {"dark", "View", "Light or dark", ImGuiMod_Ctrl | ImGuiKey_D, 0,
       [](App& app, int) { app.toggle_dark(); }, 0, false,
       [](const App& app, int) { return app.preferences().dark; }},
      {"larger", "View", "Larger text", ImGuiMod_Ctrl | ImGuiKey_Equal,
       ImGuiMod_Ctrl | ImGuiKey_KeypadAdd, [](App& app, int) { app.scale_font(1); }},
      {"smaller", "View", "Smaller text", ImGuiMod_Ctrl | ImGuiKey_Minus,
       ImGuiMod_Ctrl | ImGuiKey_KeypadSubtract, [](App& app, int) { app.scale_font(-1); }},
      {"normal", "View", "Normal text", ImGuiMod_Ctrl | ImGuiKey_0, 0,
       [](App& app, int) { app.scale_font(0); }},
      {"layout_learn", "View", "Layout: learn", ImGuiMod_Ctrl | ImGuiKey_1, 0,
       [](App& app, int) { app.apply_layout(Layout::learn); }, 0, false,
       [](const App& app, int) { return app.layout() == Layout::learn; }},
      {"layout_debug", "View", "Layout: debug", ImGuiMod_Ctrl | ImGuiKey_2, 0,
       [](App& app, int) { app.apply_layout(Layout::debug); }, 0, false,
       [](const App& app, int) { return app.layout() == Layout::debug; }},
      {"layout_measure", "View", "Layout: measure", ImGuiMod_Ctrl | ImGuiKey_3, 0,
       [](App& app, int) { app.apply_layout(Layout::measure); }, 0, false,
       [](const App& app, int) { return app.layout() == Layout::measure; }},
      {"layout_reset", "View", "Layout as designed", ImGuiMod_Ctrl | ImGuiKey_4, 0,
       [](App& app, int) { app.reset_layout(); }},
  };
  // Panels: Alt+1 … in the order of panels().
  for (int n = 0; n < static_cast<int>(kPanelTitles.size()); ++n) {
    const auto digit = static_cast<ImGuiKeyChord>(n < 9 ? ImGuiKey_1 + n : ImGuiKey_0);
    const ImGuiKeyChord key =
        ImGuiMod_Alt | (n < 10 ? digit : static_cast<ImGuiKeyChord>(ImGuiKey_A + n - 10));
    list.push_back({std::string("panel_") + std::to_string(n), "Panel",
                    kPanelTitles[static_cast<std::size_t>(n)], key, 0,
                    [](App& app, int panel) { app.toggle_panel(panel); }, n, false,
                    [](const App& app, int panel) { return app.is_open(panel); }});
  }
  return list;
}

bool pressed(ImGuiKeyChord chord, bool repeats) {
  if (chord == ImGuiKey_None) return false;
  // A plain key belongs to a text field while one is typed in.
  if ((chord & (ImGuiMod_Ctrl | ImGuiMod_Alt)) == 0 && ImGui::GetIO().WantTextInput) return false;
  // By a route, Dear ImGui's own navigation leaves the key alone: a step doesn't move its cursor
  // too, and Space doesn't press what was clicked last. Text fields and panels come first.
  const ImGuiInputFlags flags =
      ImGuiInputFlags_RouteGlobal | (repeats ? ImGuiInputFlags_Repeat : ImGuiInputFlags_None);
  return ImGui::Shortcut(chord, flags, ImHashStr("commands"));
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands = make_commands();
  return kCommands;
}

const Command& find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return command;
  }
  assert(false && "no such command");
  return commands().front();
}

std::string key_text(const Command& command) {
  if (command.key == ImGuiKey_None) return "";
  return ImGui::GetKeyChordName(command.key);
}

void run_keys(App& app) {
  // In menus and lists, keys choose.
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
  for (const Command& command : commands()) {
    if (pressed(command.key, command.repeats) || pressed(command.other_key, command.repeats)) {
      command.run(app, command.argument);
    }
  }
}

}  // namespace flashscope::window
