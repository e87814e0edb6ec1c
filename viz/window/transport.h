// The bar at the window's foot: play, step, speed, and a scrub bar over the whole program with
// marks where breakpoints stop, where maxima grew, and where heads and phases begin.
#pragma once

#include "viz/views/scrub_view.h"
#include "viz/window/panel.h"

namespace flashscope::window {

class App;

class Transport {
 public:
  static float height();
  void draw(App& app, Requests& requests);
  // Work that waits for a quiet moment: marks of rescales. Returns whether there was any.
  bool work_when_idle(const Context& context);
  bool has_work(const Context& context) const;
  const views::ScrubMarks& marks() const { return marks_; }
  const views::Rescales& rescales() const { return rescales_; }

 private:
  void draw_scrub_bar(const Context& context, Requests& requests);
  std::int64_t chain_key(const Context& context) const;

  views::ScrubMarks marks_;
  views::Rescales rescales_;
  std::uint64_t marks_program_ = 0;
  std::int64_t marks_head_ = -1;
  std::vector<int> marks_breakpoints_;
  std::uint64_t rescales_program_ = 0;
  std::vector<SetEvent> rescales_events_;
  std::int64_t rescales_chain_ = -1;
};

}  // namespace flashscope::window
