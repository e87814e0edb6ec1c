// The window's content and its behaviour, short of pixels: which panels are open, what is played,
// what a request of a panel does. Runs under any backend of Dear ImGui, also none.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viz/window/dialogs.h"
#include "viz/window/document.h"
#include "viz/window/frame_export.h"
#include "viz/window/gui.h"
#include "viz/window/layout.h"
#include "viz/window/lesson_player.h"
#include "viz/window/palette.h"
#include "viz/window/panel.h"
#include "viz/window/playback.h"
#include "viz/window/preferences.h"
#include "viz/window/tour.h"
#include "viz/window/transport.h"

namespace flashscope::window {

// A picture that the app wants taken of the frame just made.
struct Shot {
  std::string path;
  ImVec2 min, max;         // of the screen, in pixels; max <= min: everything
  bool announced = false;  // tell the user where it lies
};

class App {
 public:
  struct Start {
    ProblemOptions options;
    std::optional<std::string> session;
    std::optional<std::int64_t> position;
    std::optional<Layout> layout;
    std::optional<std::string> panel;  // beamer mode on this panel
    std::optional<bool> dark;
    bool tour = true;                   // on the first start
    std::optional<std::string> lesson;  // its number, name or file
    std::filesystem::path progress;     // the file of what was read; empty: nothing is kept
  };
  // `storage`: the folder of layouts and preferences; empty: nothing is read or kept. `scale`:
  // pixels per 1/96 inch. Throws Error when problem, session or
  // lesson can't be made.
  App(Gui& gui, const Start& start, const std::filesystem::path& storage, float scale);

  // Outside of a frame: what Dear ImGui can do only there.
  void before_frame();
  // Between ImGui::NewFrame() and ImGui::Render().
  void frame(double seconds);
  // Whether the program is on its way without a person's doing: playing, running, exporting.
  bool is_moving() const;
  // Whether a panel has work left for the next frame.
  bool has_unfinished_work() const { return unfinished_; }
  // What can wait until nothing moves; true when it changed what is seen.
  bool work_when_idle();
  bool wants_to_quit() const { return quit_; }
  std::string title() const;
  std::vector<Shot> take_shots();
  void shot_done(const Shot& shot, const std::string& error);
  void drop(const std::vector<std::string>& paths);
  void keep();  // writes layouts and preferences

  // What commands do.
  void play_or_pause();
  void move(Unit unit, bool forward);
  // What a presenter's remote control does (it sends Page Up and Page Down): in beamer mode first
  // reveals what is hidden, then moves by the unit of playback; else by a work item.
  void present(bool forward);
  void go_to(std::int64_t op);
  void run(bool forward);  // to the next or last breakpoint
  void pause();
  void set_speed(double units_per_second);
  void cycle_unit();
  void toggle_breakpoint_here();
  void undo();
  void redo();
  void ask_open();
  void ask_save();
  void ask_go_to();
  void ask_export();
  void open(const std::string& path);  // a session file, a table, tensors or a lesson
  void save(const std::string& path);
  // Types a line at the debugger prompt; returns why it failed, or "".
  std::string type(const std::string& line);
  void apply_layout(Layout layout);  // as it was left
  void reset_layout();               // as it was designed
  void toggle_panel(int index);
  void toggle_beamer();
  void show_in_beamer(int index);
  void toggle_dark();
  void scale_font(int direction);  // 0: back to normal
  void toggle_prediction();
  void reveal();
  void copy(bool markdown);
  void shoot(bool whole_window);
  void show_palette() { palette_.open(); }
  void show_tour() { tour_.start(); }
  // A lesson by its number, name or file, beside the session. Throws Error, and then the one that
  // was open stays.
  void open_lesson(const std::string& which);
  void show_lessons();  // the panel, with the list when none is open
  void turn_lesson_page(bool forward);
  void go_to_lesson_stop();  // the next one of the page
  void show_keys();
  void quit() { quit_ = true; }
  void change(const ProblemOptions& options);
  void show_message(const std::string& title, const std::string& text);
  void start_export(const FrameExport& wish);

  // For menus, tests and the panels' context.
  const Document& document() const { return *document_; }
  const Playback& playback() const { return playback_; }
  const Preferences& preferences() const { return preferences_; }
  const Selection& selection() const { return selection_; }
  const LessonPlayer& lesson_player() const { return lesson_player_; }
  const std::vector<std::unique_ptr<Panel>>& panels() const { return panels_; }
  bool is_open(int panel) const { return open_[static_cast<std::size_t>(panel)]; }
  bool in_beamer() const { return beamer_.has_value(); }
  bool predicts() const { return predicts_; }
  bool numbers_hidden() const { return predicts_ && !revealed_; }
  Layout layout() const { return layout_; }
  const Tour& tour() const { return tour_; }
  const Palette& palette() const { return palette_; }
  const Dialogs& dialogs() const { return dialogs_; }
  bool is_exporting() const { return export_.is_running(); }
  std::int64_t frames() const { return frames_; }
  Context context() const;

 private:
  void advance(double seconds);
  void advance_run();
  void draw_menu();
  void draw_panels();
  void draw_panel(int index, Requests& requests);
  void draw_beamer();
  void carry_out(Requests& requests);
  void carry_out(const LessonRequest& request);
  void follow_lesson();
  void open_scenario(std::size_t block);  // of the lesson
  void visit_stop(std::size_t block);
  void bring_to_front(const std::string& panel);
  std::size_t arrangement_of(Layout layout) const;
  void pause_playing();
  void changed();           // the state: panels recompute
  void position_changed();  // and predictions are hidden again
  void try_to(const std::string& what, const std::function<void()>& action);
  int panel_in_focus() const;
  int panel_to_present() const;
  void update_look();
  void remember_arrangement();
  void open_panels(const std::vector<std::string>& titles);

  Gui& gui_;
  std::filesystem::path storage_;
  float scale_ = 1;
  Preferences preferences_, kept_preferences_;
  std::unique_ptr<Document> document_;
  LessonPlayer lesson_player_;
  Playback playback_;
  Selection selection_;
  std::vector<std::unique_ptr<Panel>> panels_;
  std::vector<bool> open_;
  std::vector<ImVec4> rectangles_;  // of the panels, for pictures: min, max
  Layout layout_ = Layout::learn;
  std::array<Arrangement, kArrangementNames.size()> arrangements_;  // as left
  std::size_t arrangement_ = 0;                                     // the one that shows
  bool load_arrangement_ = false;                                   // before the next frame
  bool dock_as_designed_ = false;                                   // in the next frame
  ImVec2 dock_size_;
  std::optional<int> beamer_;
  int focused_ = -1;
  int wanted_focus_ = -1;
  std::vector<int> frames_in_front_;  // of each panel: to be brought to the front in so many
  bool predicts_ = false, revealed_ = false, quit_ = false;
  std::uint64_t seen_program_ = 0;
  std::optional<bool> running_forward_;  // to a breakpoint
  Palette palette_;
  Dialogs dialogs_;
  Transport transport_;
  Tour tour_;
  FrameExport export_;
  int export_waits_ = 0;  // frames, until the panel is in front
  bool unfinished_ = false;
  std::string notice_;  // in the status line
  std::vector<Shot> shots_;
  std::uint64_t state_version_ = 1;
  std::int64_t frames_ = 0;
};

}  // namespace flashscope::window
