// What the window remembers of its user from one start to the next. Layouts are in layout.h.
#pragma once

#include <filesystem>
#include <string>

namespace flashscope::window {

struct Preferences {
  bool dark = true;
  float font = 1;  // factor on the text's size
  std::string layout = "learn";
  bool tour_seen = false;

  friend bool operator==(const Preferences&, const Preferences&) = default;

  static constexpr float kSmallestFont = 0.7f, kLargestFont = 2.5f;
};

// From FOLDER/preferences.json. Throws Error when there is such a file and it can't be used.
Preferences read_preferences(const std::filesystem::path& folder);
void write_preferences(const std::filesystem::path& folder, const Preferences& preferences);

// With those above it. Throws Error when it can't be made.
void make_folder(const std::filesystem::path& folder);

// Where the system wants such files: $XDG_CONFIG_HOME/flashscope or ~/.config/flashscope; empty
// when there is no home.
std::filesystem::path preferences_folder();

}  // namespace flashscope::window
