// What the window draws around its panels: menus, dock space, beamer mode, transport, status. See
// app.h.
#include <algorithm>
#include <imgui_internal.h>

#include <fmt/format.h>

#include "viz/window/app.h"
#include "viz/window/commands.h"
#include "viz/window/text_input.h"

namespace flashscope::window {
namespace {

constexpr const char* kGroups[] = {"File", "Edit", "Move", "Teach", "View", "Panel"};

// True when it was chosen.
bool command_item(const App& app, const Command& command) {
  const bool on = command.is_on != nullptr && command.is_on(app, command.argument);
  const std::string label = command.title + "##" + command.name;
  return ImGui::MenuItem(label.c_str(), key_text(command).c_str(), on);
}

// In its dock or among floating windows.
void show_tab(ImGuiWindow& window) {
  if (window.DockNode != nullptr && window.DockNode->TabBar != nullptr) {
    window.DockNode->TabBar->NextSelectedTabId = window.TabId;
  } else {
    ImGui::BringWindowToDisplayFront(window.RootWindow);
  }
}

}  // namespace

void App::draw_menu() {
  if (!ImGui::BeginMainMenuBar()) return;
  for (const char* group : kGroups) {
    if (!ImGui::BeginMenu(group)) continue;
    for (const Command& command : commands()) {
      if (command.group == group) {
        if (command_item(*this, command)) command.run(*this, command.argument);
        if (command.group == "Panel") {
          ImGui::SetItemTooltip("%s",
                                panels_[static_cast<std::size_t>(command.argument)]->summary());
        }
      }
    }
    ImGui::EndMenu();
  }
  std::string text = notice_;
  if (export_.is_running()) {
    text = fmt::format("exporting to {} (Escape stops)", export_.folder());
  } else if (numbers_hidden()) {
    text = "numbers hidden: predict, then press R";
  }
  const float width = ImGui::CalcTextSize(text.c_str()).x;
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetFontSize();
  if (width < room) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
  ImGui::TextDisabled("%s", text.c_str());
  ImGui::EndMainMenuBar();
}

void App::draw_panel(int index, Requests& requests) {
  const auto n = static_cast<std::size_t>(index);
  Panel& panel = *panels_[n];
  const ImVec2 position = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  rectangles_[n] = {position.x, position.y, position.x + size.x, position.y + size.y};
  if (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) focused_ = index;
  // A panel that fails says why; what it left open in Dear ImGui is closed.
  ImGuiErrorRecoveryState state;
  ImGui::ErrorRecoveryStoreState(&state);
  try {
    panel.draw(context(), requests);
  } catch (const std::exception& error) {
    ImGui::GetIO().ConfigErrorRecoveryEnableAssert = false;
    ImGui::ErrorRecoveryTryToRecoverState(&state);
    ImGui::GetIO().ConfigErrorRecoveryEnableAssert = true;
    wrapped_text(gui_.theme().bad, error.what());
  }
  // Also over what a panel draws: its canvases take the left button alone.
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
      ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) {
    ImGui::OpenPopup("##panel menu");
  }
  if (ImGui::BeginPopup("##panel menu")) {
    focused_ = index;
    for (const char* name : {"copy_csv", "copy_markdown", "picture", "beamer"}) {
      if (command_item(*this, find_command(name))) requests.commands.emplace_back(name);
    }
    ImGui::EndPopup();
  }
}

void App::draw_panels() {
  const ImGuiID dockspace = ImGui::DockSpaceOverViewport(
      0, ImGui::GetMainViewport(),
      static_cast<ImGuiDockNodeFlags>(ImGuiDockNodeFlags_PassthruCentralNode) |
          static_cast<ImGuiDockNodeFlags>(ImGuiDockNodeFlags_NoWindowMenuButton));
  if (dock_as_designed_) {
    dock_as_designed_ = false;
    window::dock_as_designed(arrangement_, dockspace, ImGui::GetMainViewport()->WorkSize);
  }
  Requests requests;
  for (int index = 0; index < static_cast<int>(panels_.size()); ++index) {
    const auto n = static_cast<std::size_t>(index);
    if (!open_[n]) continue;
    bool open = true;
    if (wanted_focus_ == index) {
      ImGui::SetNextWindowFocus();
      wanted_focus_ = -1;
    }
    const float em = ImGui::GetFontSize();
    ImGui::SetNextWindowSize({34 * em, 26 * em}, ImGuiCond_FirstUseEver);
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoCollapse;
    // The focus stays where one reads.
    if (frames_in_front_[n] > 0) flags |= ImGuiWindowFlags_NoFocusOnAppearing;
    const bool shows = ImGui::Begin(kPanelTitles[n], &open, flags);
    if (frames_in_front_[n] > 0) {
      --frames_in_front_[n];
      show_tab(*ImGui::GetCurrentWindow());
      unfinished_ = true;
    }
    if (shows) {
      draw_panel(index, requests);
    }
    ImGui::End();
    open_[n] = open;
  }
  carry_out(requests);
}

void App::draw_beamer() {
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport.WorkPos);
  ImGui::SetNextWindowSize(viewport.WorkSize);
  Requests requests;
  ImGui::Begin("Beamer", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  draw_panel(*beamer_, requests);
  ImGui::End();
  carry_out(requests);
}

void App::frame(double seconds) {
  try_to("Playing", [&] { advance(seconds); });
  ++frames_;
  unfinished_ = false;
  follow_lesson();
  if (!dialogs_.is_open() && !palette_.is_open()) run_keys(*this);
  if (!beamer_) draw_menu();
  Requests requests;
  if (ImGui::BeginViewportSideBar(
          "##transport", ImGui::GetMainViewport(), ImGuiDir_Down, Transport::height(),
          ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar)) {
    transport_.draw(*this, requests);
  }
  ImGui::End();
  carry_out(requests);
  beamer_ ? draw_beamer() : draw_panels();
  if (!tour_.is_running()) preferences_.tour_seen = true;
  if (tour_.is_running()) {
    const auto at = std::ranges::find(kPanelTitles, std::string_view(tour_.panel()));
    const auto n = static_cast<std::size_t>(at - kPanelTitles.begin());
    tour_.draw(*this, n < rectangles_.size() ? rectangles_[n] : ImVec4());
  }
  // At once: a window that is killed has no time for it.
  if (preferences_ != kept_preferences_) {
    kept_preferences_ = preferences_;
    try {
      write_preferences(storage_, preferences_);
    } catch (const std::exception& error) {
      notice_ = error.what();
    }
  }
  palette_.draw(*this);
  dialogs_.draw(*this);
  if (export_.is_running() && export_waits_-- <= 0) {
    Shot shot;
    if (export_.panel() >= 0) {
      const ImVec4& r = rectangles_[static_cast<std::size_t>(export_.panel())];
      shot.min = {r.x, r.y};
      shot.max = {r.z, r.w};
    }
    shot.path = export_.take_path();
    shots_.push_back(std::move(shot));
    if (!export_.is_running()) {
      notice_ = fmt::format("{} frames in {}", export_.frames(), export_.folder());
      playback_.stand_at(0);
    }
  }
}

bool App::work_when_idle() {
  bool changed = false;
  try_to("Marks", [&] { changed = transport_.work_when_idle(context()); });
  return changed;
}

}  // namespace flashscope::window
