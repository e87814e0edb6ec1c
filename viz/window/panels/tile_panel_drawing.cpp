// Drawing a tile as a heat map with numbers; see tile_panel_parts.h.
#include <algorithm>
#include <cmath>

#include "viz/window/panels/tile_panel_parts.h"

namespace flashscope::window {
namespace {

constexpr double kSmallestBin = 2;  // pixels
constexpr double kMostBins = 20000;
constexpr std::int64_t kLongestFold = 4096;  // entries of a vector

// Four significant digits, or as many as fit into so many characters; empty when none do.
std::string fitting_text(double value, int characters) {
  for (int digits = 4; digits > 0; --digits) {
    std::string text = views::number_text(value, digits);
    if (static_cast<int>(text.size()) <= characters) return text;
  }
  return {};
}

ImU32 color_of(const views::TileView& view, const views::TileCell& cell, const Theme& theme,
               bool numbers_hidden) {
  if (cell.past_end || cell.hidden) return 0;
  if (numbers_hidden) return theme.surface;
  switch (cell.kind) {
    case views::TileCell::Kind::nan:
      return nan_color(theme);
    case views::TileCell::Kind::plus_infinity:
      return plus_infinity_color(theme);
    case views::TileCell::Kind::minus_infinity:
      return minus_infinity_color(theme);
    case views::TileCell::Kind::number:
      break;
  }
  const double shade = view.shade(cell.value);
  return view.is_diverging() ? theme.diverging(shade) : theme.heat(shade);
}

}  // namespace

ImU32 nan_color(const Theme& theme) { return theme.text; }
ImU32 plus_infinity_color(const Theme& theme) { return theme.good; }
ImU32 minus_infinity_color(const Theme& theme) { return theme.surface; }

TileArrangement TileArrangement::of(const views::TileView& view, ImVec2 place) {
  TileArrangement arrangement{view.rows(), view.columns(), 0};
  if (view.columns() != 1 || view.rows() > kLongestFold) return arrangement;
  const float font = ImGui::GetFontSize();
  const auto fitting = [](float pixels, float cell) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(pixels / cell));
  };
  const std::int64_t most_columns = fitting(place.x, font * 5.5f);
  const std::int64_t columns =
      std::min(most_columns, ceil_div(view.rows(), fitting(place.y, font * 1.3f)));
  if (columns < 2) return arrangement;
  return {ceil_div(view.rows(), columns), columns, view.rows()};
}

std::optional<std::pair<std::int64_t, std::int64_t>> TileArrangement::element(
    std::int64_t row, std::int64_t column) const {
  if (folded == 0) return std::pair{row, column};
  const std::int64_t entry = column * rows + row;
  if (entry >= folded) return std::nullopt;
  return std::pair{entry, std::int64_t{0}};
}

std::pair<std::int64_t, std::int64_t> TileArrangement::cell(std::int64_t row,
                                                            std::int64_t column) const {
  if (folded == 0) return {row, column};
  return {row % rows, row / rows};
}

void TileHeatMap::draw(const Context& context, const views::TileView& view,
                       const TileArrangement& arrangement, const CanvasFrame& frame) {
  update(context, view, arrangement, frame);
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  draw.PushClipRect(frame.min, frame.max, true);
  draw.AddRectFilled(frame.min, frame.max, theme.background);
  // What is hidden or past an end is left out of the colours, so that one hatching shows there.
  if (std::find(colors_.begin(), colors_.end(), ImU32{0}) != colors_.end()) {
    draw_hatch(draw, frame.min, frame.max, theme.line, ImGui::GetFontSize() * 0.45f);
  }
  draw_colors(context, frame);
  draw_grid(context, frame);
  draw_numbers(context, view, arrangement, frame);
  draw.PopClipRect();
  draw.AddRect(frame.min, frame.max, theme.line);
}

