// What moves: the tile that a load or store copies, on its way, and the tiles that flow into the
// one an op computes; see memory_panel.h.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/memory_panel.h"

namespace flashscope::window::memory {
namespace {

struct Curve {
  ImVec2 a, b, c, d;  // cubic Bezier

  ImVec2 at(float t) const {
    const float s = 1 - t;
    const float wa = s * s * s, wb = 3 * s * s * t, wc = 3 * s * t * t, wd = t * t * t;
    return {wa * a.x + wb * b.x + wc * c.x + wd * d.x, wa * a.y + wb * b.y + wc * c.y + wd * d.y};
  }
};

// A line from point to point, walked at even speed.
class Path {
 public:
  explicit Path(std::vector<ImVec2> points) : points_(std::move(points)) {
    lengths_.push_back(0);
    for (std::size_t n = 1; n < points_.size(); ++n) {
      lengths_.push_back(lengths_.back() + std::hypot(points_[n].x - points_[n - 1].x,
                                                      points_[n].y - points_[n - 1].y));
    }
  }
  static Path along(const Curve& curve) {
    constexpr int kPieces = 48;
    std::vector<ImVec2> points;
    for (int n = 0; n <= kPieces; ++n) {
      points.push_back(curve.at(static_cast<float>(n) / kPieces));
    }
    return Path(std::move(points));
  }
  Path reversed() const { return Path({points_.rbegin(), points_.rend()}); }
  float length() const { return lengths_.back(); }
  ImVec2 end() const { return points_.back(); }
  ImVec2 at(float distance) const {
    std::size_t n = 1;
    while (n + 1 < points_.size() && lengths_[n] < distance) ++n;
    const float piece = std::max(lengths_[n] - lengths_[n - 1], 0.001f);
    const float t = std::clamp((distance - lengths_[n - 1]) / piece, 0.0f, 1.0f);
    return {points_[n - 1].x + (points_[n].x - points_[n - 1].x) * t,
            points_[n - 1].y + (points_[n].y - points_[n - 1].y) * t};
  }

