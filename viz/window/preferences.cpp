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
#include "viz/window/layout.h"

namespace flashscope::window {

namespace {
std::filesystem::path file_in(const std::filesystem::path& folder) {
  return folder / "preferences.json";
}
}  // namespace

Preferences read_preferences(const std::filesystem::path& folder) {
  Preferences result;
  std::error_code none;
  if (folder.empty() || !std::filesystem::exists(file_in(folder), none)) return result;
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
    parse_layout(result.layout);
  } catch (const std::exception&) {
    throw Error(fmt::format("{}: not a preferences file: the usual ones are taken",
                            file_in(folder).string()));
  }
  return result;
}

void write_preferences(const std::filesystem::path& folder, const Preferences& preferences) {
  if (folder.empty()) return;
  make_folder(folder);
  const nlohmann::json json = {{"dark", preferences.dark},
                               {"font", preferences.font},
                               {"layout", preferences.layout},
                               {"tour_seen", preferences.tour_seen}};
  io::write_text(file_in(folder).string(), json.dump(2) + "\n");
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(fmt::format("{}: can't be made ({})", folder.string(), failed.message()));
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
