// The designs, and files of arrangements; see layout.h.
#include "viz/window/layout.h"

#include <charconv>
#include <fstream>
#include <imgui_internal.h>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/write_file.h"
#include "viz/window/preferences.h"

namespace flashscope::window {
namespace {

constexpr std::string_view kHeader = "; flashscope layout 1 ";
constexpr std::string_view kOpen = "; open ";

// FNV-1a: tells a damaged file from a whole one, no more.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::filesystem::path file_of(const std::filesystem::path& folder, std::string_view name) {
  return folder / fmt::format("layout-{}.ini", name);
}

ImGuiID split(ImGuiID& node, ImGuiDir side, float part) {
  ImGuiID rest = 0;
  const ImGuiID cut = ImGui::DockBuilderSplitNode(node, side, part, nullptr, &rest);
  node = rest;
  return cut;
}

void dock(ImGuiID node, std::initializer_list<const char*> titles) {
  for (const char* title : titles) ImGui::DockBuilderDockWindow(title, node);
}

// A column to read in at the left; beside it what it is about.
void dock_beside_lesson(ImGuiID center) {
  const ImGuiID lesson = split(center, ImGuiDir_Left, 0.31f);
  ImGuiID right = split(center, ImGuiDir_Right, 0.47f);
  const ImGuiID below_right = split(right, ImGuiDir_Down, 0.5f);
  const ImGuiID below = split(center, ImGuiDir_Down, 0.44f);
  dock(lesson, {"Lesson"});
  dock(center, {"Memory hierarchy", "Traffic"});
  dock(below, {"Softmax state", "Compare", "Console"});
  dock(right, {"Program", "CUDA kernel", "Controls", "SRAM budget"});
  dock(below_right, {"Tile map", "Tile"});
}

}  // namespace

std::string_view name_of(Layout layout) {
  switch (layout) {
    case Layout::learn:
      return "learn";
    case Layout::debug:
      return "debug";
    case Layout::measure:
      return "measure";
  }
  return "?";
}

Layout parse_layout(std::string_view name) {
  std::vector<std::string> names;
  for (const Layout layout : kLayouts) {
    if (name_of(layout) == name) return layout;
    names.emplace_back(name_of(layout));
  }
  throw Error(fmt::format("--layout '{}': there is no such layout; {}", name,
                          nearest_name(std::string(name), names)));
}

std::vector<std::string> designed_panels(std::size_t arrangement) {
  if (arrangement == kLessonArrangement) {
    return {"Lesson",           "Program",       "CUDA kernel", "Controls",
            "Memory hierarchy", "Softmax state", "Tile map",    "Tile"};
  }
  switch (static_cast<Layout>(arrangement)) {
    case Layout::learn:
      return {"Program",       "CUDA kernel", "Controls", "Memory hierarchy",
              "Softmax state", "Tile map",    "Tile"};
    case Layout::debug:
      return {"Program",  "CUDA kernel", "Controls", "Softmax state",
              "Tile map", "Tile",        "Compare",  "Console"};
    case Layout::measure:
      return {"Controls",    "Memory hierarchy", "Tile map", "Traffic",
              "SRAM budget", "CUDA kernel",      "Program"};
  }
  return {};
}

