// What a panel is: it gets a const view of the session, draws it, and returns what the user asked
// for. It changes nothing itself. What it shows comes from viz/views/, where it can be computed
// and tested without a picture.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/debugger/debugger.h"
#include "sim/model/device.h"
#include "viz/terminal/problem_options.h"
#include "viz/views/sheet.h"
#include "viz/window/playback.h"
#include "viz/window/theme.h"

namespace flashscope::window {

class LessonPlayer;

// What the panels look at together: choosing it in one shows it in all.
struct Selection {
  int tile = -1;  // the on-chip buffer in the tile view: index into Algorithm::buffers
  // (packed) query rows of the head, in softmax state; empty: nobody chose, then one
  // of the q tile at hand is shown.
  std::vector<std::int64_t> rows;
  friend bool operator==(const Selection&, const Selection&) = default;
};

// Everything outlives the frame and stays as it is while panels draw.
struct Context {
  const Scenario& scenario;
  const Debugger& debugger;  // its program(), session(), ledger(), breakpoints()
  const ProblemOptions& options;
  const Device& device;
  const Playback& playback;
  const Selection& selection;
  const Theme& theme;
  // For caches: `program` is another number when debugger, program or scenario are other objects;
  // `state` when the position, a tile, a breakpoint or the selection changed (or any of the
  // former).
  std::uint64_t program_version = 0, state_version = 0;
  bool numbers_hidden = false;  // predict, then reveal: values and sums are not to be shown

  const Program& program() const { return debugger.program(); }
  const Session& session() const { return debugger.session(); }
};

// What the reader of a lesson asked for.
struct LessonRequest {
  enum class Kind : std::uint8_t {
    open,         // `which`
    close,        // back to the list of lessons
    finish,       // and it has its tick
    section,      // show section `number`
    scenario,     // open the one of `block`
    stop,         // go to the one of `block`
    choose,       // option `number` of a quiz
    show_answer,  // of a quiz
    show_hint     // of a task
  };
  Kind kind = Kind::open;
  std::size_t block = 0, number = 0;
  std::string which;
};

// What the user asked for during a frame; carried out after all panels are drawn.
struct Requests {
  std::optional<std::int64_t> go_to;       // an op
  std::optional<Selection> selection;      // look at this
  std::vector<int> toggle_breakpoints;     // lines of the table, 1-based
  std::optional<ProblemOptions> settings;  // another problem, algorithm, …
  std::optional<std::string> console;      // a line for the debugger prompt
  std::vector<std::string> commands;       // names of commands.h
  std::optional<LessonRequest> lesson;
  bool another_frame = false;  // work is left, with or without an event
};

class Panel {
 public:
  virtual ~Panel() = default;
  virtual const char* title() const = 0;
  // One sentence for the View menu's tooltip.
  virtual const char* summary() const = 0;
  // Inside its ImGui window. Widths from 250 px up; must not fail at any size.
  virtual void draw(const Context& context, Requests& requests) = 0;
  // What "Copy as CSV" and "Copy as Markdown" put on the clipboard; nothing: there is no table.
  virtual std::optional<views::Sheet> sheet(const Context&) const { return std::nullopt; }
};

// In the order of make_panels().
inline constexpr std::array kPanelTitles = {
    "Memory hierarchy", "Tile map", "Tile",        "Softmax state", "Program", "CUDA kernel",
    "Controls",         "Traffic",  "SRAM budget", "Compare",       "Console", "Lesson"};

// Index into kPanelTitles. Throws Error for another name.
int panel_called(std::string_view title);

std::unique_ptr<Panel> make_memory_panel();
std::unique_ptr<Panel> make_tile_map_panel();
std::unique_ptr<Panel> make_tile_panel();
std::unique_ptr<Panel> make_softmax_panel();
std::unique_ptr<Panel> make_program_panel();
std::unique_ptr<Panel> make_kernel_panel();
std::unique_ptr<Panel> make_traffic_panel();
std::unique_ptr<Panel> make_budget_panel();
std::unique_ptr<Panel> make_controls_panel();
std::unique_ptr<Panel> make_compare_panel();
// `transcript`: what the debugger prompt said; must outlive the panel.
std::unique_ptr<Panel> make_console_panel(const std::vector<std::string>& transcript);
// `player` must outlive the panel.
std::unique_ptr<Panel> make_lesson_panel(const LessonPlayer& player);

}  // namespace flashscope::window
