// Every action of the window that has no parameters: a name, what it says in menus and in the
// palette, its key. Menus, keys, palette, buttons and tests all run these.
#pragma once

#include <imgui.h>
#include <string>
#include <string_view>
#include <vector>

namespace flashscope::window {

class App;

struct Command {
  std::string name;   // stable, for Requests::commands and tests: "step"
  std::string group;  // "Move"
  std::string title;  // "One op forward"
  ImGuiKeyChord key = ImGuiKey_None, other_key = ImGuiKey_None;
  void (*run)(App&, int argument) = nullptr;
  int argument = 0;
  bool repeats = false;                               // while its key is held
  bool (*is_on)(const App&, int argument) = nullptr;  // commands that switch something
};

// In the order of the menus.
const std::vector<Command>& commands();
// Must exist.
const Command& find_command(std::string_view name);
// "Ctrl+P"; empty when it has no key.
std::string key_text(const Command& command);
// Runs what the keys pressed in this frame stand for. Plain keys are the text's while one is typed.
void run_keys(App& app);

}  // namespace flashscope::window