 private:
  std::vector<ImVec2> points_;  // at least two
  std::vector<float> lengths_;  // from the first point on
};

void draw_head(const Frame& frame, const Path& path, ImU32 color) {
  const float size = 0.65f * frame.em;
  const ImVec2 tip = path.end(), from = path.at(path.length() - size);
  const float length = std::max(std::hypot(tip.x - from.x, tip.y - from.y), 0.01f);
  const ImVec2 along{(tip.x - from.x) / length, (tip.y - from.y) / length};
  const ImVec2 base{tip.x - along.x * size, tip.y - along.y * size};
  const ImVec2 side{-along.y * size * 0.45f, along.x * size * 0.45f};
  frame.list->AddTriangleFilled(tip, {base.x + side.x, base.y + side.y},
                                {base.x - side.x, base.y - side.y}, color);
}

void draw_dashes(const Frame& frame, const Path& path, ImU32 color, float thickness) {
  const float dash = 0.42f * frame.em, space = 0.3f * frame.em;
  const float end = path.length() - 0.6f * frame.em;  // of the arrow's head
  for (float from = 0; from < end; from += dash + space) {
    const ImVec2 a = path.at(from), b = path.at(std::min(from + dash, end));
    frame.list->AddLine(a, b, frame.theme().background, thickness + 0.18f * frame.em);
    frame.list->AddLine(a, b, color, thickness);
  }
}

// Into a card from a line that stands left or right of the cards: one at the near end of its row is
// entered from the side, another from the space above it.
void enter(std::vector<ImVec2>& points, float line, const Box& card, float em, float gap) {
  const bool from_left = line < card.min.x;
  const float near_edge = from_left ? card.min.x : card.max.x;
  if (std::abs(near_edge - line) < 3 * em) {
    points.push_back({line, card.center().y});
    points.push_back({near_edge, card.center().y});
    return;
  }
  const float above = card.min.y - gap / 2;
  points.push_back({line, above});
  points.push_back({card.center().x, above});
  points.push_back({card.center().x, card.min.y + 0.25f * em});
}

// HBM above the chip: down to L2, along it, and down to the card; to one in registers past the
// cards of shared memory, at their side.
Path path_down(const Frame& frame, const Box& tile, const Box& card, bool to_registers) {
  const float em = frame.em, l2 = frame.l2.center().y;
  std::vector<ImVec2> points{{tile.center().x, tile.max.y}, {tile.center().x, l2}};
  if (to_registers) {
    const bool left = card.center().x < frame.l2.center().x;
    const float side = left ? frame.l2.min.x + 0.3f * em : frame.l2.max.x - 0.3f * em;
    points.push_back({side, l2});
    enter(points, side, card, em, frame.card_gap());
  } else {
    points.push_back({card.center().x, l2});
    points.push_back({card.center().x, card.min.y});
  }
  return Path(std::move(points));
}

// HBM left of the chip: between the strips to L2, along it, and between the cards to the one meant.
Path path_across(const Frame& frame, const Box& tile, const Box& card) {
  const float below = tile.max.y + 0.2f * frame.em, l2 = frame.l2.center().x;
  std::vector<ImVec2> points{{tile.center().x, tile.max.y}, {tile.center().x, below}, {l2, below}};
  enter(points, l2, card, frame.em, frame.card_gap());
  return Path(std::move(points));
}

// Between rows of cards: out of the lower edge of what lies above, in at the upper edge of what
// lies below; cards of one row are joined by an arc below them.
Curve between(const Frame& frame, const Box& from, const Box& to) {
  const float bend = (frame.compact ? 0.35f : 1.1f) * frame.em;
  const ImVec2 a = from.center(), d = to.center();
  if (std::abs(a.y - d.y) < frame.em) {
    return {{a.x, from.max.y}, {a.x, from.max.y + bend}, {d.x, to.max.y + bend}, {d.x, to.max.y}};
  }
  const bool down = a.y < d.y;
  const ImVec2 start{a.x, down ? from.max.y : from.min.y};
  const ImVec2 end{d.x, down ? to.min.y : to.max.y};
  const float reach = (down ? 1.0f : -1.0f) * std::max(bend, std::abs(end.y - start.y) * 0.45f);
  return {start, {start.x, start.y + reach}, {end.x, end.y - reach}, end};
}

ImVec2 half_of_moved(const Frame& frame, ImVec2 text) {
  return {text.x / 2 + 0.5f * frame.em, text.y / 2 + 0.25f * frame.em};
}

}  // namespace

void draw_copy(Frame& frame, bool sideways) {
  const auto& copy = frame.view.copy;
  if (!copy || !frame.copied_tiles) return;
  const auto& chip = frame.view.chip;
  const auto tile = std::find_if(chip.begin(), chip.end(), [&](const views::ChipTile& candidate) {
    return candidate.buffer == copy->chip;
  });
  if (tile == chip.end()) return;
  const Box& tiles = *frame.copied_tiles;
  const Box& card = frame.chip_tiles[static_cast<std::size_t>(tile - chip.begin())];
  const Path inwards = sideways
                           ? path_across(frame, tiles, card)
                           : path_down(frame, tiles, card, tile->item.place == Place::registers);
  const bool load = copy->tiles.direction == Direction::load;
  const Path path = load ? inwards : inwards.reversed();

  const Theme& theme = frame.theme();
  const float em = frame.em;
  const ImU32 color = theme.tensor(frame.buffer(copy->tiles.tensor).name);
  draw_dashes(frame, path, color, std::max(1.5f, 0.13f * em));
  draw_head(frame, path, color);

  // At rest the tile is beside what it leaves, not on it.
  const std::string text =
      fmt::format("{} {} B", frame.buffer(copy->tiles.tensor).name,
                  frame.context.numbers_hidden ? "?" : terminal::grouped(copy->bytes));
  const ImVec2 size = text_size(frame, Font::mono_small, text);
  const ImVec2 half = half_of_moved(frame, size);
  const auto progress = static_cast<float>(std::clamp(frame.context.playback.progress(), 0.0, 1.0));
  const float eased = progress * progress * (3 - 2 * progress);
  const float margin = std::min(half.y + 0.15f * em, path.length() / 2);
  ImVec2 at = path.at(margin + eased * (path.length() - 2 * margin));
  at.x = std::clamp(at.x, frame.tiles_left + half.x,
                    std::max(frame.list->GetClipRectMax().x - half.x, frame.tiles_left + half.x));
  frame.moved = Words{Font::mono_small, at, color, text};
  const bool on_l2 = at.y + half.y > frame.l2.min.y && at.y - half.y < frame.l2.max.y;
  frame.path_left = frame.path_right = on_l2 ? at.x : card.center().x;
  for (float distance = 0; distance <= path.length(); distance += 0.25f * em) {
    const ImVec2 point = path.at(distance);
    if (point.y < frame.l2.min.y || point.y > frame.l2.max.y) continue;
    frame.path_left = std::min(frame.path_left, point.x);
    frame.path_right = std::max(frame.path_right, point.x);
  }
  if (!on_l2) return;
  frame.path_left = std::min(frame.path_left, at.x - half.x);
  frame.path_right = std::max(frame.path_right, at.x + half.x);
}

void draw_moved(const Frame& frame) {
  if (!frame.moved) return;
  const float em = frame.em;
  const auto& [font, at, color, text] = *frame.moved;
  const ImVec2 size = text_size(frame, font, text), half = half_of_moved(frame, size);
  const ImVec2 min{at.x - half.x, at.y - half.y}, max{at.x + half.x, at.y + half.y};
  frame.list->AddRectFilled(min, max, color, 0.25f * em);
  frame.list->AddRect(min, max, frame.theme().background, 0.25f * em, std::max(1.0f, 0.1f * em));
  draw_text(frame, font, {at.x - size.x / 2, at.y - size.y / 2}, Theme::ink_on(color), text);
}

void draw_operation(const Frame& frame) {
  if (frame.view.copy || frame.view.line.empty()) return;
  const auto& chip = frame.view.chip;
  for (std::size_t written = 0; written < chip.size(); ++written) {
    if (!chip[written].is_written) continue;
    for (std::size_t read = 0; read < chip.size(); ++read) {
      if (!chip[read].is_read || read == written) continue;
      const Curve curve = between(frame, frame.chip_tiles[read], frame.chip_tiles[written]);
      const float thickness = std::max(1.5f, 0.11f * frame.em);
      frame.list->AddBezierCubic(curve.a, curve.b, curve.c, curve.d, frame.theme().background,
                                 thickness + 0.18f * frame.em);
      frame.list->AddBezierCubic(curve.a, curve.b, curve.c, curve.d, frame.theme().accent,
                                 thickness);
      draw_head(frame, Path::along(curve), frame.theme().accent);
      const auto progress = static_cast<float>(frame.context.playback.progress());
      if (progress > 0) {
        frame.list->AddCircleFilled(curve.at(std::min(progress, 1.0f)), 0.3f * frame.em,
                                    frame.theme().tensor(chip[read].item.buffer));
      }
    }
  }
}

}  // namespace flashscope::window::memory
