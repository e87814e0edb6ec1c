// What the window does; see app.h. What it draws around the panels is in app_draw.cpp.
#include "viz/window/app.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/safetensors.h"
#include "viz/terminal/setup.h"
#include "viz/window/commands.h"

namespace flashscope::window {
namespace {

constexpr float kBeamerFont = 1.5f;
constexpr double kSliceSeconds = 0.010;  // of running to a breakpoint, per frame

std::vector<std::unique_ptr<Panel>> make_panels(const Document& document) {
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
  for (std::size_t n = 0; n < panels.size(); ++n) {
    assert(std::string_view(panels[n]->title()) == kPanelTitles[n]);
  }
  return panels;
}

int panel_called(const std::string& title) {
  for (std::size_t n = 0; n < kPanelTitles.size(); ++n) {
    if (kPanelTitles[n] == title) return static_cast<int>(n);
  }
  throw Error(fmt::format("--panel '{}': there is no such panel; {}", title,
                          nearest_name(title, {kPanelTitles.begin(), kPanelTitles.end()})));
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

App::App(Gui& gui, const Start& start, const std::filesystem::path& storage, float scale)
    : gui_(gui),
      storage_(storage),
      scale_(scale),
      document_(std::make_unique<Document>(start.options)),
      panels_(make_panels(*document_)),
      open_(panels_.size()),
      rectangles_(panels_.size()) {
  try {
    preferences_ = read_preferences(storage_);
    layout_ = start.layout ? *start.layout : parse_layout(preferences_.layout);
  } catch (const Error& error) {
    show_message("Preferences", error.what());
  }
  for (const Layout layout : kLayouts) {
    try {
      arrangements_[static_cast<std::size_t>(layout)] = read_arrangement(storage_, layout);
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
  if (start.tour && !preferences_.tour_seen) tour_.start();
  const Layout wanted = layout_;
  apply_layout(wanted);
  update_look();
}

Context App::context() const {
  return {document_->scenario(), document_->debugger(), document_->options(),
          terminal::device(document_->options()), playback_, selection_, gui_.theme(),
          document_->version(), state_version_, numbers_hidden()};
}

bool App::is_moving() const {
  return playback_.playing() || running_forward_ || export_.is_running();
}

std::string App::title() const {
  return fmt::format("{} — {} — FlashScope",
                     document_->debugger().program().algorithm().full_name(),
                     document_->scenario().title);
}

void App::changed() { ++state_version_; }

void App::position_changed() {
  revealed_ = false;
  changed();
}

void App::try_to(const std::string& what, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    show_message(what, error.what());
  }
}

// --- moving -------------------------------------------------------------------------------------

void App::play_or_pause() {
  if (is_moving()) {
    pause();
    return;
  }
  if (document_->debugger().session().at_end()) go_to(0);
  playback_.play(true);
}

void App::pause() {
  playback_.play(false);
  running_forward_.reset();
  export_.stop();
  tour_.end();
}

void App::go_to(std::int64_t op) {
  const std::int64_t size = document_->debugger().program().size();
  document_->debugger().go_to(std::clamp<std::int64_t>(op, 0, size));
  playback_.stand_at(0);
  position_changed();
}

void App::move(Unit unit, bool forward) {
  running_forward_.reset();
  playback_.play(false);
  const Session& session = document_->debugger().session();
  const std::int64_t here = session.position();
  switch (unit) {
    case Unit::op:
      go_to(forward ? here + 1 : here - 1);
      break;
    case Unit::tile:
      go_to(forward ? session.next_segment() : session.previous_segment());
      break;
    case Unit::work_item:
      go_to(forward ? session.next_work_item() : session.previous_work_item());
      break;
  }
}

void App::run(bool forward) {
  playback_.play(false);
  running_forward_ = forward;
}

// A slice of running on: frames go on being drawn, and Escape stops it.
void App::advance_run() {
  if (!running_forward_) return;
  Debugger& d = document_->debugger();
  const double end = seconds_now() + kSliceSeconds;
  std::int64_t chunk = 16;
  while (running_forward_ && seconds_now() < end) {
    const std::int64_t here = d.session().position();
    const std::int64_t target = std::clamp<std::int64_t>(*running_forward_ ? here + chunk : here - chunk,
                                                         0, d.program().size());
    const Stop stop = *running_forward_ ? d.run_to(target) : d.run_back_to(target);
    if (stop.reason == Stop::Reason::breakpoint) {
      notice_ = fmt::format("breakpoint {}{}{}", stop.breakpoint, stop.detail.empty() ? "" : ": ",
                            stop.detail);
      running_forward_.reset();
    } else if (target == (*running_forward_ ? d.program().size() : 0)) {
      notice_ = *running_forward_ ? "the end: no breakpoint on the way"
                                  : "the beginning: no breakpoint on the way";
      running_forward_.reset();
    }
    chunk *= 2;
  }
  position_changed();
}

void App::advance(double seconds) {
  if (export_.is_running()) {
    if (document_->debugger().session().position() != export_.op()) go_to(export_.op());
    playback_.stand_at(export_.progress());
    return;
  }
  advance_run();
  const std::int64_t due = playback_.advance(seconds);
  if (due == 0) return;
  Debugger& d = document_->debugger();
  const double end = seconds_now() + kSliceSeconds;
  for (std::int64_t n = 0; n < due && playback_.playing() && seconds_now() < end;) {
    std::int64_t target = 0;
    std::int64_t units = 1;
    switch (playback_.unit()) {
      case Unit::op:
        units = std::min<std::int64_t>(due - n, 64);
        target = d.session().position() + units;
        break;
      case Unit::tile:
        target = d.session().next_segment();
        break;
      case Unit::work_item:
        target = d.session().next_work_item();
        break;
    }
    const Stop stop = d.run_to(std::min(target, d.program().size()));
    if (stop.reason == Stop::Reason::breakpoint) {
      notice_ = fmt::format("breakpoint {}{}{}", stop.breakpoint, stop.detail.empty() ? "" : ": ",
                            stop.detail);
      playback_.play(false);
    }
    if (d.session().at_end()) playback_.play(false);
    n += units;
  }
  position_changed();
}

void App::set_speed(double units_per_second) { playback_.set_speed(units_per_second); }

void App::cycle_unit() {
  playback_.set_unit(static_cast<Unit>((static_cast<int>(playback_.unit()) + 1) % 3));
}

void App::toggle_breakpoint_here() {
  const Session& session = document_->debugger().session();
  if (session.at_end()) return;
  Requests requests;
  const Algorithm& algorithm = session.program().algorithm();
  requests.toggle_breakpoints = {
      algorithm.lines[static_cast<std::size_t>(session.next_op().line)].source_line};
  carry_out(requests);
}

// --- settings and files -------------------------------------------------------------------------

void App::change(const terminal::ProblemOptions& options) {
  pause_playing();
  document_->change(options);
  selection_.tile = -1;
  position_changed();
}

void App::undo() {
  pause_playing();
  try_to("Undo", [&] { document_->undo(); });
  selection_.tile = -1;
  position_changed();
}

void App::redo() {
  pause_playing();
  try_to("Redo", [&] { document_->redo(); });
  selection_.tile = -1;
  position_changed();
}

void App::pause_playing() {
  playback_.play(false);
  running_forward_.reset();
}

void App::ask_open() { dialogs_.ask_open(); }
void App::ask_save() { dialogs_.ask_save(); }
void App::ask_go_to() { dialogs_.ask_go_to(); }
void App::show_keys() { dialogs_.show_keys(); }

void App::ask_export() {
  const Session& session = document_->debugger().session();
  const std::int64_t last = std::max<std::int64_t>(0, session.program().size() - 1);
  const std::int64_t first = std::min(session.position(), last);
  dialogs_.ask_export(first, std::min(last, first + 9), panel_in_focus());
}

void App::open(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string extension = file.extension().string();
  if (extension == ".alg") {
    terminal::ProblemOptions options = document_->options();
    options.algorithm = path;
    options.table.reset();
    options.fault.reset();
    change(options);
  } else if (extension == ".safetensors") {
    // Problems in the file: names that have all of .q, .k and .v.
    const std::vector<std::string> names = io::SafetensorsFile::open(path).names();
    const auto has = [&](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    std::vector<std::string> prefixes;
    for (const std::string& name : names) {
      if (!name.ends_with(".q")) continue;
      const std::string prefix = name.substr(0, name.size() - 2);
      if (has(prefix + ".k") && has(prefix + ".v")) prefixes.push_back(prefix);
    }
    if (prefixes.empty()) {
      throw Error(fmt::format("{}: no tensors NAME.q, NAME.k and NAME.v in it", path));
    }
    if (prefixes.size() > 1) {
      dialogs_.choose_prefix(path, prefixes);
      return;
    }
    terminal::ProblemOptions options = document_->options().without_problem();
    options.tensors = path;
    options.prefix = prefixes.front();
    change(options);
  } else if (extension == ".npy" || extension == ".npz") {
    dialogs_.add_tensors({path});
  } else {
    pause_playing();
    document_->open(path);
    selection_ = {};
    position_changed();
  }
}

void App::save(const std::string& path) {
  if (path.empty()) throw Error("name a file to save to");
  document_->save(path);
  notice_ = "saved to " + path;
}

void App::drop(const std::vector<std::string>& paths) {
  std::vector<std::string> arrays;
  for (const std::string& path : paths) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (extension == ".npy" || extension == ".npz") {
      arrays.push_back(path);
    } else {
      try_to("Dropped file", [&] { open(path); });
    }
  }
  if (!arrays.empty()) dialogs_.add_tensors(arrays);
}

std::string App::type(const std::string& line) {
  pause_playing();
  std::string failure = document_->type(line);
  position_changed();
  return failure;
}

// --- panels and looks ---------------------------------------------------------------------------

void App::open_panels(const std::vector<std::string>& titles) {
  for (std::size_t n = 0; n < open_.size(); ++n) {
    open_[n] = std::ranges::find(titles, kPanelTitles[n]) != titles.end();
  }
}

void App::remember_arrangement() {
  Arrangement& kept = arrangements_[static_cast<std::size_t>(layout_)];
  std::size_t size = 0;
  const char* ini = ImGui::SaveIniSettingsToMemory(&size);
  kept.ini.assign(ini, size);
  kept.open.clear();
  for (std::size_t n = 0; n < open_.size(); ++n) {
    if (open_[n]) kept.open.emplace_back(kPanelTitles[n]);
  }
}

void App::apply_layout(Layout layout) {
  if (frames_ > 0) remember_arrangement();
  layout_ = layout;
  preferences_.layout = name_of(layout);
  const Arrangement& kept = arrangements_[static_cast<std::size_t>(layout)];
  if (kept.ini.empty()) {
    reset_layout();
    return;
  }
  open_panels(kept.open);
  load_arrangement_ = true;
}

void App::reset_layout() {
  open_panels(designed_panels(layout_));
  dock_as_designed_ = true;
}

void App::before_frame() {
  if (!load_arrangement_) return;
  load_arrangement_ = false;
  const std::string& ini = arrangements_[static_cast<std::size_t>(layout_)].ini;
  ImGui::LoadIniSettingsFromMemory(ini.data(), ini.size());
}

void App::keep() {
  if (storage_.empty()) return;
  if (frames_ > 0) remember_arrangement();
  for (const Layout layout : kLayouts) {
    const Arrangement& kept = arrangements_[static_cast<std::size_t>(layout)];
    if (!kept.ini.empty()) write_arrangement(storage_, layout, kept);
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
    beamer_ = std::max(0, panel_in_focus());
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

int App::panel_in_focus() const { return beamer_ ? *beamer_ : focused_; }

void App::copy(bool markdown) {
  const int panel = panel_in_focus();
  if (panel < 0) {
    notice_ = "click a panel first: its table is copied";
    return;
  }
  const auto sheet = panels_[static_cast<std::size_t>(panel)]->sheet(context());
  if (!sheet) {
    notice_ = fmt::format("{} has no table", kPanelTitles[static_cast<std::size_t>(panel)]);
    return;
  }
  const std::string text = markdown ? to_markdown(*sheet) : to_csv(*sheet);
  ImGui::SetClipboardText(text.c_str());
  notice_ = fmt::format("{} rows of {} copied as {}", sheet->rows.size(),
                        kPanelTitles[static_cast<std::size_t>(panel)],
                        markdown ? "Markdown" : "CSV");
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
  for (int n = 1; shot.path.empty() || std::filesystem::exists(shot.path); ++n) {
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
}

void App::show_message(const std::string& title, const std::string& text) {
  dialogs_.show_message(title, text);
}

void App::carry_out(Requests& requests) {
  Debugger& d = document_->debugger();
  for (const int line : requests.toggle_breakpoints) {
    const auto& all = d.breakpoints();
    const auto found = std::ranges::find_if(all, [&](const Breakpoint& b) {
      return b.kind == Breakpoint::Kind::line && b.source_line == line;
    });
    try {
      found != all.end() ? d.remove_breakpoint(found->id)
                         : static_cast<void>(d.add_breakpoint(std::to_string(line), false));
    } catch (const Error& error) {
      notice_ = error.what();
    }
    changed();
  }
  if (requests.selection && *requests.selection != selection_) {
    selection_ = *requests.selection;
    changed();
  }
  if (requests.go_to) {
    pause_playing();
    go_to(*requests.go_to);
  }
  if (requests.settings) try_to("Settings", [&] { change(*requests.settings); });
  if (requests.console) type(*requests.console);
  for (const std::string& name : requests.commands) {
    const Command& command = find_command(name);
    command.run(*this, command.argument);
  }
}

}  // namespace flashscope::window
