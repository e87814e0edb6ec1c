// Text fields that keep their text in a std::string.
#pragma once

#include <string>

#include <imgui.h>

namespace flashscope::window {

// True when the text changed (with ImGuiInputTextFlags_EnterReturnsTrue: when Enter was pressed).
bool input_text(const char* label, const char* hint, std::string& text,
                ImGuiInputTextFlags flags = 0);
bool input_text_lines(const char* label, std::string& text, ImVec2 size,
                      ImGuiInputTextFlags flags = 0);

}  // namespace flashscope::window
