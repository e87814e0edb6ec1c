// Drawing the tile map; see tile_map_svg.h. Classes differ by hatching and border, not by colour
// alone.
#include "viz/pages/tile_map_svg.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/attention/tile_map.h"
#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

constexpr int kLabels = 26;          // room for the indices, left and above
constexpr int kMostWithNumbers = 8;  // tiles along a side that have their step's number in them

}  // namespace

std::string tile_map_svg(const TileMapPicture& picture, bool plays) {
  const int rows = static_cast<int>(picture.cells.size());
  const int columns = rows == 0 ? 0 : static_cast<int>(picture.cells.front().size());
  const int most = std::max({rows, columns, 1});
  const int size = std::clamp(260 / most, 11, 56);
  const bool numbers = most <= kMostWithNumbers;
  const int width = kLabels + columns * size + 2, height = kLabels + rows * size + 2;
  std::string svg = fmt::format(
      "<svg class=\"tile-map\" id=\"{}\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" "
      "role=\"img\" aria-label=\"{}\">\n",
      escaped(picture.id), width, height, width, height, escaped(picture.title));
  svg += fmt::format("<title>{}</title>\n", escaped(picture.title));
  // The hatching of partial tiles; an id of its own for each picture.
  svg += fmt::format(
      "<defs><pattern id=\"{}-hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M0 0V6\"/></pattern></defs>\n",
      escaped(picture.id));
  // Every label would touch its neighbour where tiles are small.
  const int label_step = size >= 18 ? 1 : size >= 13 ? 2 : 4;
  const auto label = [&](int n, std::int64_t index, bool across) {
    if (n % label_step != 0) return;
    const int middle = kLabels + n * size + size / 2;
    svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", across ? middle : kLabels / 2 + 1,
                       across ? kLabels / 2 + 1 : middle, index);
  };
  for (int c = 0; c < columns; ++c)
    label(c, picture.first_kv_tile + c * picture.tiles_per_cell, true);
  std::string unmet;  // outlines of empty tiles that no step meets, half of a causal map: one path
  for (int r = 0; r < rows; ++r) {
    label(r, picture.first_q_tile + r * picture.tiles_per_cell, false);
    for (int c = 0; c < columns; ++c) {
      const TileMapPicture::Cell& cell =
          picture.cells[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      const int x = kLabels + c * size, y = kLabels + r * size;
      const std::string outline =
          fmt::format("M{} {}h{}v{}h-{}z", x + 2, y + 2, size - 3, size - 3, size - 3);
      const bool visible = cell.tile_class != TileClass::empty;
      if (!visible && cell.op < 0) {
        unmet += outline;
        continue;
      }
      std::string classes = fmt::format("cell {}", name_of(cell.tile_class));
      if (cell.is_done || !plays) classes += " done";
      if (cell.is_current) classes += " current";
      std::string data;
      if (plays) {
        data = fmt::format(" data-q=\"{}\" data-k=\"{}\"", picture.first_q_tile + r,
                           picture.first_kv_tile + c);
        if (cell.op >= 0) data += fmt::format(" data-op=\"{}\"", cell.op);
      }
      svg += fmt::format("<g class=\"{}\"{}>", classes, data);
      svg += fmt::format("<path d=\"{}\"/>", outline);
      if (cell.tile_class == TileClass::partial) {
        svg += fmt::format(
            "<rect class=\"over\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
            "fill=\"url(#{}-hatch)\"/>",
            x + 2, y + 2, size - 3, size - 3, escaped(picture.id));
      }
      if (numbers && visible && cell.order >= 0) {
        svg += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", x + size / 2, y + size / 2 + 1,
                           cell.order + 1);
      }
      svg += "</g>\n";
    }
  }
  if (!unmet.empty()) svg += fmt::format("<path class=\"unmet\" d=\"{}\"/>\n", unmet);
  return svg + "</svg>\n";
}

std::string tile_map_legend(bool plays) {
  std::string html = "<p class=\"legend\">";
  const auto add = [&](std::string_view look, std::string_view name) {
    html += fmt::format("<span><span class=\"key {}\"></span>{}</span> ", look, name);
  };
  add("full", "full");
  add("partial", "partial");
  add("empty", "empty");
  if (plays) {
    add("to-come", "to come");
    add("current", "current");
  }
  return html + "</p>\n";
}

}  // namespace flashscope::pages
