// The palettes; see theme.h.
#include "viz/window/theme.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <implot.h>

namespace flashscope::window {
namespace {

constexpr ImU32 rgb(unsigned hex) {
  return IM_COL32((hex >> 16) & 255, (hex >> 8) & 255, hex & 255, 255);
}

ImVec4 to_vec(ImU32 color) { return ImGui::ColorConvertU32ToFloat4(color); }

ImU32 mix(ImU32 a, ImU32 b, double part) {
  const ImVec4 x = to_vec(a), y = to_vec(b);
  const auto t = static_cast<float>(std::clamp(part, 0.0, 1.0));
  return ImGui::ColorConvertFloat4ToU32(x * ImVec4(1 - t, 1 - t, 1 - t, 1 - t) +
                                        y * ImVec4(t, t, t, t));
}

template <std::size_t N>
ImU32 along(const std::array<ImU32, N>& stops, double value) {
  const double place = std::clamp(value, 0.0, 1.0) * static_cast<double>(N - 1);
  const auto below = std::min(static_cast<std::size_t>(place), N - 2);
  return mix(stops[below], stops[below + 1], place - static_cast<double>(below));
}

}  // namespace

Theme Theme::make(bool dark) {
  Theme theme;
  theme.dark = dark;
  theme.text = rgb(dark ? 0xe8eaed : 0x1b1f24);
  theme.text_dim = rgb(dark ? 0x9aa3ae : 0x5b6570);
  theme.background = rgb(dark ? 0x16191d : 0xffffff);
  theme.surface = rgb(dark ? 0x23282e : 0xf0f2f5);
  theme.line = rgb(dark ? 0x3d444d : 0xc8ced6);
  theme.accent = rgb(dark ? 0xffd24a : 0xb35900);
  theme.good = rgb(dark ? 0x3fc79a : 0x00785a);
  theme.bad = rgb(dark ? 0xff8a5c : 0xb83a00);
  theme.empty_tile = rgb(dark ? 0x1c2025 : 0xf3f4f6);
  theme.partial_tile = rgb(dark ? 0x7d6a2f : 0xf0d58a);
  theme.full_tile = rgb(dark ? 0x35617f : 0xa9cfe8);
  return theme;
}

ImU32 Theme::tensor(std::string_view buffer) const {
  switch (buffer.empty() ? ' ' : buffer.front()) {
    case 'Q':
      return rgb(dark ? 0x3d9be0 : 0x0072b2);
    case 'K':
      return rgb(0xe69f00);
    case 'V':
      return rgb(dark ? 0x1fb588 : 0x009e73);
    case 'S':
      return rgb(dark ? 0xcc79a7 : 0xb85c90);
    case 'P':
      return rgb(dark ? 0xe8743b : 0xd55e00);
    case 'O':
      return rgb(0x56b4e9);
    default:
      return rgb(dark ? 0xe6dc52 : 0x8f8500);
  }
}

ImU32 Theme::tile_class(TileClass tile_class) const {
  switch (tile_class) {
    case TileClass::empty:
      return empty_tile;
    case TileClass::partial:
      return partial_tile;
    case TileClass::full:
      return full_tile;
  }
  return 0;
}

ImU32 Theme::heat(double value) const {
  static constexpr std::array kStops = {rgb(0x00224e), rgb(0x35456c), rgb(0x666970),
                                        rgb(0x948e77), rgb(0xc8b866), rgb(0xfee838)};
  return along(kStops, value);
}

ImU32 Theme::diverging(double value) const {
  const ImU32 zero = rgb(dark ? 0x2a2f36 : 0xf6f6f4);
  return value < 0 ? mix(zero, rgb(dark ? 0x4aa8f0 : 0x1f6fb5), -value)
                   : mix(zero, rgb(dark ? 0xf0973a : 0xd9701a), value);
}

ImU32 Theme::ink_on(ImU32 color) {
  // By contrast, (L + 0.05) / (l + 0.05) of relative luminances (WCAG 2): from here on the dark ink
  // has more of it.
  constexpr float kEvenLuminance = 0.193f;
  const ImVec4 c = to_vec(color);
  const auto linear = [](float part) {
    return part <= 0.04045f ? part / 12.92f : std::pow((part + 0.055f) / 1.055f, 2.4f);
  };
  const float luminance = 0.2126f * linear(c.x) + 0.7152f * linear(c.y) + 0.0722f * linear(c.z);
  return luminance > kEvenLuminance ? rgb(0x101214) : rgb(0xffffff);
}

ImU32 Theme::faded(ImU32 color, float alpha) {
  ImVec4 c = to_vec(color);
  c.w *= alpha;
  return ImGui::ColorConvertFloat4ToU32(c);
}

void apply(const Theme& theme, float scale) {
  ImGuiStyle style;
  theme.dark ? ImGui::StyleColorsDark(&style) : ImGui::StyleColorsLight(&style);
  style.WindowRounding = style.FrameRounding = style.TabRounding = style.GrabRounding = 3;
  style.WindowPadding = {8, 6};
  style.FramePadding = {6, 3};
  style.ItemSpacing = {6, 4};
  style.DockingSeparatorSize = 2;
  style.FrameBorderSize = theme.dark ? 0.0f : 1.0f;
  style.ScaleAllSizes(scale);
  style.FontScaleMain = ImGui::GetStyle().FontScaleMain;
  style.FontScaleDpi = ImGui::GetStyle().FontScaleDpi;
  style.FontSizeBase = ImGui::GetStyle().FontSizeBase;
  const ImVec4 background = to_vec(theme.background), surface = to_vec(theme.surface);
  const ImVec4 text = to_vec(theme.text), dim = to_vec(theme.text_dim), line = to_vec(theme.line);
  style.Colors[ImGuiCol_Text] = text;
  style.Colors[ImGuiCol_TextDisabled] = dim;
  style.Colors[ImGuiCol_WindowBg] = background;
  style.Colors[ImGuiCol_ChildBg] = {0, 0, 0, 0};
  style.Colors[ImGuiCol_PopupBg] = surface;
  style.Colors[ImGuiCol_MenuBarBg] = surface;
  style.Colors[ImGuiCol_Border] = line;
  style.Colors[ImGuiCol_Separator] = line;
  style.Colors[ImGuiCol_TitleBg] = surface;
  style.Colors[ImGuiCol_TitleBgActive] = surface;
  style.Colors[ImGuiCol_FrameBg] = to_vec(mix(theme.surface, theme.line, 0.5));
  style.Colors[ImGuiCol_TableHeaderBg] = surface;
  style.Colors[ImGuiCol_ModalWindowDimBg] = {0, 0, 0, 0.45f};
  style.Colors[ImGuiCol_NavWindowingDimBg] = {0, 0, 0, 0.3f};
  // One quiet tone for all that can be pressed; the accent is kept for where the program stands.
  const ImVec4 button = to_vec(theme.dark ? rgb(0x2d3f52) : rgb(0xd5e3f0));
  const ImVec4 hovered = to_vec(theme.dark ? rgb(0x3b5571) : rgb(0xbfd6ea));
  const ImVec4 active = to_vec(theme.dark ? rgb(0x4a6f95) : rgb(0x9fc2e0));
  style.Colors[ImGuiCol_Button] = style.Colors[ImGuiCol_Header] = button;
  style.Colors[ImGuiCol_ButtonHovered] = style.Colors[ImGuiCol_HeaderHovered] = hovered;
  style.Colors[ImGuiCol_ButtonActive] = style.Colors[ImGuiCol_HeaderActive] = active;
  style.Colors[ImGuiCol_FrameBgHovered] = hovered;
  style.Colors[ImGuiCol_Tab] = surface;
  style.Colors[ImGuiCol_TabHovered] = hovered;
  style.Colors[ImGuiCol_TabSelected] = style.Colors[ImGuiCol_TabDimmedSelected] = button;
  style.Colors[ImGuiCol_TabDimmed] = surface;
  ImGui::GetStyle() = style;

  ImPlot::GetStyle() = ImPlotStyle();
  ImPlotStyle& plot = ImPlot::GetStyle();
  theme.dark ? ImPlot::StyleColorsDark(&plot) : ImPlot::StyleColorsLight(&plot);
  plot.Colors[ImPlotCol_FrameBg] = {0, 0, 0, 0};
  plot.Colors[ImPlotCol_PlotBg] = to_vec(theme.surface);
  plot.Colors[ImPlotCol_PlotBorder] = line;
  plot.PlotPadding = ImVec2(6, 6) * scale;
  plot.LabelPadding = ImVec2(4, 3) * scale;
  plot.LegendPadding = ImVec2(6, 4) * scale;
}

}  // namespace flashscope::window