void TileHeatMap::update(const Context& context, const views::TileView& view,
                         const TileArrangement& arrangement, const CanvasFrame& frame) {
  const double area = static_cast<double>(frame.max.x - frame.min.x) *
                      static_cast<double>(frame.max.y - frame.min.y);
  const double bin = std::max(kSmallestBin, std::sqrt(area / kMostBins));
  const auto per_bin = [&](double cell, double other) {
    // Cells that are long one way are few: they may be thin the other way.
    const double least = std::clamp(bin * bin / std::max(other, bin), kSmallestBin, bin);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(least / cell - 1e-6)));
  };
  const std::int64_t row_step = per_bin(frame.height, frame.width);
  const std::int64_t column_step = per_bin(frame.width, frame.height);
  const IndexRange rows{frame.rows.begin / row_step * row_step, frame.rows.end};
  const IndexRange columns{frame.columns.begin / column_step * column_step, frame.columns.end};
  const bool same_look = hidden_ == context.numbers_hidden && dark_ == context.theme.dark;
  if (state_version_ == context.state_version && buffer_ == view.buffer() && same_look &&
      arrangement_ == arrangement && cells_.rows == rows && cells_.columns == columns &&
      cells_.row_step == row_step && cells_.column_step == column_step) {
    return;
  }
  state_version_ = context.state_version;
  buffer_ = view.buffer();
  arrangement_ = arrangement;
  hidden_ = context.numbers_hidden;
  dark_ = context.theme.dark;
  texts_.clear();
  if (arrangement.folded == 0) {
    cells_ = view.cells(rows, columns, row_step, column_step);
  } else {
    cells_ = {rows, columns, 1, 1, rows.size(), columns.size(), {}};
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const auto element = arrangement.element(row, column);
        views::TileCell nothing;
        nothing.past_end = true;
        cells_.cells.push_back(element ? view.cell(element->first, element->second) : nothing);
      }
    }
    cells_.row_step = row_step;
    cells_.column_step = column_step;
  }
  colors_.clear();
  for (std::size_t n = 0; n < cells_.cells.size(); ++n) {
    const std::int64_t row = rows.begin + static_cast<std::int64_t>(n) / cells_.bin_columns;
    const std::int64_t column = columns.begin + static_cast<std::int64_t>(n) % cells_.bin_columns;
    const bool is_there = arrangement.folded == 0 || arrangement.element(row, column);
    colors_.push_back(is_there
                          ? color_of(view, cells_.cells[n], context.theme, context.numbers_hidden)
                          : context.theme.background);
  }
}

void TileHeatMap::draw_colors(const Context& context, const CanvasFrame& frame) const {
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const auto x = [&](std::int64_t column) {
    return std::round(frame.x(static_cast<double>(
        std::min(cells_.columns.begin + column * cells_.column_step, cells_.columns.end))));
  };
  for (std::int64_t row = 0; row < cells_.bin_rows; ++row) {
    const std::int64_t first = cells_.rows.begin + row * cells_.row_step;
    const float top = std::round(frame.y(static_cast<double>(first)));
    const float bottom = std::round(
        frame.y(static_cast<double>(std::min(first + cells_.row_step, cells_.rows.end))));
    const ImU32* colors = &colors_[static_cast<std::size_t>(row * cells_.bin_columns)];
    for (std::int64_t column = 0; column < cells_.bin_columns;) {
      std::int64_t end = column + 1;
      while (end < cells_.bin_columns && colors[end] == colors[column]) ++end;
      if (colors[column] != 0) {
        draw.AddRectFilled({x(column), top}, {x(end), bottom}, colors[column]);
      }
      column = end;
    }
  }
  // What stands for no number is told apart by its shape as well.
  const float side = static_cast<float>(std::min(frame.width, frame.height));
  if (side < 4 || context.numbers_hidden) return;
  for (std::int64_t row = 0; row < cells_.bin_rows; ++row) {
    for (std::int64_t column = 0; column < cells_.bin_columns; ++column) {
      const views::TileCell& cell = cells_.at(row, column);
      const ImU32* colors = &colors_[static_cast<std::size_t>(row * cells_.bin_columns)];
      if (cell.kind == views::TileCell::Kind::number || cell.past_end || cell.hidden) continue;
      if (!texts_.empty()) continue;  // then it says so
      const ImVec2 middle{frame.x(static_cast<double>(cells_.columns.begin + column) + 0.5),
                          frame.y(static_cast<double>(cells_.rows.begin + row) + 0.5)};
      const float arm = std::min(side * 0.3f, ImGui::GetFontSize() * 0.3f);
      const ImU32 ink = Theme::ink_on(colors[static_cast<std::size_t>(column)]);
      draw.AddLine(middle - ImVec2(arm, 0), middle + ImVec2(arm, 0), ink);
      if (cell.kind == views::TileCell::Kind::plus_infinity) {
        draw.AddLine(middle - ImVec2(0, arm), middle + ImVec2(0, arm), ink);
      }
    }
  }
}

// Cells are set apart where there is room for a line between them.
void TileHeatMap::draw_grid(const Context& context, const CanvasFrame& frame) const {
  if (std::min(frame.width, frame.height) < 6) return;
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float thickness = std::max(1.0f, std::floor(ImGui::GetFontSize() / 14));
  for (std::int64_t column = frame.columns.begin; column <= frame.columns.end; ++column) {
    const float x = std::round(frame.x(static_cast<double>(column)));
    draw.AddRectFilled({x - thickness, frame.min.y}, {x, frame.max.y}, context.theme.background);
  }
  for (std::int64_t row = frame.rows.begin; row <= frame.rows.end; ++row) {
    const float y = std::round(frame.y(static_cast<double>(row)));
    draw.AddRectFilled({frame.min.x, y - thickness}, {frame.max.x, y}, context.theme.background);
  }
}

