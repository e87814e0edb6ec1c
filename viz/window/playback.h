// Playing a program: time goes by, and ops, kv tiles or work items are executed at a chosen speed.
// Keeps no session: says how many units are due, and how far the one under way has come.
#pragma once

#include <cstdint>

namespace flashscope::window {

enum class Unit : std::uint8_t { op, tile, work_item };

class Playback {
 public:
  static constexpr double kSlowest = 0.125, kFastest = 1 << 20;  // units a second

  bool playing() const { return playing_; }
  void play(bool on);
  Unit unit() const { return unit_; }
  void set_unit(Unit unit);
  double speed() const { return speed_; }  // units a second
  void set_speed(double units_per_second);

  // How much of the op under way is done, 0 to 1: where a copied tile is on its path. 0 when paused
  // between ops, at speeds that no eye follows, and when larger units than ops are played.
  double progress() const { return shown_progress_; }
  // Time goes by; returns the whole units that are due now.
  std::int64_t advance(double seconds);
  // For an animation that is drawn frame by frame: the op under way stands at `progress`.
  void stand_at(double progress) { shown_progress_ = progress; }

 private:
  bool playing_ = false;
  Unit unit_ = Unit::op;
  double speed_ = 2;
  double progress_ = 0;  // of the unit under way
  double shown_progress_ = 0;
};

}  // namespace flashscope::window
