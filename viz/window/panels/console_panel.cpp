// The debugger prompt: the same commands, on the same session, as `flashscope debug`.
#include <algorithm>
#include <string>
#include <vector>

#include "viz/window/panel.h"
#include "viz/window/text_input.h"

namespace flashscope::window {
namespace {

class ConsolePanel final : public Panel {
 public:
  explicit ConsolePanel(const std::vector<std::string>& transcript) : transcript_(transcript) {}

  const char* title() const override { return "Console"; }
  const char* summary() const override {
    return "The debugger prompt: break, watch, print, goto, … (help lists them)";
  }

  void draw(const Context& context, Requests& requests) override {
    const float line = ImGui::GetFrameHeightWithSpacing();
    ImGui::PushFont(context.theme.mono, 0.0f);
    if (ImGui::BeginChild("##transcript", {0, -line}, 0, ImGuiWindowFlags_HorizontalScrollbar)) {
      if (transcript_.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, context.theme.text_dim);
        ImGui::TextWrapped("the prompt of `flashscope debug`: type help, or break wrong");
        ImGui::PopStyleColor();
      }
      ImGuiListClipper clipper;
      clipper.Begin(static_cast<int>(transcript_.size()));
      while (clipper.Step()) {
        for (int n = clipper.DisplayStart; n < clipper.DisplayEnd; ++n) {
          const std::string& text = transcript_[static_cast<std::size_t>(n)];
          const bool typed = text.starts_with("(flashscope)");
          ImGui::PushStyleColor(ImGuiCol_Text, typed ? context.theme.accent : context.theme.text);
          ImGui::TextUnformatted(text.c_str());
          ImGui::PopStyleColor();
        }
      }
      if (seen_ != transcript_.size()) ImGui::SetScrollHereY(1);
      seen_ = transcript_.size();
    }
    ImGui::EndChild();
    ImGui::SetNextItemWidth(-1);
    if (input_text("##prompt", "(flashscope)", typed_, ImGuiInputTextFlags_EnterReturnsTrue)) {
      // As at the prompt, an empty line repeats the last one.
      if (typed_.find_first_not_of(' ') == std::string::npos) typed_ = last_;
      if (!typed_.empty()) requests.console = typed_;
      last_ = typed_;
      typed_.clear();
      ImGui::SetKeyboardFocusHere(-1);
    }
    ImGui::PopFont();
  }

  std::optional<views::Sheet> sheet(const Context&) const override {
    views::Sheet sheet{{"console"}, {}};
    for (const std::string& line : transcript_) sheet.rows.push_back({line});
    return sheet;
  }

 private:
  const std::vector<std::string>& transcript_;
  std::string typed_, last_;
  std::size_t seen_ = 0;
};

}  // namespace

std::unique_ptr<Panel> make_console_panel(const std::vector<std::string>& transcript) {
  return std::make_unique<ConsolePanel>(transcript);
}

}  // namespace flashscope::window
