// See tour.h.
#include "viz/window/tour.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "viz/window/app.h"

namespace flashscope::window {
namespace {

struct Stop {
  const char* panel;
  const char* title;
  const char* text;
};

constexpr std::array kStops = std::to_array<Stop>({
    {"", "Four queries, four keys",
     "What runs here is attention on a problem small enough for a pencil: Q, K and V are 4 x 2, "
     "cut "
     "into tiles of 2 rows. Everything you see is computed as you step; nothing is a recording."},
    {"Program", "An algorithm is a table of lines",
     "The marked line executes next. Press → to execute it, ← to go back; Space plays. Click in "
     "the margin for a breakpoint; Edit lets you change the table and watch it break."},
    {"Memory hierarchy", "Tiles move, bytes count",
     "HBM is large and slow, SRAM small and fast. Step over a load and the tile travels down with "
     "its "
     "bytes on it. The more often a tile was read, the brighter it gets."},
    {"Tile map", "Which score tile is where",
     "Rows are q tiles, columns kv tiles: done, current, to come. Click a tile to go there."},
    {"Tile", "The numbers themselves",
     "Any tile on chip, at this very op. Hover a cell for its exact value and the error."},
    {"Softmax state", "The online softmax",
     "m, l and alpha of a row as keys come in, and the row's weights against the true softmax. "
     "When "
     "the maximum grows, what was summed before is multiplied by alpha."},
    {"Controls", "Change the problem",
     "Real tensors, masks, tilings, precisions, known faults. Ctrl+Z undoes, Ctrl+P finds any "
     "command, Ctrl+1, 2, 3 switch between layouts. Drop a .safetensors file to use your own."},
    {"Lesson", "A course beside it",
     "Ctrl+L lists lessons that move this session: N goes to the next stop, Ctrl+PageDown and "
     "Ctrl+PageUp turn the page, and Shift+F1 shows all keys."},
});

}  // namespace

int Tour::stops() { return static_cast<int>(kStops.size()); }

const char* Tour::panel() const {
  return is_running() ? kStops[static_cast<std::size_t>(stop_)].panel : "";
}

// Brings the stop's panel to the front, once: what a person does then is theirs.
void Tour::arrive(App& app) {
  if (arrived_ == stop_) return;
  arrived_ = stop_;
  const auto found = std::ranges::find(kPanelTitles, std::string_view(panel()));
  if (found == kPanelTitles.end()) return;
  const int index = static_cast<int>(found - kPanelTitles.begin());
  if (app.in_beamer() || !app.is_open(index)) {
    app.toggle_panel(index);
  } else {
    ImGui::SetWindowFocus(panel());
  }
}

void Tour::draw(App& app, const ImVec4& rectangle) {
  if (!is_running()) return;
  arrive(app);
  const Stop& stop = kStops[static_cast<std::size_t>(stop_)];
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  const float em = ImGui::GetFontSize();
  const bool has_panel = *stop.panel != '\0' && rectangle.z > rectangle.x;
  if (has_panel) {
    ImGui::GetForegroundDrawList()->AddRect({rectangle.x, rectangle.y}, {rectangle.z, rectangle.w},
                                            app.context().theme.accent, 0.3f * em, 0.18f * em);
  }
  // Beside the panel where there is more room, else in the middle.
  const float width = std::min(25 * em, viewport.WorkSize.x * 0.8f);
  ImVec2 place = viewport.GetWorkCenter();
  ImVec2 pivot = {0.5f, 0.5f};
  if (has_panel) {
    const bool right = viewport.WorkPos.x + viewport.WorkSize.x - rectangle.z > width + 2 * em;
    const bool left = rectangle.x - viewport.WorkPos.x > width + 2 * em;
    place.y = std::clamp((rectangle.y + rectangle.w) / 2, viewport.WorkPos.y + 9 * em,
                         viewport.WorkPos.y + viewport.WorkSize.y - 9 * em);
    if (right) {
      place.x = rectangle.z + em;
      pivot.x = 0;
    } else if (left) {
      place.x = rectangle.x - em;
      pivot.x = 1;
    }
  }
  ImGui::SetNextWindowPos(place, ImGuiCond_Always, pivot);
  ImGui::SetNextWindowSize({width, 0});
  ImGui::Begin("Guided tour", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PushFont(nullptr, ImGui::GetStyle().FontSizeBase * 1.2f);
  ImGui::TextUnformatted(stop.title);
  ImGui::PopFont();
  ImGui::TextWrapped("%s", stop.text);
  ImGui::Spacing();
  ImGui::BeginDisabled(stop_ == 0);
  if (ImGui::Button("Back##tour")) --stop_;
  ImGui::EndDisabled();
  ImGui::SameLine();
  const bool last = stop_ + 1 == stops();
  if (ImGui::Button(last ? "Start###next" : "Next###next")) stop_ = last ? -1 : stop_ + 1;
  ImGui::SameLine();
  if (!last && ImGui::Button("Skip")) stop_ = -1;
  ImGui::SameLine();
  ImGui::TextDisabled("%s", fmt::format("{} of {}", std::min(stop_ + 1, stops()), stops()).c_str());
  ImGui::End();
}

}  // namespace flashscope::window