void dock_as_designed(std::size_t arrangement, ImGuiID dockspace, ImVec2 size) {
  ImGui::DockBuilderRemoveNode(dockspace);
  ImGui::DockBuilderAddNode(dockspace, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(dockspace, size);
  ImGuiID center = dockspace;
  if (arrangement == kLessonArrangement) {
    dock_beside_lesson(center);
    ImGui::DockBuilderFinish(dockspace);
    return;
  }
  switch (static_cast<Layout>(arrangement)) {
    case Layout::learn: {
      ImGuiID left = split(center, ImGuiDir_Left, 0.27f);
      ImGuiID right = split(center, ImGuiDir_Right, 0.37f);
      const ImGuiID below_left = split(left, ImGuiDir_Down, 0.36f);
      const ImGuiID below_right = split(right, ImGuiDir_Down, 0.52f);
      const ImGuiID below = split(center, ImGuiDir_Down, 0.41f);
      dock(left, {"Program", "CUDA kernel", "Lesson"});
      dock(below_left, {"Controls", "SRAM budget"});
      dock(center, {"Memory hierarchy", "Traffic"});
      dock(below, {"Softmax state", "Compare", "Console"});
      dock(right, {"Tile map"});
      dock(below_right, {"Tile"});
      break;
    }
    case Layout::debug: {
      ImGuiID left = split(center, ImGuiDir_Left, 0.3f);
      ImGuiID right = split(center, ImGuiDir_Right, 0.36f);
      const ImGuiID below_left = split(left, ImGuiDir_Down, 0.42f);
      const ImGuiID below_right = split(right, ImGuiDir_Down, 0.5f);
      const ImGuiID below = split(center, ImGuiDir_Down, 0.5f);
      dock(left, {"Program", "CUDA kernel", "Lesson"});
      dock(below_left, {"Console", "Controls"});
      dock(center, {"Tile"});
      dock(below, {"Softmax state", "Memory hierarchy", "Traffic"});
      dock(right, {"Tile map", "SRAM budget"});
      dock(below_right, {"Compare"});
      break;
    }
    case Layout::measure: {
      ImGuiID left = split(center, ImGuiDir_Left, 0.27f);
      ImGuiID right = split(center, ImGuiDir_Right, 0.38f);
      const ImGuiID below_left = split(left, ImGuiDir_Down, 0.42f);
      const ImGuiID below_right = split(right, ImGuiDir_Down, 0.5f);
      const ImGuiID below = split(center, ImGuiDir_Down, 0.45f);
      dock(left, {"Controls", "Console", "Lesson"});
      dock(below_left, {"Program", "CUDA kernel"});
      dock(center, {"Traffic", "Compare"});
      dock(below, {"Memory hierarchy", "Softmax state"});
      dock(right, {"SRAM budget"});
      dock(below_right, {"Tile map", "Tile"});
      break;
    }
  }
  ImGui::DockBuilderFinish(dockspace);
}

Arrangement read_arrangement(const std::filesystem::path& folder, std::string_view name) {
  Arrangement result;
  std::error_code none;
  if (folder.empty() || !std::filesystem::exists(file_of(folder, name), none)) return result;
  const std::string path = file_of(folder, name).string();
  std::ifstream file(path, std::ios::binary);
  std::string header, open;
  std::getline(file, header);
  std::ostringstream rest;
  rest << file.rdbuf();
  const std::string body = rest.str();
  if (header != fmt::format("{}{:016x}", kHeader, checksum(body)) || !body.starts_with(kOpen)) {
    throw Error(
        fmt::format("{}: damaged, or no layout of this program: the designed layout is "
                    "shown instead",
                    path));
  }
  const std::size_t end = body.find('\n');
  std::string_view titles = std::string_view(body).substr(kOpen.size(), end - kOpen.size());
  while (!titles.empty()) {
    const std::size_t comma = titles.find(',');
    result.open.emplace_back(titles.substr(0, comma));
    titles.remove_prefix(comma == std::string_view::npos ? titles.size() : comma + 1);
  }
  result.ini = body.substr(end + 1);
  return result;
}

void write_arrangement(const std::filesystem::path& folder, std::string_view name,
                       const Arrangement& arrangement) {
  if (folder.empty()) return;
  if (arrangement.ini.empty()) {
    std::error_code none;
    std::filesystem::remove(file_of(folder, name), none);
    return;
  }
  make_folder(folder);
  const std::string body =
      fmt::format("{}{}\n{}", kOpen, fmt::join(arrangement.open, ","), arrangement.ini);
  io::write_text(file_of(folder, name).string(),
                 fmt::format("{}{:016x}\n{}", kHeader, checksum(body), body));
}

}  // namespace flashscope::window
