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
using views::TileGrid;

constexpr float kNarrow = 22;      // em: below, a label stands above its strip
constexpr float kStripGap = 0.4f;  // em
constexpr float kWidest = 9;       // em: of one tile
constexpr float kTwoWays = 1.5f;   // height of a row with two strips, to that of one
constexpr float kGrid = 4;         // height of a score matrix, to that of a strip
constexpr float kGridWidth = 7;    // em: at least

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

const char* verb(Direction direction) { return direction == Direction::load ? "read" : "written"; }

std::string verbs(const TensorCopies& tensor) {
  std::string text;
  for (const Direction direction : directions(tensor)) {
    text += (text.empty() ? "" : " / ") + std::string(verb(direction));
  }
  return text;
}

std::string shape(const Frame& frame, const TensorCopies& tensor) {
  const Program& program = frame.context.program();
  const Buffer& buffer = frame.buffer(tensor.grid.tensor);
  const Problem& problem = program.problem();
  const bool of_keys = buffer.rows == Dim::kv_len;
  std::string text = tensor.grid.row_axis == GridAxis::split
                         ? fmt::format("{} × ", program.tiling().splits)
                         : std::string();
  text += terminal::grouped(of_keys ? problem.kv_len : problem.q_len * program.group());
  if (buffer.columns == Dim::head_dim) text += fmt::format(" × {}", problem.head_dim);
  if (buffer.columns == Dim::kv_len) text += " × " + terminal::grouped(problem.kv_len);
  const Format format = format_of(buffer.stage, program.precision(), program.tiling());
  return fmt::format("{} {}", text, name_of(format));
}

// What the mouse is on: bins of tiles, and how often they were copied.
void tooltip(const Frame& frame, const Strip& strip, IndexRange rows, IndexRange columns,
             float times) {
  const TileGrid& grid = strip.tensor->grid;
  const Program& program = frame.context.program();
  const bool hidden = frame.context.numbers_hidden;
  const bool one = rows.size() * columns.size() == 1;
  ImGui::TextUnformatted(fmt::format("{} {}: {}", frame.buffer(grid.tensor).name,
                                     views::name_of_tiles(grid, rows, columns),
                                     views::rows_text(views::area_of(program, grid, rows, columns)))
                             .c_str());
  const auto bytes = views::bytes_copied(program, *strip.tensor, strip.direction, rows, columns);
  std::string text = hidden ? fmt::format("{} ? times", verb(strip.direction))
                            : fmt::format("{} {:.4g} times", verb(strip.direction), times);
  if (!one && !hidden)
    text = fmt::format("{} up to {:.4g} times each", verb(strip.direction), times);
  if (bytes && !hidden) {
    text += fmt::format(", {} B {} (simulated)", terminal::grouped(*bytes),
                        strip.direction == Direction::load ? "loaded" : "stored");
  }
  ImGui::TextUnformatted(text.c_str());
  ImGui::TextDisabled(one ? "click: to the next copy of this tile"
                          : "click: to the next copy of the first of these tiles");
}

// An outline that shows on any colour.
void outline_box(const Frame& frame, const Box& box, ImU32 color, float thickness) {
  const float rounding = 0.1f * frame.em;
  frame.list->AddRect(box.min, box.max, frame.theme().background, rounding, 2.6f * thickness);
  frame.list->AddRect(box.min, box.max, color, rounding, thickness);
}

// Round the bins where present tiles lie.
void outline(const Frame& frame, const Box& box, IndexRange bins, std::int64_t count, bool vertical,
             ImU32 color, float thickness) {
  if (bins.empty()) return;
  const auto place = [&](float from, float size, std::int64_t bin) {
    return from + size * static_cast<float>(bin) / static_cast<float>(count);
  };
  Box at = box;
  if (vertical) {
    at.min.y = place(box.min.y, box.height(), bins.begin);
    at.max.y = place(box.min.y, box.height(), bins.end);
  } else {
    at.min.x = place(box.min.x, box.width(), bins.begin);
    at.max.x = place(box.min.x, box.width(), bins.end);
  }
  outline_box(frame, at, color, thickness);
}

IndexRange bins_of(IndexRange tiles, std::int64_t bins, std::int64_t count) {
  if (tiles.empty() || count == 0) return {};
  IndexRange result{tiles.begin * bins / count, 0};
  // tiles_of_bin() rounds down: the bin of a tile may be one further on.
  while (views::tiles_of_bin(result.begin, bins, count).end <= tiles.begin) ++result.begin;
  result.end = result.begin + 1;
  while (result.end < bins && views::tiles_of_bin(result.end, bins, count).begin < tiles.end) {
    ++result.end;
  }
  return result;
}

// The tiles of the present step on one side of a grid.
IndexRange present(const Frame& frame, GridAxis axis) {
  const Segment& segment = frame.view.segment;
  const std::int64_t index = axis == GridAxis::q_tile    ? segment.q_tile
                             : axis == GridAxis::kv_tile ? segment.kv_tile
                             : axis == GridAxis::split   ? segment.split
                                                         : 0;
  return index < 0 ? IndexRange{} : IndexRange{index, index + 1};
}

