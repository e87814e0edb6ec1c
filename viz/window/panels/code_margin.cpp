// See code_margin.h.
#include "viz/window/panels/code_margin.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace flashscope::window {

ImU32 ink_colour(const Theme& theme, views::Ink ink, std::string_view word) {
  switch (ink) {
    case views::Ink::comment:
      return theme.text_dim;
    case views::Ink::keyword:
      return theme.text;
    case views::Ink::tensor:
      return theme.tensor(word);
    case views::Ink::marker:
      return Theme::faded(theme.accent, 0.75f);
    case views::Ink::plain:
    case views::Ink::number:
      return Theme::faded(theme.text, 0.8f);
  }
  return theme.text;
}

Margin::Margin(std::size_t lines) {
  digits = std::max(2, static_cast<int>(std::to_string(lines).size()));
  const float advance = ImGui::CalcTextSize("0").x;
  dot = std::round(advance * 0.9f);
  numbers_end = std::round(advance * (2.0f + static_cast<float>(digits)));
  bar = numbers_end + std::round(advance * 0.55f);
  width = numbers_end + std::round(advance * 1.5f);
}

void draw_margin(const Theme& theme, const Margin& margin, int line, const LineLook& look,
                 ImVec2 corner, float height) {
  ImDrawList* const draw = ImGui::GetWindowDrawList();
  const float size = ImGui::GetFontSize();
  const bool current = look.mark == LineLook::Mark::current;
  const std::string number = std::to_string(line);
  const ImU32 number_colour = look.mistake ? theme.bad
                              : current    ? theme.accent
                                           : Theme::faded(theme.text_dim, 0.75f);
  const float text_y = corner.y + std::floor((height - size) / 2);
  draw->AddText({corner.x + margin.numbers_end - ImGui::CalcTextSize(number.c_str()).x, text_y},
                number_colour, number.c_str());
  const ImVec2 centre = {corner.x + margin.dot, corner.y + height / 2};
  const float radius = size * 0.28f;
  if (look.dot == LineLook::Dot::on) draw->AddCircleFilled(centre, radius, theme.bad);
  if (look.dot == LineLook::Dot::faint) {
    draw->AddCircleFilled(centre, radius, Theme::faded(theme.bad, 0.35f));
  }
  if (look.dot == LineLook::Dot::off) {
    draw->AddCircle(centre, radius * 0.9f, theme.bad, 0, std::max(1.0f, size * 0.09f));
  }
  const float bar = std::max(2.0f, std::round(size * 0.16f));
  if (look.changed) {
    draw->AddRectFilled({corner.x + margin.bar, corner.y},
                        {corner.x + margin.bar + bar, corner.y + height}, theme.accent);
  }
  if (look.gone_below) {
    const float y = corner.y + height;
    draw->AddTriangleFilled({corner.x + margin.bar, y - bar * 1.5f},
                            {corner.x + margin.bar, y + bar * 1.5f},
                            {corner.x + margin.bar + bar * 2, y}, theme.accent);
  }
}

}  // namespace flashscope::window
