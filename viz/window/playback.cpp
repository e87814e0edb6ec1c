// See playback.h.
#include "viz/window/playback.h"

#include <algorithm>
#include <cmath>

namespace flashscope::window {
namespace {

constexpr double kFastestSeen = 24;  // ops a second

}  // namespace

void Playback::play(bool on) {
  playing_ = on;
  progress_ = shown_progress_ = 0;
}

void Playback::set_unit(Unit unit) {
  unit_ = unit;
  progress_ = shown_progress_ = 0;
}

void Playback::set_speed(double units_per_second) {
  if (std::isfinite(units_per_second)) speed_ = std::clamp(units_per_second, kSlowest, kFastest);
}

std::int64_t Playback::advance(double seconds) {
  if (!playing_) return 0;
  progress_ += std::max(0.0, seconds) * speed_;
  const double due = std::floor(progress_);
  progress_ -= due;
  shown_progress_ = unit_ == Unit::op && speed_ <= kFastestSeen ? progress_ : 0;
  return static_cast<std::int64_t>(due);
}

}  // namespace flashscope::window
