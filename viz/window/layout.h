// Arrangements of the panels, one for each task. Each has a design; what a person makes of it is
// remembered, layout by layout.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <imgui.h>
#include <string>
#include <string_view>
#include <vector>

namespace flashscope::window {

enum class Layout : std::uint8_t { learn, debug, measure };

inline constexpr Layout kLayouts[] = {Layout::learn, Layout::debug, Layout::measure};
std::string_view name_of(Layout layout);
// Throws Error for another name than those.
Layout parse_layout(std::string_view name);

// What is arranged: the layouts, and `learn` with a lesson beside it.
inline constexpr std::array<std::string_view, 4> kArrangementNames = {"learn", "debug", "measure",
                                                                      "lesson"};
inline constexpr std::size_t kLessonArrangement = 3;

// All by their number in kArrangementNames.
//
// Titles of the panels that the design shows.
std::vector<std::string> designed_panels(std::size_t arrangement);
inline std::vector<std::string> designed_panels(Layout layout) {
  return designed_panels(static_cast<std::size_t>(layout));
}
// Docks the panels as designed into `dockspace`, which has the given size in pixels.
void dock_as_designed(std::size_t arrangement, ImGuiID dockspace, ImVec2 size);

// An arrangement as kept in FOLDER/layout-NAME.ini: open panels, and Dear ImGui's own text.
struct Arrangement {
  std::vector<std::string> open;
  std::string ini;
};
// Nothing there: an empty one. Throws Error when the file is damaged (a checksum tells).
Arrangement read_arrangement(const std::filesystem::path& folder, std::string_view name);
// An empty one takes away what was kept. Throws Error.
void write_arrangement(const std::filesystem::path& folder, std::string_view name,
                       const Arrangement& arrangement);

}  // namespace flashscope::window
