// An animation as numbered PNG files: the app is put at each op of a range, at several points of
// each copy's way, and every frame is kept.
#pragma once

#include <cstdint>
#include <string>

namespace flashscope::window {

class FrameExport {
 public:
  static constexpr std::int64_t kMostFrames = 20000;

  FrameExport() = default;
  // Ops [begin, end), `frames_per_op` pictures each, of a panel or (-1) the window. Throws Error
  // when there is nothing to export, too much, or the folder can't be made.
  FrameExport(std::int64_t begin, std::int64_t end, int frames_per_op, int panel,
              std::string folder);

  bool is_running() const { return next_ < frames_; }
  int panel() const { return panel_; }
  std::int64_t frames() const { return frames_; }
  const std::string& folder() const { return folder_; }

  // Where the next frame stands.
  std::int64_t op() const { return begin_ + next_ / frames_per_op_; }
  double progress() const;
  // Of the next frame; then goes on to the one after it.
  std::string take_path();
  void stop() { frames_ = next_; }

 private:
  std::int64_t begin_ = 0, frames_ = 0, next_ = 0;
  int frames_per_op_ = 1, panel_ = -1;
  std::string folder_;
};

}  // namespace flashscope::window