void draw_tiles(Frame& frame, const Strip& strip, Box box) {
  const TileGrid& grid = strip.tensor->grid;
  const Program& program = frame.context.program();
  const Theme& theme = frame.theme();
  const ImU32 color = theme.tensor(frame.buffer(grid.tensor).name);
  if (grid.rows == 0 || grid.columns == 0) {
    draw_text(frame, Font::sans_small, box.min, theme.text_dim, "no tiles");
    return;
  }
  const float smallest = std::max(3.0f, 0.2f * frame.em);
  const auto bins_in = [&](float size, std::int64_t tiles) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(size / smallest), 1, tiles);
  };
  const std::int64_t columns = bins_in(box.width(), grid.cells_in_row());
  const std::int64_t rows = bins_in(box.height(), grid.rows);
  box.max.x = std::min(box.max.x, box.min.x + kWidest * frame.em * static_cast<float>(columns));
  const float w = box.width() / static_cast<float>(columns);
  const float h = box.height() / static_cast<float>(rows);
  const float gap =
      std::min(w, h) > 0.35f * frame.em ? std::max(1.0f, std::round(0.06f * frame.em)) : 0.0f;
  const std::vector<float>& times =
      frame.bins.bins(program, *strip.tensor, strip.direction, rows, columns);
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return times[static_cast<std::size_t>(row * columns + column)];
  };

  frame.list->AddRectFilled(box.min, box.max, theme.empty_tile);
  for (std::int64_t row = 0; row < rows; ++row) {
    const float top = std::floor(box.min.y + h * static_cast<float>(row));
    const float bottom = std::floor(box.min.y + h * static_cast<float>(row + 1));
    for (std::int64_t first = 0; first < columns;) {
      const float value = at(row, first);
      std::int64_t end = first + 1;  // equal neighbours without gaps are one rectangle
      while (gap == 0 && end < columns && at(row, end) == value) ++end;
      const ImVec2 min{std::floor(box.min.x + w * static_cast<float>(first)), top};
      const ImVec2 max{std::floor(box.min.x + w * static_cast<float>(end)) - gap, bottom - gap};
      if (value > 0) {
        const auto part = static_cast<float>(value / std::max(frame.most_times, 1.0));
        const ImU32 fill = tint(theme, color, 0.3f + 0.7f * std::min(part, 1.0f));
        frame.list->AddRectFilled(min, max, fill);
        const std::string text =
            frame.context.numbers_hidden ? std::string("?") : fmt::format("{:.3g}", value);
        const ImVec2 size = text_size(frame, Font::mono_small, text);
        if (gap > 0 && size.x + 0.3f * frame.em < w && size.y < h) {
          draw_text(frame, Font::mono_small,
                    {(min.x + max.x - size.x) / 2, (min.y + max.y - size.y) / 2},
                    Theme::ink_on(fill), text);
        }
      } else if (gap > 0) {
        frame.list->AddRect(min, max, theme.line);
      }
      first = end;
    }
  }
  frame.list->AddRect(box.min, {box.max.x - gap, box.max.y - gap}, theme.line);

  // The present tiles, and those of the copy under way.
  const auto bins_across = [&](IndexRange tiles) {
    return grid.by_rows ? IndexRange{0, tiles.empty() ? 0 : 1}
                        : bins_of(tiles, columns, grid.columns);
  };
  const float thin = std::max(1.0f, 0.09f * frame.em);
  const Box inner{box.min, {box.max.x - gap, box.max.y - gap}};
  const IndexRange across = bins_across(present(frame, grid.column_axis));
  if (grid.row_axis == GridAxis::q_tile || grid.row_axis == GridAxis::split) {
    const IndexRange down = bins_of(present(frame, grid.row_axis), rows, grid.rows);
    if (!down.empty()) {
      Box row = inner;
      row.min.y = box.min.y + h * static_cast<float>(down.begin);
      row.max.y = box.min.y + h * static_cast<float>(down.end) - gap;
      if (across.empty()) {
        outline_box(frame, row, theme.accent, thin);
      } else {
        outline(frame, row, across, columns, false, theme.accent, thin);
      }
    } else {
      outline(frame, inner, across, columns, false, theme.accent, thin);
    }
  } else {
    outline(frame, inner, across, columns, false, theme.accent, thin);
  }
  const auto& copy = frame.view.copy;
  if (copy && copy->tiles.tensor == grid.tensor && copy->tiles.direction == strip.direction &&
      !copy->tiles.rows.empty()) {
    const IndexRange x = bins_across(copy->tiles.columns);
    const IndexRange y = bins_of(copy->tiles.rows, rows, grid.rows);
    const Box tile{
        {box.min.x + w * static_cast<float>(x.begin), box.min.y + h * static_cast<float>(y.begin)},
        {box.min.x + w * static_cast<float>(x.end) - gap,
         box.min.y + h * static_cast<float>(y.end) - gap}};
    outline_box(frame, tile, theme.accent, 1.6f * thin);
    frame.copied_tiles = tile;
  }

  ImGui::SetCursorScreenPos(box.min);
  const std::string id =
      fmt::format("##hbm/{}/{}", frame.buffer(grid.tensor).name, verb(strip.direction));
  const bool clicked = ImGui::InvisibleButton(
      id.c_str(), {std::max(box.width(), 1.0f), std::max(box.height(), 1.0f)});
  if (!ImGui::IsItemHovered()) return;
  const ImVec2 mouse = ImGui::GetMousePos();
  const auto bin_at = [](float offset, float size, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(offset / size), 0, count - 1);
  };
  const std::int64_t x = bin_at(mouse.x - box.min.x, w, columns);
  const std::int64_t y = bin_at(mouse.y - box.min.y, h, rows);
  const IndexRange tile_rows = views::tiles_of_bin(y, rows, grid.rows);
  const IndexRange tile_columns =
      grid.by_rows ? IndexRange{0, grid.columns} : views::tiles_of_bin(x, columns, grid.columns);
  if (ImGui::BeginTooltip()) {
    tooltip(frame, strip, tile_rows, tile_columns, at(y, x));
    ImGui::EndTooltip();
  }
  if (clicked) {
    frame.requests.go_to = views::op_of_copy(program, frame.counter, frame.view.segment,
                                             frame.context.session().position(), grid.tensor,
                                             tile_rows.begin, tile_columns.begin);
  }
}

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
  return std::clamp(static_cast<int>(width / (kGridWidth * frame.em)), 1, 4);
}

