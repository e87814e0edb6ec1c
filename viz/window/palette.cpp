// See palette.h.
#include "viz/window/palette.h"

#include <algorithm>
#include <cctype>
#include <imgui.h>
#include <optional>

#include "viz/window/app.h"
#include "viz/window/commands.h"
#include "viz/window/text_input.h"

namespace flashscope::window {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Smaller is better; nothing: no match.
std::optional<int> distance(const std::string& wanted, const std::string& title) {
  if (const std::size_t at = title.find(wanted); at != std::string::npos) {
    const bool begins_word = at == 0 || title[at - 1] == ' ';
    // "tile" is the whole name of one panel, and how another's begins. A plural is as good: of
    // "lesson", the list of lessons comes before the panel, which stands behind it in the menus.
    const std::string rest = title.substr(at + wanted.size());
    const bool is_all = rest.empty() || rest == "s";
    return 2 * static_cast<int>(at) + (begins_word ? 0 : 200) - (is_all ? 1 : 0);
  }
  std::size_t at = 0;
  int gaps = 0;
  for (const char c : wanted) {
    const std::size_t found = title.find(c, at);
    if (found == std::string::npos) return std::nullopt;
    gaps += static_cast<int>(found - at);
    at = found + 1;
  }
  return 1000 + gaps;
}

}  // namespace

std::vector<const Command*> matching_commands(const std::string& text) {
  const std::string wanted = lower(text);
  std::vector<std::pair<int, const Command*>> found;
  for (const Command& command : commands()) {
    const auto how = distance(wanted, lower(command.group + ": " + command.title));
    if (how) found.emplace_back(*how, &command);
  }
  std::ranges::stable_sort(found, {}, &std::pair<int, const Command*>::first);
  std::vector<const Command*> result;
  for (const auto& [how, command] : found) result.push_back(command);
  return result;
}

void Palette::draw(App& app) {
  constexpr const char* kTitle = "Command palette";
  if (wanted_) {
    wanted_ = false;
    text_.clear();
    chosen_ = 0;
    ImGui::OpenPopup(kTitle);
  }
  const float em = ImGui::GetFontSize();
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  ImGui::SetNextWindowSize(
      {std::min(34 * em, screen.x * 0.9f), std::min(26 * em, screen.y * 0.8f)});
  ImGui::SetNextWindowPos({screen.x / 2, screen.y * 0.12f}, ImGuiCond_Always, {0.5f, 0});
  is_open_ = ImGui::BeginPopup(kTitle);
  if (!is_open_) return;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  if (input_text("##command", "what to do: part of its name", text_)) chosen_ = 0;
  const std::vector<const Command*> found = matching_commands(text_);
  const int last = static_cast<int>(found.size()) - 1;
  bool moved = false;
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++chosen_, moved = true;
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --chosen_, moved = true;
  chosen_ = std::clamp(chosen_, 0, std::max(0, last));
  const Command* picked = nullptr;
  if (ImGui::IsKeyPressed(ImGuiKey_Enter) && last >= 0) {
    picked = found[static_cast<std::size_t>(chosen_)];
  }
  if (ImGui::BeginChild("##commands")) {
    if (found.empty()) ImGui::TextDisabled("no command is called that");
    for (int n = 0; n <= last; ++n) {
      const Command& command = *found[static_cast<std::size_t>(n)];
      const std::string label = command.group + ": " + command.title + "##" + command.name;
      if (ImGui::Selectable(label.c_str(), n == chosen_)) picked = &command;
      if (n == chosen_ && moved) ImGui::SetScrollHereY();
      const std::string key = key_text(command);
      const float width = ImGui::CalcTextSize(key.c_str()).x;
      ImGui::SameLine(ImGui::GetWindowWidth() - ImGui::GetStyle().ScrollbarSize - width - em / 2);
      ImGui::TextDisabled("%s", key.c_str());
    }
  }
  ImGui::EndChild();
  // At once, not only the text field as Dear ImGui has it.
  if (picked != nullptr || ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  if (picked != nullptr) {
    is_open_ = false;
    picked->run(app, picked->argument);
  }
}

}  // namespace flashscope::window
