// What moves: the tile that a load or store copies, on its way, and the tiles that flow into the
// one an op computes; see memory_panel.h.
#include <algorithm>
#include <cmath>

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
  Curve reversed() const { return {d, c, b, a}; }
  float length() const {
    float sum = 0;
    for (int n = 0; n < 32; ++n) {
      const ImVec2 p = at(static_cast<float>(n) / 32), q = at(static_cast<float>(n + 1) / 32);
      sum += std::hypot(q.x - p.x, q.y - p.y);
    }
    return sum;
  }
};

void draw_head(const Frame& frame, const Curve& curve, ImU32 color) {
  const ImVec2 tip = curve.d, from = curve.at(0.94f);
  const float length = std::max(std::hypot(tip.x - from.x, tip.y - from.y), 0.01f);
  const ImVec2 along{(tip.x - from.x) / length, (tip.y - from.y) / length};
  const float size = 0.65f * frame.em;
  const ImVec2 base{tip.x - along.x * size, tip.y - along.y * size};
  const ImVec2 side{-along.y * size * 0.45f, along.x * size * 0.45f};
  frame.list->AddTriangleFilled(tip, {base.x + side.x, base.y + side.y},
                                {base.x - side.x, base.y - side.y}, color);
}

void draw_dashes(const Frame& frame, const Curve& curve, ImU32 color, float thickness) {
  const int dashes = std::clamp(static_cast<int>(curve.length() / (0.7f * frame.em)), 3, 200);
  for (int n = 0; n < dashes; ++n) {
    const float from = static_cast<float>(n) / static_cast<float>(dashes);
    const float to = from + 0.55f / static_cast<float>(dashes);
    frame.list->AddLine(curve.at(from), curve.at(to), frame.theme().background,
                        thickness + 0.18f * frame.em);
    frame.list->AddLine(curve.at(from), curve.at(to), color, thickness);
  }
}

// Between rows of cards: out of the lower edge of what lies above, in at the upper edge of what
// lies below; cards of one row are joined by an arc below them.
Curve between(const Frame& frame, const Box& from, const Box& to) {
  const float bend = 1.1f * frame.em;
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

}  // namespace

void draw_copy(const Frame& frame, bool sideways) {
  const auto& copy = frame.view.copy;
  if (!copy || !frame.copied_tiles) return;
  const auto& chip = frame.view.chip;
  const auto tile = std::find_if(chip.begin(), chip.end(), [&](const views::ChipTile& candidate) {
    return candidate.buffer == copy->chip;
  });
  if (tile == chip.end()) return;
  const Box& from = *frame.copied_tiles;
  const Box& to = frame.chip_tiles[static_cast<std::size_t>(tile - chip.begin())];
  const ImVec2 start{from.center().x, from.max.y};
  const ImVec2 end{to.center().x, to.min.y};
  const float em = frame.em;
  Curve curve{start,
              {start.x, start.y + (end.y - start.y) * 0.5f},
              {end.x, end.y - (end.y - start.y) * 0.5f},
              end};
  if (sideways) curve = {start, {start.x, start.y + 3 * em}, {end.x, end.y - 5 * em}, end};
  const bool load = copy->tiles.direction == Direction::load;
  if (!load) curve = curve.reversed();

  const Theme& theme = frame.theme();
  const ImU32 color = theme.tensor(frame.buffer(copy->tiles.tensor).name);
  draw_dashes(frame, curve, color, std::max(1.5f, 0.13f * em));
  draw_head(frame, curve, color);

  // The tile on its way, with its bytes.
  const std::string text =
      fmt::format("{} {} B", frame.buffer(copy->tiles.tensor).name,
                  frame.context.numbers_hidden ? "?" : terminal::grouped(copy->bytes));
  const ImVec2 size = text_size(frame, Font::mono_small, text);
  const ImVec2 half{size.x / 2 + 0.5f * em, size.y / 2 + 0.25f * em};
  const auto progress = static_cast<float>(std::clamp(frame.context.playback.progress(), 0.0, 1.0));
  ImVec2 at = curve.at(progress * progress * (3 - 2 * progress));
  // Beside the tiles at both ends, not on them.
  const float top = start.y + half.y + 0.15f * em, bottom = end.y - half.y - 0.15f * em;
  if (top < bottom) at.y = std::clamp(at.y, top, bottom);
  const Box clip{frame.list->GetClipRectMin(), frame.list->GetClipRectMax()};
  at.x = std::clamp(at.x, clip.min.x + half.x, std::max(clip.max.x - half.x, clip.min.x + half.x));
  const ImVec2 min{at.x - half.x, at.y - half.y}, max{at.x + half.x, at.y + half.y};
  frame.list->AddRectFilled(min, max, color, 0.25f * em);
  frame.list->AddRect(min, max, theme.background, 0.25f * em, std::max(1.0f, 0.1f * em));
  draw_text(frame, Font::mono_small, {at.x - size.x / 2, at.y - size.y / 2}, Theme::ink_on(color),
            text);
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
      draw_head(frame, curve, frame.theme().accent);
      const auto progress = static_cast<float>(frame.context.playback.progress());
      if (progress > 0) {
        frame.list->AddCircleFilled(curve.at(std::min(progress, 1.0f)), 0.3f * frame.em,
                                    frame.theme().tensor(chip[read].item.buffer));
      }
    }
  }
}

}  // namespace flashscope::window::memory