float line_height(const Frame& frame) { return 1.25f * frame.em; }

float row_height(const TensorCopies& tensor, float strip_height) {
  return strip_height * (directions(tensor).size() > 1 ? kTwoWays : 1.0f);
}

std::string most_text(const Frame& frame) {
  return frame.context.numbers_hidden ? std::string("?")
                                      : fmt::format("{:.4g}×", std::max(frame.most_times, 1.0));
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
  if (frame.context.numbers_hidden) return "? B read, ? B written (simulated)";
  std::int64_t loaded = 0, stored = 0;
  for (const TensorCopies& tensor : frame.counter.tensors()) {
    loaded += tensor.loads.bytes;
    stored += tensor.stores.bytes;
  }
  return fmt::format("{} B read, {} B written (simulated)", terminal::grouped(loaded),
                     terminal::grouped(stored));
}

bool title_has_room(const Frame& frame, float width) {
  return text_size(frame, Font::sans_small, traffic(frame)).x + legend_width(frame) + 5 * frame.em <
         width;
}

}  // namespace

const std::vector<float>& BinCache::bins(const Program& program, const TensorCopies& tensor,
                                         Direction direction, std::int64_t rows,
                                         std::int64_t columns) {
  for (const Entry& entry : entries_) {
    if (entry.tensor == tensor.grid.tensor && entry.direction == direction && entry.rows == rows &&
        entry.columns == columns) {
      return entry.times;
    }
  }
  // A window that is being resized must not collect them.
  if (entries_.size() > 64) entries_.clear();
  entries_.push_back({tensor.grid.tensor, direction, rows, columns,
                      views::binned_times(program, tensor, direction, rows, columns)});
  return entries_.back().times;
}

float hbm_height(const Frame& frame, float width, float strip_height) {
  const bool narrow = is_narrow(frame, width);
  float height = memory_title_height(frame) + 0.2f * frame.em;
  if (!title_has_room(frame, width)) height += line_height(frame);
  for (const TensorCopies& tensor : frame.counter.tensors()) {
    if (is_scores(tensor)) continue;
    height +=
        row_height(tensor, strip_height) + kStripGap * frame.em + (narrow ? line_height(frame) : 0);
  }
  const int count = static_cast<int>(grids(frame).size()),
            in_row = grids_in_row(frame, width - 1.2f * frame.em);
  return height + static_cast<float>((count + in_row - 1) / in_row) *
                      (line_height(frame) + kGrid * strip_height + kStripGap * frame.em);
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
  draw_legend(frame, {room.max.x, box.min.y + 0.4f * frame.em});
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
      draw_tiles(frame, {&tensor, ways[n]},
                 {{tiles.min.x, top}, {tiles.max.x, top + part - apart}});
    }
    y = tiles.max.y + kStripGap * frame.em;
  }

  const std::vector<Strip> matrices = grids(frame);
  const int in_row = grids_in_row(frame, room.width());
  const float gap = 0.8f * frame.em;
  const float width = (room.width() + gap) / static_cast<float>(in_row) - gap;
  for (std::size_t n = 0; n < matrices.size(); ++n) {
    const auto column = static_cast<float>(n % static_cast<std::size_t>(in_row));
    const ImVec2 at{room.min.x + column * (width + gap), y};
    draw_label(frame, *matrices[n].tensor, verb(matrices[n].direction), at, 0);
    const float top = y + line_height(frame), bottom = top + kGrid * strip_height;
    draw_tiles(frame, matrices[n], {{at.x, top}, {at.x + width, bottom}});
    if ((n + 1) % static_cast<std::size_t>(in_row) == 0) y = bottom + kStripGap * frame.em;
  }
}

}  // namespace flashscope::window::memory
