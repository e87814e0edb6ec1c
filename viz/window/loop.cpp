// See loop.h.
#include "viz/window/loop.h"

#include <chrono>

#include "sim/error.h"

namespace flashscope::window {
namespace {

// Dear ImGui answers an event over some frames: hover, then a press, then a popup.
constexpr int kFramesPerEvent = 4;
// Tooltips appear after a moment's rest.
constexpr double kHoverSeconds = 0.15;
constexpr int kHoverFrames = 5;
constexpr double kCursorSeconds = 0.4;  // the blinking cursor of a text field
constexpr double kForever = 3600;
constexpr double kLongestFrame = 0.1;  // seconds; after a pause, playing goes on, it doesn't jump
constexpr int kFramesToSettle = 12;
constexpr double kLongestSettle = 5;  // seconds; what is computed longer is shown half

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Loop::Loop(const App::Start& start, const Settings& settings)
    : screen_(std::make_unique<Screen>("FlashScope", settings.width, settings.height,
                                       settings.visible)) {
  const float scale = settings.scale > 0 ? settings.scale : screen_->scale();
  app_ = std::make_unique<App>(gui_, start, settings.storage, scale);
}

void Loop::draw(double seconds) {
  app_->before_frame();
  screen_->draw([&] { app_->frame(seconds); });
  take_shots();
  if (const std::string title = app_->title(); title != title_) {
    screen_->set_title(title);
    title_ = title;
  }
}

void Loop::take_shots() {
  for (const Shot& shot : app_->take_shots()) {
    std::string failure;
    try {
      const Picture all = screen_->picture();
      const bool part = shot.max.x > shot.min.x && shot.max.y > shot.min.y;
      // Frames of a window may have other pixels than the screen's points.
      const float ratio = ImGui::GetIO().DisplayFramebufferScale.x;
      const auto pixel = [&](float point) { return static_cast<int>(point * ratio); };
      write_png(part ? all.cropped(pixel(shot.min.x), pixel(shot.min.y),
                                   pixel(shot.max.x - shot.min.x), pixel(shot.max.y - shot.min.y))
                     : all,
                shot.path);
    } catch (const Error& error) {
      failure = error.what();
    }
    app_->shot_done(shot, failure);
  }
}

void Loop::settle() {
  const double end = now() + kLongestSettle;
  for (int n = 0; n < kFramesToSettle || (app_->has_unfinished_work() && now() < end); ++n) {
    draw(0);
    app_->work_when_idle();
  }
}

void Loop::run() {
  double last = now();
  int frames_due = kFramesPerEvent, hover_frames = kHoverFrames;
  std::int64_t events = screen_->events();
  while (!screen_->should_close() && !app_->wants_to_quit()) {
    double patience = kForever;
    if (app_->is_moving() || app_->has_unfinished_work() || frames_due > 0) {
      patience = 0;
    } else if (hover_frames > 0) {
      patience = kHoverSeconds;
      --hover_frames;
    } else if (ImGui::GetIO().WantTextInput) {
      patience = kCursorSeconds;
    }
    // Work that can wait is done just before the loop would sleep.
    if (patience > 0 && app_->work_when_idle()) {
      frames_due = 1;
      continue;
    }
    screen_->wait_for_events(patience);
    if (screen_->events() != events) {
      events = screen_->events();
      frames_due = kFramesPerEvent;
      hover_frames = kHoverFrames;
    }
    if (const auto dropped = screen_->take_dropped(); !dropped.empty()) app_->drop(dropped);
    const double time = now();
    draw(std::min(time - last, kLongestFrame));
    last = time;
    if (frames_due > 0) --frames_due;
  }
  app_->keep();
}

}  // namespace flashscope::window
