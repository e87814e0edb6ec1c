// See text_input.h.
#include "viz/window/text_input.h"

namespace flashscope::window {
namespace {

int grow(ImGuiInputTextCallbackData* data) {
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    auto& text = *static_cast<std::string*>(data->UserData);
    text.resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = text.data();
  }
  return 0;
}

}  // namespace

bool input_text(const char* label, const char* hint, std::string& text, ImGuiInputTextFlags flags) {
  return ImGui::InputTextWithHint(label, hint, text.data(), text.capacity() + 1,
                                  flags | ImGuiInputTextFlags_CallbackResize, grow, &text);
}

bool input_text_lines(const char* label, std::string& text, ImVec2 size,
                      ImGuiInputTextFlags flags) {
  return ImGui::InputTextMultiline(label, text.data(), text.capacity() + 1, size,
                                   flags | ImGuiInputTextFlags_CallbackResize, grow, &text);
}

void wrapped_text(ImU32 color, const std::string& text) {
  if (text.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
}

}  // namespace flashscope::window
