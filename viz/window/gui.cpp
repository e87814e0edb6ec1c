// Contexts and fonts; see gui.h. The fonts' files are copied into the program by the assembler, so
// that it looks the same everywhere; FLASHSCOPE_SANS, … come from the build.
#include "viz/window/gui.h"

#include <cstddef>
#include <implot.h>

__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    "flashscope_font_sans:\n.incbin \"" FLASHSCOPE_SANS
    "\"\n"
    "flashscope_font_sans_end:\n"
    ".balign 16\n"
    "flashscope_font_mono:\n.incbin \"" FLASHSCOPE_MONO
    "\"\n"
    "flashscope_font_mono_end:\n"
    ".balign 16\n"
    "flashscope_font_symbols:\n.incbin \"" FLASHSCOPE_SYMBOLS
    "\"\n"
    "flashscope_font_symbols_end:\n"
    ".previous\n");

extern "C" {
extern const std::byte flashscope_font_sans[], flashscope_font_sans_end[];
extern const std::byte flashscope_font_mono[], flashscope_font_mono_end[];
extern const std::byte flashscope_font_symbols[], flashscope_font_symbols_end[];
}

namespace flashscope::window {
namespace {

ImFont* add_font(const std::byte* begin, const std::byte* end, bool merge) {
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  config.MergeMode = merge;
  // Dear ImGui takes a pointer to non-const, but only reads.
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(
      const_cast<std::byte*>(begin), static_cast<int>(end - begin), kFontSize, &config);
}

}  // namespace

Gui::Gui() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable | ImGuiConfigFlags_NavEnableKeyboard;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  io.IniFilename = nullptr;  // layouts are kept by layout.h
  io.LogFilename = nullptr;
  sans_ = add_font(flashscope_font_sans, flashscope_font_sans_end, false);
  add_font(flashscope_font_symbols, flashscope_font_symbols_end, true);
  mono_ = add_font(flashscope_font_mono, flashscope_font_mono_end, false);
  ImGui::GetStyle().FontSizeBase = kFontSize;
  set_look(true, 1, 1);
}

Gui::~Gui() {
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
}

void Gui::set_look(bool dark, float scale, float font) {
  theme_ = Theme::make(dark);
  theme_.sans = sans_;
  theme_.mono = mono_;
  apply(theme_, scale);
  ImGui::GetStyle().FontScaleDpi = scale;
  ImGui::GetStyle().FontScaleMain = font;
}

}  // namespace flashscope::window
