// Moving through the program: steps, playing, running to breakpoints; see app.h.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "viz/window/app.h"

namespace flashscope::window {
namespace {

constexpr double kSliceSeconds = 0.010;  // of running to a breakpoint, per frame

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

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

void App::present(bool forward) {
  if (!beamer_) {
    move(Unit::work_item, forward);
  } else if (forward && numbers_hidden()) {
    reveal();
  } else {
    move(playback_.unit(), forward);
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
    const std::int64_t target = std::clamp<std::int64_t>(
        *running_forward_ ? here + chunk : here - chunk, 0, d.program().size());
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

}  // namespace flashscope::window
