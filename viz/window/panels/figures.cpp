// See figures.h.
#include "viz/window/panels/figures.h"

#include <algorithm>

namespace flashscope::window {
namespace {

constexpr float kBarHeight = 1.4f;  // of the font's size, as all sizes here
constexpr float kLabelMargin = 0.3f;
constexpr float kTipWidth = 26;

void draw_tip_text(const std::string& text) {
  ImGui::PushTextWrapPos(ImGui::GetFontSize() * kTipWidth);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
}

}  // namespace

void draw_bar(const Theme& theme, const char* id, std::span<const BarPart> parts, double whole,
              std::optional<double> limit) {
  const float em = ImGui::GetFontSize();
  const ImVec2 size(std::max(ImGui::GetContentRegionAvail().x, em), em * kBarHeight);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImGui::InvisibleButton(id, size);
  const bool hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(from, from + size, theme.surface, ImGui::GetStyle().FrameRounding);
  const auto x_of = [&](double value) {
    const double part = whole > 0 ? std::clamp(value / whole, 0.0, 1.0) : 0;
    return from.x + size.x * static_cast<float>(part);
  };
  const float gap = std::max(1.0f, em / 16);
  double begin = 0;
  for (const BarPart& part : parts) {
    if (part.size <= 0) continue;
    const ImVec2 low(x_of(begin), from.y), high(x_of(begin + part.size), from.y + size.y);
    const float end = std::max(high.x - gap, low.x + 1);
    const float filled = x_of(begin + part.filled);
    draw.AddRectFilled(low, ImVec2(end, high.y), Theme::faded(part.color, 0.28f));
    draw.AddRectFilled(low, ImVec2(std::clamp(filled, low.x, end), high.y), part.color);
    const ImVec2 text = ImGui::CalcTextSize(part.label.c_str());
    if (text.x + 2 * em * kLabelMargin <= end - low.x) {
      const float label_x = low.x + em * kLabelMargin;
      const bool on_fill = filled >= label_x + text.x * 0.6f;
      draw.AddText(ImVec2(label_x, from.y + (size.y - text.y) / 2),
                   on_fill ? Theme::ink_on(part.color) : theme.text, part.label.c_str());
    }
    if (hovered && ImGui::GetIO().MousePos.x >= low.x && ImGui::GetIO().MousePos.x < high.x &&
        ImGui::BeginTooltip()) {
      draw_tip_text(part.tip);
      ImGui::EndTooltip();
    }
    begin += part.size;
  }
  if (!limit) return;
  const float x = std::min(x_of(*limit), from.x + size.x - gap);
  if (begin > *limit) {
    draw.AddRect(ImVec2(x, from.y), ImVec2(x_of(begin), from.y + size.y), theme.bad, 0, 2 * gap);
  }
  const float reach = em * 0.2f;
  draw.AddLine(ImVec2(x, from.y - reach), ImVec2(x, from.y + size.y + reach),
               begin > *limit ? theme.bad : theme.text, 2 * gap);
}

void draw_number(const Theme& theme, const std::string& text, ImU32 color) {
  ImGui::PushFont(theme.mono, 0.0f);
  const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(text.c_str()).x;
  if (room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

void draw_named_number(const Theme& theme, const char* name, const std::string& explanation,
                       const std::string& number, ImU32 color) {
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::PushFont(theme.mono, 0.0f);
  const float number_width = ImGui::CalcTextSize(number.c_str()).x;
  ImGui::PopFont();
  ImGui::TextUnformatted(name);
  tip(explanation);
  if (ImGui::GetItemRectSize().x + ImGui::GetFontSize() * 0.5f + number_width <= room) {
    ImGui::SameLine();
  }
  draw_number(theme, number, color);
}

void draw_heads(const Theme& theme, std::span<const ColumnHead> heads) {
  for (const ColumnHead& head : heads) ImGui::TableSetupColumn(head.name, 0, head.width);
  ImGui::TableNextRow();
  for (const ColumnHead& head : heads) {
    ImGui::TableNextColumn();
    const float room = ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize(head.name).x;
    if (&head != heads.data() && room > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room);
    ImGui::PushStyleColor(ImGuiCol_Text, theme.text_dim);
    ImGui::TextUnformatted(head.name);
    ImGui::PopStyleColor();
    tip(head.tip);
  }
}

void draw_number_cell(const Theme& theme, const std::string& text, ImU32 color) {
  ImGui::TableNextColumn();
  draw_number(theme, text, color);
}

void draw_note(ImU32 color, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, color);
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

void draw_swatch(ImU32 color, const std::string& text) {
  const float em = ImGui::GetFontSize(), side = em * 0.6f;
  const ImVec2 at = ImGui::GetCursorScreenPos() + ImVec2(0, (em - side) / 2);
  ImGui::GetWindowDrawList()->AddRectFilled(at, at + ImVec2(side, side), color, side / 5);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + em * 0.9f);
  ImGui::TextUnformatted(text.c_str());
}

void tip(const std::string& text) {
  if (text.empty() || !ImGui::BeginItemTooltip()) return;
  draw_tip_text(text);
  ImGui::EndTooltip();
}

void draw_heading(const Theme& theme, const char* text) {
  ImGui::Dummy(ImVec2(0, ImGui::GetFontSize() * 0.35f));
  draw_note(theme.text_dim, text);
}

bool is_wide(float ems) { return ImGui::GetContentRegionAvail().x >= ems * ImGui::GetFontSize(); }

}  // namespace flashscope::window
