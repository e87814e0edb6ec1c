// HBM: every tensor of the table as strips and grids of its tiles, coloured by how often they were
// copied; see memory_panel.h.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viz/terminal/screen.h"
#include "viz/window/panels/memory_panel.h"

namespace flashscope::window::memory {
namespace {

using views::GridAxis;
using views::TensorCopies;

constexpr float kNarrow = 22;       // em: below, a label stands above its strip
constexpr float kTwoWays = 1.5f;    // height of a row with two strips, to that of one
constexpr float kGrid = 4;          // height of a score matrix, to that of a strip
constexpr float kGridWidth = 5.5f;  // em: at least, where four stand in a row
constexpr float kGridGap = 0.8f;    // em

// One tensor in one direction.
struct Strip {
  const TensorCopies* tensor;
  Direction direction;
};

bool is_scores(const TensorCopies& tensor) { return tensor.grid.row_axis == GridAxis::q_tile; }

// Inputs are read, outputs written, workspaces both; what no line copies is shown all the same.
std::vector<Direction> directions(const TensorCopies& tensor) {
  std::vector<Direction> result;
  if (tensor.is_stored) result.push_back(Direction::store);
  if (tensor.is_loaded || !tensor.is_stored) result.push_back(Direction::load);
  return result;
}

std::vector<Strip> grids(const Frame& frame) {
  std::vector<Strip> result;
  for (const TensorCopies& tensor : frame.counter.tensors()) {
    if (!is_scores(tensor)) continue;
    for (const Direction direction : directions(tensor)) result.push_back({&tensor, direction});
  }
  return result;
}

std::string verbs(const TensorCopies& tensor) {
  std::string text;
  for (const Direction direction : directions(tensor)) {
    text += (text.empty() ? "" : " / ") + std::string(verb(direction));
  }
  return text;
}

float strip_gap(const Frame& frame) { return (frame.compact ? 0.25f : 0.4f) * frame.em; }

struct Columns {
  float name = 0, verb = 0, shape = 0;  // widths
};

bool is_narrow(const Frame& frame, float box_width) { return box_width < kNarrow * frame.em; }

Columns columns(const Frame& frame, float width) {
  Columns result;
  const auto widen = [&](float& column, Font font, const std::string& text) {
    column = std::max(column, text_size(frame, font, text).x + 0.6f * frame.em);
  };
  for (const TensorCopies& tensor : frame.counter.tensors()) {
    if (is_scores(tensor)) continue;
    widen(result.name, Font::mono, frame.buffer(tensor.grid.tensor).name);
    widen(result.verb, Font::sans_small, verbs(tensor));
    widen(result.shape, Font::mono_small, shape(frame, tensor));
  }
  // The tiles come first: where they'd be squeezed, their tooltip alone tells the shape.
  if (result.name + result.verb + result.shape > 0.5f * width) result.shape = 0;
  return result;
}

void draw_label(const Frame& frame, const TensorCopies& tensor, const std::string& note, ImVec2 at,
                float note_at) {
  const std::string& name = frame.buffer(tensor.grid.tensor).name;
  draw_text(frame, Font::mono, at, frame.theme().tensor(name), name);
  if (note_at <= 0) note_at = text_size(frame, Font::mono, name + " ").x;
  draw_text(frame, Font::sans_small, {at.x + note_at, at.y + 0.12f * frame.em},
            frame.theme().text_dim, note);
}

// Score matrices lie side by side, as many as have room.
int grids_in_row(const Frame& frame, float width) {
  const float room = width / (kGridWidth * frame.em);
  return room >= 4 ? 4 : room >= 2 ? 2 : 1;
}

float grid_width(const Frame& frame, float width) {
  const auto in_row = static_cast<float>(grids_in_row(frame, width));
  return (width + kGridGap * frame.em) / in_row - kGridGap * frame.em;
}

// As high as strips are, but no higher than wide.
float grid_height(const Frame& frame, float width, float strip_height) {
  return std::min(kGrid * strip_height, std::max(grid_width(frame, width), 3 * frame.em));
}

float line_height(const Frame& frame) { return 1.25f * frame.em; }

float row_height(const TensorCopies& tensor, float strip_height) {
  return strip_height * (directions(tensor).size() > 1 ? kTwoWays : 1.0f);
}

std::string most_text(const Frame& frame) {
  return frame.context.numbers_hidden ? std::string("?")
                                      : times_text(std::max(frame.most_times, 1.0)) + "×";
}

constexpr const char* kLegend = "copied  0";

float legend_width(const Frame& frame) {
  return text_size(frame, Font::sans_small, kLegend).x +
         text_size(frame, Font::mono_small, most_text(frame)).x + 3.8f * frame.em;
}

void draw_legend(const Frame& frame, ImVec2 right_top) {
  const Theme& theme = frame.theme();
  const std::string most = most_text(frame);
  const float swatch = 0.8f * frame.em;
  float x = right_top.x - text_size(frame, Font::mono_small, most).x;
  const float y = right_top.y;
  draw_text(frame, Font::mono_small, {x, y}, theme.text_dim, most);
  x -= 0.3f * frame.em;
  for (const float part : {1.0f, 0.65f, 0.3f}) {
    x -= swatch;
    frame.list->AddRectFilled({x, y + 0.1f * frame.em}, {x + swatch, y + 0.9f * frame.em},
                              tint(theme, theme.text_dim, part));
  }
  x -= swatch;
  frame.list->AddRect({x, y + 0.1f * frame.em}, {x + swatch, y + 0.9f * frame.em}, theme.line);
  x -= text_size(frame, Font::sans_small, kLegend).x + 0.3f * frame.em;
  draw_text(frame, Font::sans_small, {x, y}, theme.text_dim, kLegend);
  ImGui::SetCursorScreenPos({x, y});
  ImGui::InvisibleButton("##copies_legend", {right_top.x - x, frame.em});
  ImGui::SetItemTooltip("%s",
                        "How often a tile was copied so far, within this head. The full colour: as "
                        "often as any tile will have been at the head's end.");
}

// What passed so far; it stands beside the memory's name, or on a line of its own.
std::string traffic(const Frame& frame) {
  if (frame.context.numbers_hidden) return "this head: ? B read, ? B written (simulated)";
  std::int64_t loaded = 0, stored = 0;
  for (const TensorCopies& tensor : frame.counter.tensors()) {
    loaded += tensor.loads.bytes;
    stored += tensor.stores.bytes;
  }
  return fmt::format("this head: {} B read, {} B written (simulated)", terminal::grouped(loaded),
                     terminal::grouped(stored));
}

bool title_has_room(const Frame& frame, float width) {
  return text_size(frame, Font::sans_small, traffic(frame)).x + legend_width(frame) + 5 * frame.em <
         width;
}

}  // namespace

float hbm_height(const Frame& frame, float width, float strip_height) {
  const bool narrow = is_narrow(frame, width);
  float height = memory_title_height(frame) + 0.2f * frame.em;
  if (!title_has_room(frame, width)) height += line_height(frame);
  for (const TensorCopies& tensor : frame.counter.tensors()) {
    if (is_scores(tensor)) continue;
    height +=
        row_height(tensor, strip_height) + strip_gap(frame) + (narrow ? line_height(frame) : 0);
  }
  const float room = width - 1.2f * frame.em;
  const int count = static_cast<int>(grids(frame).size()), in_row = grids_in_row(frame, room);
  return height +
         static_cast<float>((count + in_row - 1) / in_row) *
             (line_height(frame) + grid_height(frame, room, strip_height) + strip_gap(frame));
}

void draw_hbm(Frame& frame, const Box& box, float strip_height) {
  const bool narrow = is_narrow(frame, box.width());
  const std::string note = traffic(frame);
  const bool one_line = title_has_room(frame, box.width());
  const Box room =
      draw_memory(frame, box, "HBM", one_line ? note : "", "", 0,
                  "HBM: the GPU's main memory, off the chip. Every copy between it and "
                  "the chip counts its\nin-bounds bytes, each time it happens; here, "
                  "those of the present head so far.");
  draw_legend(frame, {room.max.x, box.min.y + (frame.compact ? 0.27f : 0.4f) * frame.em});
  float y = room.min.y;
  if (!one_line) {
    draw_text(frame, Font::sans_small, {room.min.x, y - 0.15f * frame.em}, frame.theme().text_dim,
              note);
    y += line_height(frame);
  }

  const Columns widths = narrow ? Columns{} : columns(frame, room.width());
  frame.tiles_left = room.min.x + widths.name + widths.verb;
  for (const TensorCopies& tensor : frame.counter.tensors()) {
    if (is_scores(tensor)) continue;
    const float height = row_height(tensor, strip_height);
    Box tiles{{room.min.x, y}, {room.max.x, y + height}};
    const std::string size = shape(frame, tensor);
    const float size_at = room.max.x - text_size(frame, Font::mono_small, size).x;
    float label_y = y + (height - frame.em) / 2;
    if (widths.name == 0) {
      label_y = y;
      tiles.min.y += line_height(frame);
      tiles.max.y += line_height(frame);
    } else {
      tiles.min.x += widths.name + widths.verb;
      tiles.max.x -= widths.shape;
    }
    draw_label(frame, tensor, verbs(tensor), {room.min.x, label_y}, widths.name);
    if (narrow || widths.shape > 0) {
      draw_text(frame, Font::mono_small, {size_at, label_y + 0.12f * frame.em},
                frame.theme().text_dim, size);
    }
    const std::vector<Direction> ways = directions(tensor);
    const float apart = ways.size() > 1 ? 0.12f * frame.em : 0.0f;
    const float part = (tiles.height() + apart) / static_cast<float>(ways.size());
    for (std::size_t n = 0; n < ways.size(); ++n) {
      const float top = tiles.min.y + part * static_cast<float>(n);
      draw_tiles(frame, tensor, ways[n], {{tiles.min.x, top}, {tiles.max.x, top + part - apart}});
    }
    y = tiles.max.y + strip_gap(frame);
  }

  const std::vector<Strip> matrices = grids(frame);
  const int in_row = grids_in_row(frame, room.width());
  const float width = grid_width(frame, room.width());
  for (std::size_t n = 0; n < matrices.size(); ++n) {
    const auto column = static_cast<float>(n % static_cast<std::size_t>(in_row));
    const ImVec2 at{room.min.x + column * (width + kGridGap * frame.em), y};
    draw_label(frame, *matrices[n].tensor, verb(matrices[n].direction), at, 0);
    const float top = y + line_height(frame),
                bottom = top + grid_height(frame, room.width(), strip_height);
    draw_tiles(frame, *matrices[n].tensor, matrices[n].direction,
               {{at.x, top}, {at.x + width, bottom}});
    if ((n + 1) % static_cast<std::size_t>(in_row) == 0) y = bottom + strip_gap(frame);
  }
}

}  // namespace flashscope::window::memory
