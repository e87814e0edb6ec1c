// One row of both sides: recorded a little in every frame, then shown where both have consumed the
// same keys.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "viz/views/compare_view.h"
#include "viz/window/panel.h"

namespace flashscope::window {

// |A - B| by keys consumed, on a logarithmic axis, and the tolerance.
void draw_growth(const Theme& theme, const std::vector<Growth>& growth, double tolerance,
                 ImVec2 size);

class ComparedRow {
 public:
  // Forgets everything; `b` outlives the next update().
  void reset();
  // Records the chosen row. Throws Error when a mask expression fails on some element.
  void update(const Context& context, const Program& b, std::uint64_t version_of_b);
  bool ready() const { return ready_; }
  double progress() const;
  // (Packed) row of A that is shown; nothing when the head has no such row.
  std::optional<std::int64_t> row() const { return row_; }
  const Chain& chain() const { return chain_; }
  const std::vector<Growth>& growth() const { return growth_; }
  // m + ln l and O of both sides at the session's position.
  void draw(const Context& context, double tolerance);
  views::Sheet sheet() const;

 private:
  void draw_values(const Context& context);

  std::unique_ptr<views::ChainRecorder> recorder_a_, recorder_b_;
  std::uint64_t program_version_ = 0, version_of_b_ = 0;
  std::optional<std::int64_t> row_;
  Chain chain_;
  std::vector<SetEvent> events_;
  bool ready_ = false;
  std::vector<views::CommonPoint> points_;
  std::vector<Growth> growth_;
  std::optional<std::size_t> shown_point_;
  std::vector<views::ComparedValue> values_;  // at shown_point_
};

}  // namespace flashscope::window
