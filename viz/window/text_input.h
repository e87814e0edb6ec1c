// Text fields that keep their text in a std::string, and text in a colour.
#pragma once

#include <imgui.h>
#include <string>

namespace flashscope::window {

// True when the text changed (with ImGuiInputTextFlags_EnterReturnsTrue: when Enter was pressed).
bool input_text(const char* label, const char* hint, std::string& text,
                ImGuiInputTextFlags flags = 0);
bool input_text_lines(const char* label, std::string& text, ImVec2 size,
                      ImGuiInputTextFlags flags = 0);

// Over as many lines as it takes; nothing for an empty text.
void wrapped_text(ImU32 color, const std::string& text);

}  // namespace flashscope::window
