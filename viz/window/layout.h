// Arrangements of the panels, one for each task. Each has a design; what a person makes of it is
// remembered, layout by layout.
#pragma once

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

// Titles of the panels that the design shows.
std::vector<std::string> designed_panels(Layout layout);
// Docks the panels as designed into `dockspace`, which has the given size in pixels.
void dock_as_designed(Layout layout, ImGuiID dockspace, ImVec2 size);

// An arrangement as kept in FOLDER/layout-NAME.ini: open panels, and Dear ImGui's own text.
struct Arrangement {
  std::vector<std::string> open;
  std::string ini;
};
// Nothing there: an empty one. Throws Error when the file is damaged (a checksum tells).
Arrangement read_arrangement(const std::filesystem::path& folder, Layout layout);
// An empty one takes away what was kept. Throws Error.
void write_arrangement(const std::filesystem::path& folder, Layout layout,
                       const Arrangement& arrangement);

}  // namespace flashscope::window
