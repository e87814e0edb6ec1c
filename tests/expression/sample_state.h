// A small state to evaluate expressions on: scalars, tiles in both memory orders, an empty tile,
// and a row window, made by hand.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/expression/state_expression.h"

namespace flashscope::expression {

// Scalars kv_tile = 2, tile_class = 2, x = -2.5. Tiles, with rows 100 to 102 of the tensor:
//   m = -inf 1 nan   l = 4 5 6   S = r + 10 c (3 x 4, by columns)   O = 0.5 r - c (3 x 2, by rows)
//   w: 4 entries     P: nothing yet (a tile)     e: nothing yet (a vector)   T: 3 x 1, no vector
class SampleState : public StateView {
 public:
  static StateVocabulary vocabulary() {
    return {{"kv_tile", "tile_class", "x"},
            {"m", "l", "S", "O", "w", "P", "e", "T"},
            {{"empty", 0}, {"partial", 1}, {"full", 2}}};
  }

  static constexpr double kScalars[] = {2, 2, -2.5};
  double scalar(int index) const override { return kScalars[index]; }

  TileRef tile(int index) const override {
    switch (index) {
      case 0:
        return {m_, 3, 1, 1, 3, true};
      case 1:
        return {l_, 3, 1, 1, 3, true};
      case 2:
        return {s_, 3, 4, 1, 3, false};
      case 3:
        return {o_, 3, 2, 2, 1, false};
      case 4:
        return {w_, 4, 1, 1, 4, true};
      case 5:
        return {};
      case 6:
        return {nullptr, 0, 1, 1, 0, true};
      default:
        return {l_, 3, 1, 1, 3, false};
    }
  }

  std::optional<std::int64_t> local_row(int /*tile*/, std::int64_t global_row) const override {
    if (global_row < 100 || global_row >= 103) return std::nullopt;
    return global_row - 100;
  }

 private:
  float m_[3] = {-std::numeric_limits<float>::infinity(), 1,
                 std::numeric_limits<float>::quiet_NaN()};
  float l_[3] = {4, 5, 6};
  float s_[12] = {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32};
  float o_[6] = {0, -1, 0.5F, -0.5F, 1, 0};
  float w_[4] = {1, 2, 3, 4};
};

}  // namespace flashscope::expression
