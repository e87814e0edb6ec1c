// How the window begins and what its panels are given; see app.h. app_move.cpp, app_files.cpp,
// app_lesson.cpp, app_look.cpp and app_draw.cpp have the rest.
#include "viz/window/app.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/setup/setup.h"

namespace flashscope::window {
namespace {

std::vector<std::unique_ptr<Panel>> make_panels(const Document& document,
                                                const LessonPlayer& lesson_player) {
  std::vector<std::unique_ptr<Panel>> panels;
  panels.push_back(make_memory_panel());
  panels.push_back(make_tile_map_panel());
  panels.push_back(make_tile_panel());
  panels.push_back(make_softmax_panel());
  panels.push_back(make_program_panel());
  panels.push_back(make_kernel_panel());
  panels.push_back(make_controls_panel());
  panels.push_back(make_traffic_panel());
  panels.push_back(make_budget_panel());
  panels.push_back(make_compare_panel());
  panels.push_back(make_console_panel(document.transcript()));
  panels.push_back(make_lesson_panel(lesson_player));
  for (std::size_t n = 0; n < panels.size(); ++n) {
    assert(std::string_view(panels[n]->title()) == kPanelTitles[n]);
  }
  return panels;
}

}  // namespace

App::App(Gui& gui, const Start& start, const std::filesystem::path& storage, float scale)
    : gui_(gui),
      storage_(storage),
      scale_(scale),
      document_(std::make_unique<Document>(start.options)),
      lesson_player_(start.progress),
      panels_(make_panels(*document_, lesson_player_)),
      open_(panels_.size()),
      rectangles_(panels_.size()),
      frames_in_front_(panels_.size()) {
  try {
    preferences_ = read_preferences(storage_);
    layout_ = start.layout ? *start.layout : parse_layout(preferences_.layout);
  } catch (const Error& error) {
    show_message("Preferences", error.what());
  }
  for (std::size_t n = 0; n < arrangements_.size(); ++n) {
    try {
      arrangements_[n] = read_arrangement(storage_, kArrangementNames[n]);
    } catch (const Error& error) {
      show_message("Layout", error.what());
    }
  }
  if (start.dark) preferences_.dark = *start.dark;
  if (start.session) document_->open(*start.session);
  if (start.position) {
    if (*start.position < 0 || *start.position > document_->debugger().program().size()) {
      throw Error(fmt::format("--at {}: the program has ops 0 to {}", *start.position,
                              document_->debugger().program().size()));
    }
    document_->debugger().go_to(*start.position);
  }
  if (start.panel) {
    beamer_ = panel_called(*start.panel);
    open_[static_cast<std::size_t>(*beamer_)] = true;
  }
  seen_program_ = document_->version();
  kept_preferences_ = preferences_;
  if (start.lesson) {
    lesson_player_.open(*start.lesson);
    if (!start.layout) layout_ = Layout::learn;
  } else if (start.tour && !preferences_.tour_seen) {
    tour_.start();
  }
  const Layout wanted = layout_;
  apply_layout(wanted);
  if (start.lesson) open_[static_cast<std::size_t>(panel_called("Lesson"))] = true;
  update_look();
}

int panel_called(std::string_view title) {
  for (std::size_t n = 0; n < kPanelTitles.size(); ++n) {
    if (kPanelTitles[n] == title) return static_cast<int>(n);
  }
  throw Error(
      fmt::format("--panel '{}': there is no such panel; {}", title,
                  nearest_name(std::string(title), {kPanelTitles.begin(), kPanelTitles.end()})));
}

Context App::context() const {
  return {document_->scenario(),
          document_->debugger(),
          document_->options(),
          device(document_->options()),
          playback_,
          selection_,
          gui_.theme(),
          document_->version(),
          state_version_,
          numbers_hidden()};
}

bool App::is_moving() const {
  return playback_.playing() || running_forward_ || export_.is_running();
}

std::string App::title() const {
  return fmt::format("{} — {} — FlashScope",
                     document_->debugger().program().algorithm().full_name(),
                     document_->scenario().title);
}

void App::changed() {
  ++state_version_;
  // The number of a tile means another tile in another table.
  if (seen_program_ != document_->version()) selection_.tile = -1;
  seen_program_ = document_->version();
}

void App::position_changed() {
  revealed_ = false;
  changed();
}

void App::try_to(const std::string& what, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    pause_playing();
    show_message(what, error.what());
  }
}

}  // namespace flashscope::window
