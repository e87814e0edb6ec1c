// The tiles of one tensor in one direction: how often each was copied as the strength of its
// colour, the present ones outlined; see memory_panel.h. Where tiles would be thinner than three
// pixels, neighbours share a bin that shows the largest.
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

constexpr float kWidest = 9;  // em: of one tile

// What the mouse is on: bins of tiles, and how often they were copied.
void tooltip(const Frame& frame, const TensorCopies& tensor, Direction direction, IndexRange rows,
             IndexRange columns, float times) {
  const TileGrid& grid = tensor.grid;
  const Program& program = frame.context.program();
  const bool hidden = frame.context.numbers_hidden;
  const bool one = rows.size() * columns.size() == 1;
  ImGui::TextUnformatted(fmt::format("{} {}: {}", frame.buffer(grid.tensor).name,
                                     views::name_of_tiles(grid, rows, columns),
                                     views::rows_text(views::area_of(program, grid, rows, columns)))
                             .c_str());
  const auto bytes = views::bytes_copied(program, tensor, direction, rows, columns);
  ImGui::TextDisabled("%s", fmt::format("of {}", shape(frame, tensor)).c_str());
  std::string text = fmt::format("{} ? times", verb(direction));
  if (!hidden) {
    text = fmt::format("{} {}{} {}{}", verb(direction), one ? "" : "up to ", times_text(times),
                       times == 1 ? "time" : "times", one ? "" : " each");
  }
  if (bytes && !hidden) {
    text += fmt::format(", {} B {} (simulated)", terminal::grouped(*bytes),
                        direction == Direction::load ? "loaded" : "stored");
  }
  ImGui::TextUnformatted(text.c_str());
  ImGui::TextDisabled(one ? "click: to the next copy of this tile"
                          : "click: to the next copy of the first of these tiles");
}

// Bins of tiles in a box on the screen.
struct Canvas {
  Box box;
  std::int64_t rows = 1, columns = 1;  // bins
  float width = 0, height = 0;         // of a bin
  float gap = 0;                       // between tiles; 0 where they are too small for one

  // Whole pixels, so that neighbours without a gap meet.
  Box place(IndexRange bin_rows, IndexRange bin_columns) const {
    const auto x = [&](std::int64_t n) {
      return std::floor(box.min.x + width * static_cast<float>(n));
    };
    const auto y = [&](std::int64_t n) {
      return std::floor(box.min.y + height * static_cast<float>(n));
    };
    return {{x(bin_columns.begin), y(bin_rows.begin)},
            {x(bin_columns.end) - gap, y(bin_rows.end) - gap}};
  }
};

Canvas make_canvas(const TileGrid& grid, Box box, float em) {
  const float smallest = std::max(3.0f, 0.2f * em);
  const auto bins_in = [&](float size, std::int64_t tiles) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(size / smallest), 1, tiles);
  };
  Canvas canvas;
  canvas.columns = bins_in(box.width(), grid.cells_in_row());
  canvas.rows = bins_in(box.height(), grid.rows);
  box.max.x = std::min(box.max.x, box.min.x + kWidest * em * static_cast<float>(canvas.columns));
  canvas.box = box;
  canvas.width = box.width() / static_cast<float>(canvas.columns);
  canvas.height = box.height() / static_cast<float>(canvas.rows);
  if (std::min(canvas.width, canvas.height) > 0.35f * em) {
    canvas.gap = std::max(1.0f, std::round(0.06f * em));
  }
  return canvas;
}

