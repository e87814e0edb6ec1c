// See frame_export.h.
#include "viz/window/frame_export.h"

#include <filesystem>

#include <fmt/format.h>

#include "sim/error.h"
#include "viz/window/preferences.h"

namespace flashscope::window {

FrameExport::FrameExport(std::int64_t begin, std::int64_t end, int frames_per_op, int panel,
                         std::string folder)
    : begin_(begin), frames_per_op_(frames_per_op), panel_(panel), folder_(std::move(folder)) {
  if (begin < 0 || end <= begin) throw Error("export: the last op comes before the first");
  if (frames_per_op < 1 || frames_per_op > kMostFrames ||
      end - begin > kMostFrames / frames_per_op) {
    throw Error(
        fmt::format("export: from 1 to {} frames can be made; choose fewer ops", kMostFrames));
  }
  if (folder_.empty()) throw Error("export: name a folder for the frames");
  make_folder(folder_);
  frames_ = (end - begin) * frames_per_op;
}

double FrameExport::progress() const {
  return static_cast<double>(next_ % frames_per_op_) / frames_per_op_;
}

std::string FrameExport::take_path() {
  return (std::filesystem::path(folder_) / fmt::format("frame-{:05}.png", next_++)).string();
}

}  // namespace flashscope::window