void TileHeatMap::draw_numbers(const Context& context, const views::TileView& view,
                               const TileArrangement& arrangement, const CanvasFrame& frame) {
  const Theme& theme = context.theme;
  const float font = ImGui::GetFontSize();
  const auto width = static_cast<float>(frame.width), height = static_cast<float>(frame.height);
  // Whole even sizes: each size of a font is rasterised once.
  const float wanted = std::clamp(std::min(height * 0.5f, width * 0.22f), font * 0.8f, font * 2.2f);
  const float size = std::floor(wanted / 2) * 2;
  const float character = theme.mono->CalcTextSizeA(size, FLT_MAX, 0, "0").x;
  // A folded entry has its row's label before it.
  float label = 0;
  if (arrangement.folded > 0) {
    label = theme.mono->CalcTextSizeA(size, FLT_MAX, 0, view.row_label(view.rows() - 1).c_str()).x +
            font * 0.6f;
  }
  const int characters = static_cast<int>((width - label - font * 0.3f) / character);
  if (height < size * 1.1f || characters < 4) {
    texts_.clear();
    return;
  }
  if (texts_.size() != cells_.cells.size() || characters != characters_) {
    characters_ = characters;
    texts_.clear();
    for (const views::TileCell& cell : cells_.cells) {
      texts_.push_back(cell.past_end            ? std::string()
                       : context.numbers_hidden ? "?"
                                                : fitting_text(cell.value, characters));
    }
  }
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  for (std::int64_t row = 0; row < cells_.bin_rows; ++row) {
    for (std::int64_t column = 0; column < cells_.bin_columns; ++column) {
      const auto index = static_cast<std::size_t>(row * cells_.bin_columns + column);
      const std::string& text = texts_[index];
      const ImU32 color = colors_[index];
      const ImU32 ink = color == 0 ? theme.text_dim : Theme::ink_on(color);
      const float x = frame.x(static_cast<double>(cells_.columns.begin + column));
      const float y = frame.y(static_cast<double>(cells_.rows.begin + row)) + (height - size) / 2;
      if (text.empty()) continue;
      const float text_width = character * static_cast<float>(text.size());
      const float at = arrangement.folded > 0 ? x + width - text_width - font * 0.4f
                                              : x + (width - text_width) / 2;
      if (color == 0) {
        draw.AddRectFilled({at - character * 0.3f, y},
                           {at + text_width + character * 0.3f, y + size}, theme.background);
      }
      draw.AddText(theme.mono, size, {at, y}, ink, text.c_str());
      if (arrangement.folded > 0) {
        const auto element =
            arrangement.element(cells_.rows.begin + row, cells_.columns.begin + column);
        draw.AddText(theme.mono, size, {x + font * 0.4f, y}, Theme::faded(ink, 0.6f),
                     view.row_label(element->first).c_str());
      }
    }
  }
}

void draw_color_bar(const Theme& theme, const views::TileView& view, bool numbers_hidden,
                    float width) {
  ImGui::PushFont(theme.mono, 0.0f);
  const float font = ImGui::GetFontSize(), height = ImGui::GetFrameHeight();
  const double most = std::max(-view.low(), view.high());
  const double low = view.is_diverging() ? -most : view.low();
  const double high = view.is_diverging() ? most : view.high();
  const auto text = [&](double value) {
    return numbers_hidden ? std::string("?") : views::number_text(value, 4);
  };
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& draw = *ImGui::GetWindowDrawList();
  const float y = at.y + (height - font) / 2;
  const std::string left = text(low), right = text(high);
  const float left_width = ImGui::CalcTextSize(left.c_str()).x + font * 0.4f;
  const float right_width = ImGui::CalcTextSize(right.c_str()).x + font * 0.4f;
  const bool is_range = view.has_numbers() && low < high;
  const float bar = std::max(width - left_width - right_width, font * 2);
  float end = at.x;
  if (!view.has_numbers()) {
    draw.AddText({at.x, y}, theme.text_dim, "no numbers");
    end += ImGui::CalcTextSize("no numbers").x;
  } else if (!is_range || numbers_hidden) {
    const std::string all = numbers_hidden ? "range ?" : "all " + right;
    draw.AddText({at.x, y}, theme.text_dim, all.c_str());
    end += ImGui::CalcTextSize(all.c_str()).x;
  } else {
    draw.AddText({at.x, y}, theme.text, left.c_str());
    constexpr int kParts = 24;
    const float x = at.x + left_width, part = bar / kParts;
    const auto shade = [&](int n) {
      const double place = static_cast<double>(n) / kParts;
      return view.is_diverging() ? theme.diverging(2 * place - 1) : theme.heat(place);
    };
    for (int n = 0; n < kParts; ++n) {
      const ImVec2 min{x + part * static_cast<float>(n), at.y + height * 0.25f};
      const ImVec2 max{x + part * static_cast<float>(n + 1), at.y + height * 0.75f};
      draw.AddRectFilledMultiColor(min, max, shade(n), shade(n + 1), shade(n + 1), shade(n));
    }
    draw.AddRect({x, at.y + height * 0.25f}, {x + bar, at.y + height * 0.75f}, theme.line);
    draw.AddText({x + bar + font * 0.4f, y}, theme.text, right.c_str());
    end = x + bar + right_width;
  }
  ImGui::Dummy({end - at.x, height});
  ImGui::PopFont();
}

}  // namespace flashscope::window
