// See preferences.h.
#include "viz/window/preferences.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/error.h"
#include "sim/io/write_file.h"

namespace flashscope::window {

namespace {
std::filesystem::path file_in(const std::filesystem::path& folder) {
  return folder / "preferences.json";
}
}  // namespace

Preferences read_preferences(const std::filesystem::path& folder) {
  Preferences result;
  if (folder.empty() || !std::filesystem::exists(file_in(folder))) return result;
  std::ifstream file(file_in(folder), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  const nlohmann::json json = nlohmann::json::parse(text.str(), nullptr, false);
  try {
    result.dark = json.at("dark").get<bool>();
    result.font = std::clamp(json.at("font").get<float>(), Preferences::kSmallestFont,
                             Preferences::kLargestFont);
    result.layout = json.at("layout").get<std::string>();
    result.tour_seen = json.at("tour_seen").get<bool>();
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{}: not a preferences file: the usual ones are taken",
                            file_in(folder).string()));
  }
  return result;
}

void write_preferences(const std::filesystem::path& folder, const Preferences& preferences) {
  if (folder.empty()) return;
  std::filesystem::create_directories(folder);
  const nlohmann::json json = {{"dark", preferences.dark},
                               {"font", preferences.font},
                               {"layout", preferences.layout},
                               {"tour_seen", preferences.tour_seen}};
  io::write_text(file_in(folder).string(), json.dump(2) + "\n");
}

std::filesystem::path preferences_folder() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0') {
    return std::filesystem::path(config) / "flashscope";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / ".config" / "flashscope";
}

}  // namespace flashscope::window
