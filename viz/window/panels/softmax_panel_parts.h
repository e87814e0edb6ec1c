// The drawn parts of the softmax panel: the state over the steps as small plots, a table of the
// state now, and the row's weights as bars.
#pragma once

#include <optional>

#include "viz/views/softmax_view.h"
#include "viz/window/panel.h"

namespace flashscope::window {

// m, l, alpha and m + ln l over the steps of a recorded chain, one plot each. What lies behind the
// position is bold, what is to come faint; the fp64 truth is a thin line where it is another one.
class SoftmaxPlots {
 public:
  // Points to draw, of all rows; to be called when more has been recorded.
  void update(const views::ChainRecording& recording);
  // In an area of this size, as `columns` x 4 / columns plots. Returns the op behind a step that
  // was clicked. `focus`: the row that stands out.
  std::optional<std::int64_t> draw(const Theme& theme, const views::ChainRecording& recording,
                                   std::size_t focus, const views::SoftmaxNow& now, ImVec2 size,
                                   int columns) const;

 private:
  struct Curve {
    std::vector<double> x, y;  // thinned, truth as here; NaN where the value is not finite
  };
  struct RowCurves {
    Curve here[4], truth[4];  // m, l, alpha (no truth), m + ln l
  };
  void draw_plot(const Theme& theme, const views::ChainRecording& recording, std::size_t focus,
                 const views::SoftmaxNow& now, std::size_t quantity, ImVec2 size) const;
  std::vector<RowCurves> rows_;
};

// What a quantity is, in one or two sentences: 0 to 3 for m, l, alpha, m + ln l.
const char* explain_quantity(std::size_t quantity);

// m, l, alpha and m + ln l at the position, beside the fp64 truth.
void draw_state_table(const Context& context, const views::SoftmaxNow& now);

// The weights so far, filled, and the softmax over all keys, outlined. `adds_values`: whether the
// table adds P V to O; if not, keys have no weights.
class SoftmaxWeights {
 public:
  void draw(const Theme& theme, bool adds_values, const views::ChainRecording& recording,
            std::size_t focus, std::size_t steps, std::uint64_t version, ImVec2 size);

 private:
  std::vector<views::WeightBin> bins_;
  std::size_t focus_ = 0, steps_ = 0, most_ = 0;
  std::uint64_t version_ = 0;  // of the recording
  double largest_ = 0, sum_ = 0;
};

}  // namespace flashscope::window
