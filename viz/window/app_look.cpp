// Layouts, beamer mode, theme, tables and pictures of panels; see app.h.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "viz/window/app.h"

namespace flashscope::window {
namespace {

constexpr float kBeamerFont = 1.5f;

}  // namespace

void App::open_panels(const std::vector<std::string>& titles) {
  for (std::size_t n = 0; n < open_.size(); ++n) {
    open_[n] = std::ranges::find(titles, kPanelTitles[n]) != titles.end();
  }
}

void App::remember_arrangement() {
  Arrangement& kept = arrangements_[arrangement_];
  std::size_t size = 0;
  const char* ini = ImGui::SaveIniSettingsToMemory(&size);
  kept.ini.assign(ini, size);
  kept.open.clear();
  for (std::size_t n = 0; n < open_.size(); ++n) {
    if (open_[n]) kept.open.emplace_back(kPanelTitles[n]);
  }
}

std::size_t App::arrangement_of(Layout layout) const {
  const bool lesson = layout == Layout::learn && lesson_player_.is_open();
  return lesson ? kLessonArrangement : static_cast<std::size_t>(layout);
}

void App::apply_layout(Layout layout) {
  if (frames_ > 0) remember_arrangement();
  layout_ = layout;
  preferences_.layout = name_of(layout);
  arrangement_ = arrangement_of(layout);
  const Arrangement& kept = arrangements_[arrangement_];
  if (kept.ini.empty()) {
    reset_layout();
    return;
  }
  open_panels(kept.open);
  load_arrangement_ = true;
}

void App::reset_layout() {
  arrangement_ = arrangement_of(layout_);
  open_panels(designed_panels(arrangement_));
  dock_as_designed_ = true;
}

void App::before_frame() {
  if (!load_arrangement_) return;
  load_arrangement_ = false;
  const std::string& ini = arrangements_[arrangement_].ini;
  ImGui::LoadIniSettingsFromMemory(ini.data(), ini.size());
}

void App::keep() {
  if (storage_.empty()) return;
  if (frames_ > 0) remember_arrangement();
  for (std::size_t n = 0; n < arrangements_.size(); ++n) {
    write_arrangement(storage_, kArrangementNames[n], arrangements_[n]);
  }
  preferences_.tour_seen = preferences_.tour_seen || !tour_.is_running();
  write_preferences(storage_, preferences_);
}

void App::toggle_panel(int index) {
  if (beamer_) {
    show_in_beamer(index);
    return;
  }
  const auto n = static_cast<std::size_t>(index);
  open_[n] = !open_[n];
  if (open_[n]) wanted_focus_ = index;
}

void App::toggle_beamer() {
  if (beamer_) {
    beamer_.reset();
  } else {
    beamer_ = panel_to_present();
  }
  update_look();
}

void App::show_in_beamer(int index) {
  beamer_ = index;
  update_look();
}

void App::update_look() {
  const float beamer = beamer_ ? kBeamerFont : 1.0f;
  gui_.set_look(preferences_.dark, scale_, preferences_.font * beamer);
}

void App::toggle_dark() {
  preferences_.dark = !preferences_.dark;
  update_look();
}

void App::scale_font(int direction) {
  const float step = 1.1f;
  preferences_.font = direction == 0
                          ? 1
                          : std::clamp(preferences_.font * (direction > 0 ? step : 1 / step),
                                       Preferences::kSmallestFont, Preferences::kLargestFont);
  update_look();
}

void App::toggle_prediction() {
  predicts_ = !predicts_;
  revealed_ = false;
  changed();
}

void App::reveal() {
  revealed_ = true;
  changed();
}

// The panel in focus, unless it is one to type in: then what a class wants to see.
int App::panel_to_present() const {
  const int focus = panel_in_focus();
  if (focus < 0 || focus == panel_called("Controls") || focus == panel_called("Console")) return 0;
  return focus;
}

int App::panel_in_focus() const { return beamer_ ? *beamer_ : focused_; }

void App::copy(bool markdown) {
  const int panel = panel_in_focus();
  if (panel < 0) {
    notice_ = "click a panel first: its table is copied";
    return;
  }
  if (numbers_hidden()) {
    notice_ = "numbers are hidden: reveal them first (R)";
    return;
  }
  const auto sheet = panels_[static_cast<std::size_t>(panel)]->sheet(context());
  if (!sheet) {
    notice_ = fmt::format("{} has no table", kPanelTitles[static_cast<std::size_t>(panel)]);
    return;
  }
  const std::string text = markdown ? to_markdown(*sheet) : to_csv(*sheet);
  ImGui::SetClipboardText(text.c_str());
  notice_ =
      fmt::format("{} rows of {} copied as {}", sheet->rows.size(),
                  kPanelTitles[static_cast<std::size_t>(panel)], markdown ? "Markdown" : "CSV");
}

void App::shoot(bool whole_window) {
  const int panel = panel_in_focus();
  Shot shot;
  shot.announced = true;
  std::string name = "flashscope";
  if (!whole_window && panel >= 0) {
    const ImVec4& r = rectangles_[static_cast<std::size_t>(panel)];
    shot.min = {r.x, r.y};
    shot.max = {r.z, r.w};
    name = kPanelTitles[static_cast<std::size_t>(panel)];
    std::ranges::replace(name, ' ', '-');
  }
  // A name that is not taken.
  std::error_code failed;
  for (int n = 1; shot.path.empty() || std::filesystem::exists(shot.path, failed); ++n) {
    shot.path = fmt::format("{}-op{}{}.png", name, document_->debugger().session().position(),
                            n == 1 ? "" : fmt::format("-{}", n));
  }
  shots_.push_back(std::move(shot));
}

std::vector<Shot> App::take_shots() { return std::exchange(shots_, {}); }

void App::shot_done(const Shot& shot, const std::string& error) {
  if (!error.empty()) {
    export_.stop();
    show_message("Picture", error);
  } else if (shot.announced) {
    notice_ = "picture written to " + shot.path;
  }
}

void App::start_export(const FrameExport& wish) {
  pause_playing();
  export_ = wish;
  // The dialog goes, the panel comes to the front; only then its pictures are right.
  export_waits_ = 3;
  wanted_focus_ = wish.panel();
}

void App::show_message(const std::string& title, const std::string& text) {
  dialogs_.show_message(title, text);
}

}  // namespace flashscope::window