// Around what moves, on any colour; it lies outside, lest it cover a low strip's numbers.
void outline_moved(const Frame& frame, const Box& box) {
  const float rounding = 0.1f * frame.em, thickness = std::max(1.5f, 0.15f * frame.em);
  const ImVec2 min{box.min.x - thickness / 2, box.min.y - thickness / 2};
  const ImVec2 max{box.max.x + thickness / 2, box.max.y + thickness / 2};
  frame.list->AddRect(min, max, frame.theme().background, rounding, 1.8f * thickness);
  frame.list->AddRect(min, max, frame.theme().accent, rounding, thickness);
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

ImU32 heat(const Frame& frame, ImU32 color, float times) {
  const auto part = static_cast<float>(times / std::max(frame.most_times, 1.0));
  return tint(frame.theme(), color, 0.3f + 0.7f * std::min(part, 1.0f));
}

// Strength of colour. Equal neighbours without a gap are one rectangle.
void draw_heat(const Frame& frame, const Canvas& canvas, const std::vector<float>& times,
               ImU32 color) {
  const Theme& theme = frame.theme();
  frame.list->AddRectFilled(canvas.box.min, canvas.box.max, theme.empty_tile);
  for (std::int64_t row = 0; row < canvas.rows; ++row) {
    const float* values = times.data() + row * canvas.columns;
    for (std::int64_t first = 0, end = 1; first < canvas.columns; first = end++) {
      const float value = values[first];
      while (canvas.gap == 0 && end < canvas.columns && values[end] == value) ++end;
      const Box at = canvas.place({row, row + 1}, {first, end});
      if (value <= 0) {
        if (canvas.gap > 0) frame.list->AddRect(at.min, at.max, theme.line);
        continue;
      }
      frame.list->AddRectFilled(at.min, at.max, heat(frame, color, value));
    }
  }
  const Box all = canvas.place({0, canvas.rows}, {0, canvas.columns});
  frame.list->AddRect(all.min, all.max, theme.line);
}

// On tiles that have room for them.
void draw_numbers(const Frame& frame, const Canvas& canvas, const std::vector<float>& times,
                  ImU32 color) {
  if (canvas.gap == 0) return;
  for (std::int64_t row = 0; row < canvas.rows; ++row) {
    for (std::int64_t column = 0; column < canvas.columns; ++column) {
      const float value = times[static_cast<std::size_t>(row * canvas.columns + column)];
      if (value <= 0) continue;
      const Box at = canvas.place({row, row + 1}, {column, column + 1});
      const std::string text = frame.context.numbers_hidden ? "?" : times_text(value);
      const ImVec2 size = text_size(frame, Font::mono_small, text);
      if (size.x + 0.3f * frame.em > at.width() || size.y > at.height() + 0.1f * frame.em) continue;
      draw_text(frame, Font::mono_small, {at.center().x - size.x / 2, at.center().y - size.y / 2},
                Theme::ink_on(heat(frame, color, value)), text);
    }
  }
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

const char* verb(Direction direction) { return direction == Direction::load ? "read" : "written"; }

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

std::string times_text(double times) {
  const double whole = std::round(times);
  if (times == whole && whole >= 1000) return terminal::grouped(static_cast<std::int64_t>(whole));
  return fmt::format("{:.3g}", times);
}

void draw_tiles(Frame& frame, const TensorCopies& tensor, Direction direction, const Box& box) {
  const TileGrid& grid = tensor.grid;
  const Program& program = frame.context.program();
  const std::string& name = frame.buffer(grid.tensor).name;
  if (grid.rows == 0 || grid.columns == 0) {
    draw_text(frame, Font::sans_small, box.min, frame.theme().text_dim, "no tiles");
    return;
  }
  const Canvas canvas = make_canvas(grid, box, frame.em);
  const std::vector<float>& times =
      frame.bins.bins(program, tensor, direction, canvas.rows, canvas.columns);
  draw_heat(frame, canvas, times, frame.theme().tensor(name));

  // The present tiles; a side that the present step has no index for is outlined whole.
  const auto across = [&](IndexRange tiles) {
    return grid.by_rows ? IndexRange{0, tiles.empty() ? 0 : 1}
                        : bins_of(tiles, canvas.columns, grid.columns);
  };
  IndexRange x = across(present(frame, grid.column_axis));
  IndexRange y = bins_of(present(frame, grid.row_axis), canvas.rows, grid.rows);
  if (!x.empty() || (!y.empty() && grid.row_axis != GridAxis::one)) {
    if (x.empty()) x = {0, canvas.columns};
    if (y.empty()) y = {0, canvas.rows};
    const Box at_hand = canvas.place(y, x);
    frame.list->AddRect(at_hand.min, at_hand.max, frame.theme().text_dim, 0,
                        std::max(1.0f, 0.06f * frame.em));
  }
  const auto& copy = frame.view.copy;
  if (copy && copy->tiles.tensor == grid.tensor && copy->tiles.direction == direction &&
      !copy->tiles.rows.empty()) {
    frame.copied_tiles = canvas.place(bins_of(copy->tiles.rows, canvas.rows, grid.rows),
                                      across(copy->tiles.columns));
    outline_moved(frame, *frame.copied_tiles);
  }
  draw_numbers(frame, canvas, times, frame.theme().tensor(name));

  ImGui::SetCursorScreenPos(canvas.box.min);
  const bool clicked = ImGui::InvisibleButton(
      fmt::format("##hbm_{}_{}", name, verb(direction)).c_str(),
      {std::max(canvas.box.width(), 1.0f), std::max(canvas.box.height(), 1.0f)});
  if (!ImGui::IsItemHovered()) return;
  const auto bin_at = [](float offset, float size, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(offset / size), 0, count - 1);
  };
  const ImVec2 mouse = ImGui::GetMousePos();
  const std::int64_t column = bin_at(mouse.x - canvas.box.min.x, canvas.width, canvas.columns);
  const std::int64_t row = bin_at(mouse.y - canvas.box.min.y, canvas.height, canvas.rows);
  const IndexRange rows = views::tiles_of_bin(row, canvas.rows, grid.rows);
  const IndexRange columns = grid.by_rows
                                 ? IndexRange{0, grid.columns}
                                 : views::tiles_of_bin(column, canvas.columns, grid.columns);
  if (ImGui::BeginTooltip()) {
    tooltip(frame, tensor, direction, rows, columns,
            times[static_cast<std::size_t>(row * canvas.columns + column)]);
    ImGui::EndTooltip();
  }
  if (clicked) {
    frame.requests.go_to = views::op_of_copy(program, frame.counter, frame.view.segment,
                                             frame.context.session().position(), grid.tensor,
                                             rows.begin, columns.begin);
  }
}

}  // namespace flashscope::window::memory
