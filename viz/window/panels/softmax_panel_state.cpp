// The softmax panel's table of the state now; see softmax_panel_parts.h.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/figures.h"
#include "viz/window/panels/softmax_panel_parts.h"

namespace flashscope::window {

void draw_state_table(const Context& context, const views::SoftmaxNow& now) {
  const auto flags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH |
                     ImGuiTableFlags_NoSavedSettings;
  // In a narrow panel fp64 is left to the tooltips.
  const bool narrow = ImGui::GetContentRegionAvail().x < 19 * ImGui::GetFontSize();
  if (!ImGui::BeginTable("##state", narrow ? 3 : 4, flags)) return;
  const Theme& theme = context.theme;
  const char* const headers[] = {"", now.live ? "now" : "then", "fp64", "off by"};
  static constexpr const char* kTips[] = {
      "", "What the machine holds for this row.",
      "What the fp64 reference gives over exactly the keys consumed so far. A quantity counts the "
      "keys of the step under way once its own line is done.",
      "now − fp64, where both are known."};
  ImGui::TableNextRow();
  for (int c = 0; c < 4; ++c) {
    if (narrow && c == 2) continue;
    ImGui::TableNextColumn();
    const float room = ImGui::GetContentRegionAvail().x;
    const float width = ImGui::CalcTextSize(headers[c]).x;
    if (c > 0) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0f, room - width));
    ImGui::TextDisabled("%s", headers[c]);
    if (c > 0) ImGui::SetItemTooltip("%s", kTips[c]);
  }
  const auto cell = [&](const std::string& text, ImU32 color) {
    ImGui::TableNextColumn();
    draw_number(theme, text, color);
  };
  const auto shown = [&](double value, bool known) {
    if (context.numbers_hidden) return std::string("?");
    return std::isnan(value) && !known ? std::string("·") : terminal::short_number(value);
  };
  for (std::size_t n = 0; n < now.entries.size(); ++n) {
    const views::StateEntry& entry = now.entries[n];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(theme.tensor(entry.name)), "%s", entry.name);
    // m + ln l needs both of the state's numbers.
    const bool apart = n == 3 && std::isnan(entry.here) && !entry.comparable &&
                       !std::isnan(now.entries[0].here) && !std::isnan(now.entries[1].here);
    ImGui::SetItemTooltip(
        "%s\n%s%s", explain_quantity(n),
        apart ? "Not now: m and l belong to different keys at the moment." : "fp64: ",
        apart ? "" : shown(entry.truth, entry.comparable).c_str());
    cell(shown(entry.here, entry.comparable), entry.differs ? theme.bad : theme.text);
    if (!narrow) cell(shown(entry.truth, entry.comparable), theme.text_dim);
    const double off = entry.here == entry.truth ? 0 : entry.here - entry.truth;
    const std::string text = context.numbers_hidden ? "?"
                             : !entry.comparable    ? "·"
                                                    : fmt::format("{:+.2g}", off);
    cell(off == 0 && entry.comparable && !context.numbers_hidden ? "0" : text,
         entry.differs ? theme.bad : theme.text_dim);
  }
  ImGui::EndTable();
}

}  // namespace flashscope::window
