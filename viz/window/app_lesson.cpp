// A lesson and the session beside it: what its stops, scenarios and tasks do to the latter; see
// app.h and lesson_player.h.
#include <algorithm>

#include <fmt/format.h>

#include "sim/error.h"
#include "viz/window/app.h"

namespace flashscope::window {
namespace {

constexpr double kSliceSeconds = 0.010;  // of computing a lesson's figures and answers, per frame

}  // namespace

void App::open_lesson(const std::string& which) {
  lesson_player_.open(which);
  const int panel = panel_called("Lesson");
  if (beamer_) {
    show_in_beamer(panel);
    return;
  }
  // The layout to learn in has an arrangement of its own for lessons.
  if (arrangement_of(layout_) != arrangement_) apply_layout(layout_);
  open_[static_cast<std::size_t>(panel)] = true;
  wanted_focus_ = panel;
}

void App::show_lessons() {
  const int panel = panel_called("Lesson");
  if (beamer_) {
    show_in_beamer(panel);
    return;
  }
  open_[static_cast<std::size_t>(panel)] = true;
  wanted_focus_ = panel;
}

// Every frame: the lesson computes on, begins its section in the session, and sees what the reader
// did there.
void App::follow_lesson() {
  document_->set_lesson(lesson_player_.is_open());
  if (!lesson_player_.is_open()) return;
  try_to("Lesson", [&] {
    if (lesson_player_.work(kSliceSeconds)) unfinished_ = true;
    if (const auto scenario = lesson_player_.take_scenario()) {
      try {
        open_scenario(*scenario);
      } catch (const Error& error) {
        lesson_player_.scenario_refused(*scenario, error.what());
      }
    }
    lesson_player_.watch(document_->options(), document_->debugger(), document_->version(),
                         state_version_);
  });
}

// One change of settings, which undo takes back, and then the session's beginning: what comes of
// the old op number would give answers away. Nothing where the session has these settings already.
void App::open_scenario(std::size_t block) {
  const ProblemOptions& options = lesson_player_.played(block).options;
  const bool is_there = lesson_player_.is_scenario(block, document_->options()) &&
                        document_->debugger().session().events().empty();
  if (!is_there) {
    selection_ = {};
    change(options);
    go_to(0);
  }
  lesson_player_.scenario_opened(block, document_->options());
}

void App::visit_stop(std::size_t block) {
  const LessonPlayer::Played& played = lesson_player_.played(block);
  const auto& stop = std::get<lessons::StopBlock>(lesson_player_.lesson().blocks[block]);
  if (!played.ready || !played.error.empty() || !played.scenario) return;
  pause_playing();
  notice_.clear();
  open_scenario(*played.scenario);
  go_to(played.position);
  Selection selection;
  selection.rows = stop.rows;
  if (!stop.tile.empty()) {
    selection.tile = document_->debugger().program().algorithm().find(stop.tile, false);
  }
  if (selection != selection_) {
    selection_ = selection;
    changed();
  }
  for (const std::string& panel : stop.panels) bring_to_front(panel);
  lesson_player_.stop_visited(block);
}

void App::bring_to_front(const std::string& panel) {
  constexpr int kFrames = 3;  // a panel that was closed is docked in the first of them
  const auto found = std::ranges::find(kPanelTitles, std::string_view(panel));
  if (found == kPanelTitles.end()) {
    notice_ = fmt::format("the lesson names a panel that there is not: {}", panel);
    return;
  }
  const auto n = static_cast<std::size_t>(found - kPanelTitles.begin());
  open_[n] = true;
  frames_in_front_[n] = kFrames;
}

void App::turn_lesson_page(bool forward) {
  if (!lesson_player_.is_open()) {
    notice_ = "no lesson is open: Ctrl+L lists them";
    return;
  }
  const std::size_t section = lesson_player_.section();
  if (!forward && section > 0) lesson_player_.show_section(section - 1);
  if (!forward) return;
  if (section + 1 < lesson_player_.sections().size()) {
    lesson_player_.show_section(section + 1);
  } else {
    lesson_player_.finish();
  }
}

void App::go_to_lesson_stop() {
  if (!lesson_player_.is_open()) {
    notice_ = "no lesson is open: Ctrl+L lists them";
  } else if (const auto stop = lesson_player_.next_stop()) {
    try_to("Lesson", [&] { visit_stop(*stop); });
  } else {
    notice_ = "no other stop on this page of the lesson";
  }
}

void App::carry_out(const LessonRequest& request) {
  using Kind = LessonRequest::Kind;
  try_to("Lesson", [&] {
    switch (request.kind) {
      case Kind::open:
        open_lesson(request.which);
        break;
      case Kind::close:
        lesson_player_.close();
        break;
      case Kind::finish:
        lesson_player_.finish();
        break;
      case Kind::section:
        lesson_player_.show_section(request.number);
        break;
      case Kind::scenario:
        pause_playing();
        open_scenario(request.block);
        break;
      case Kind::stop:
        visit_stop(request.block);
        break;
      case Kind::choose:
        lesson_player_.choose(request.block, request.number);
        break;
      case Kind::show_answer:
        lesson_player_.show_answer(request.block);
        break;
      case Kind::show_hint:
        lesson_player_.show_hint(request.block);
        break;
    }
  });
}

}  // namespace flashscope::window
