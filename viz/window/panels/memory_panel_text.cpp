// Text, tints and frames of the memory hierarchy's picture; see memory_panel.h.
#include <algorithm>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/memory_panel.h"

namespace flashscope::window::memory {
namespace {

constexpr float kSmall = 0.84f;  // of the font's size

struct Face {
  ImFont* font;
  float size;
};

Face face(const Frame& frame, Font font) {
  const bool mono = font == Font::mono || font == Font::mono_small;
  const bool small = font == Font::sans_small || font == Font::mono_small;
  return {mono ? frame.theme().mono : frame.theme().sans, frame.em * (small ? kSmall : 1.0f)};
}

}  // namespace

ImVec2 text_size(const Frame& frame, Font font, std::string_view text, float wrap) {
  const Face f = face(frame, font);
  return f.font->CalcTextSizeA(f.size, FLT_MAX, wrap, text.data(), text.data() + text.size());
}

void draw_text(const Frame& frame, Font font, ImVec2 at, ImU32 color, std::string_view text,
               float wrap) {
  const Face f = face(frame, font);
  frame.list->AddText(f.font, f.size, at, color, text.data(), text.data() + text.size(), wrap);
}

ImU32 tint(const Theme& theme, ImU32 color, float part) {
  const ImVec4 below = ImGui::ColorConvertU32ToFloat4(theme.background);
  const ImVec4 above = ImGui::ColorConvertU32ToFloat4(color);
  const auto mix = [part](float a, float b) { return a + (b - a) * part; };
  return ImGui::ColorConvertFloat4ToU32(
      {mix(below.x, above.x), mix(below.y, above.y), mix(below.z, above.z), 1.0f});
}

std::string short_bytes(std::int64_t bytes) {
  constexpr std::int64_t kKib = 1024;
  if (bytes == 0 || bytes % kKib != 0) return terminal::grouped(bytes) + " B";
  return terminal::grouped(bytes / kKib) + " KiB";
}

float memory_title_height(const Frame& frame) { return (frame.compact ? 1.45f : 1.75f) * frame.em; }

void draw_words(const Frame& frame) {
  const float edge = 0.2f * frame.em;
  for (const Words& words : frame.words) {
    const ImVec2 size = text_size(frame, words.font, words.text);
    frame.list->AddRectFilled({words.at.x - edge, words.at.y},
                              {words.at.x + size.x + edge, words.at.y + size.y},
                              frame.theme().surface);
    draw_text(frame, words.font, words.at, words.color, words.text);
  }
}

Box draw_memory(Frame& frame, const Box& box, const char* name, std::string_view note,
                std::string_view number, ImU32 number_color, const char* explanation) {
  const Theme& theme = frame.theme();
  const float em = frame.em, padding = 0.6f * em;
  frame.list->AddRectFilled(box.min, box.max, theme.surface, 0.4f * em);
  frame.list->AddRect(box.min, box.max, theme.line, 0.4f * em);
  const float y = box.min.y + (frame.compact ? 0.15f : 0.28f) * em;
  float x = box.min.x + padding;
  frame.words.push_back({Font::sans, {x, y}, theme.text, name});
  x += text_size(frame, Font::sans, name).x + 0.7f * em;
  float right = box.max.x - padding;
  if (!number.empty()) {
    right -= text_size(frame, Font::mono_small, number).x;
    frame.words.push_back(
        {Font::mono_small, {right, y + 0.12f * em}, number_color, std::string(number)});
  }
  if (x + text_size(frame, Font::sans_small, note).x < right - 0.5f * em) {
    frame.words.push_back(
        {Font::sans_small, {x, y + 0.12f * em}, theme.text_dim, std::string(note)});
  }
  ImGui::SetCursorScreenPos({box.min.x + padding, y});
  ImGui::InvisibleButton(fmt::format("##about_{}", name).c_str(),
                         {text_size(frame, Font::sans, name).x, em});
  ImGui::SetItemTooltip("%s", explanation);
  return {{box.min.x + padding, box.min.y + memory_title_height(frame)},
          {box.max.x - padding, box.max.y}};
}

}  // namespace flashscope::window::memory
