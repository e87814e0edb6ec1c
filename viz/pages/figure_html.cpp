// Figures as HTML; see figure_html.h.
#include "viz/pages/figure_html.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/attention/algorithm.h"
#include "viz/pages/code_html.h"
#include "viz/pages/prose_html.h"
#include "viz/pages/tile_map_svg.h"
#include "viz/pages/words.h"
#include "viz/views/kernel_view.h"

namespace flashscope::pages {
namespace {

using lessons::Figure;
using Kind = lessons::FigureBlock::Kind;

constexpr std::size_t kMostMapTiles = 32;  // along a side; of a larger map, several in one cell
constexpr std::size_t kMostLines = 40;     // of code; more of them scroll
constexpr int kKernelContext = 3;          // lines before and after those that are meant

std::string numbers_html(const Figure& figure) {
  if (figure.series.empty() || figure.labels.empty()) return "";
  std::string html =
      "<details class=\"numbers\"><summary>The numbers</summary><div class=\"scroll\"><table>"
      "<thead><tr><td></td>";
  for (const std::string& series : figure.series) {
    html += fmt::format("<th scope=\"col\">{}</th>", series.empty() ? "value" : title_html(series));
  }
  html += "</tr></thead><tbody>";
  for (std::size_t g = 0; g < figure.labels.size(); ++g) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", title_html(figure.labels[g]));
    for (std::size_t s = 0; s < figure.series.size(); ++s) {
      html += fmt::format("<td>{}</td>", escaped(figure.texts[s][g]));
    }
    html += "</tr>";
  }
  if (!figure.limit_text.empty()) {
    html += fmt::format("<tr><th scope=\"row\">limit</th><td colspan=\"{}\">{}</td></tr>",
                        figure.series.size(), escaped(figure.limit_text));
  }
  return html + "</tbody></table></div></details>\n";
}

// A large map in fewer cells: one is empty or full when all its tiles are.
TileMapPicture map_picture(const Figure& figure, const std::string& id) {
  TileMapPicture picture;
  picture.id = id + "-map";
  picture.title = figure.alt;
  const std::size_t rows = figure.tiles.size(), columns = rows == 0 ? 0 : figure.tiles[0].size();
  picture.q_tiles = static_cast<std::int64_t>(rows);
  picture.kv_tiles = static_cast<std::int64_t>(columns);
  picture.tiles_per_cell = static_cast<std::int64_t>(
      std::max<std::size_t>(1, (std::max(rows, columns) + kMostMapTiles - 1) / kMostMapTiles));
  const auto step = static_cast<std::size_t>(picture.tiles_per_cell);
  for (std::size_t r = 0; r < rows; r += step) {
    auto& row = picture.cells.emplace_back();
    for (std::size_t c = 0; c < columns; c += step) {
      const TileClass first = figure.tiles[r][c];
      bool alike = true;
      for (std::size_t y = r; y < std::min(r + step, rows); ++y) {
        for (std::size_t x = c; x < std::min(c + step, columns); ++x) {
          alike = alike && figure.tiles[y][x] == first;
        }
      }
      row.push_back({alike ? first : TileClass::partial, -1, -1, false, false});
    }
  }
  return picture;
}

std::string tiles_html(const Figure& figure, const std::string& id) {
  const TileMapPicture picture = map_picture(figure, id);
  std::string note = "rows: q tiles, columns: kv tiles";
  if (picture.tiles_per_cell > 1) {
    note += fmt::format("; {0} × {0} tiles in a cell, which is partial where they differ",
                        picture.tiles_per_cell);
  }
  return tile_map_svg(picture, false) + fmt::format("<p class=\"note\">{}</p>\n", note) +
         tile_map_legend(false);
}

std::string code_html(const std::vector<views::CodeLine>& code, const std::vector<int>& numbers,
                      const std::vector<bool>& marked, const std::string& label) {
  std::string html =
      fmt::format("<ol class=\"code{}\" tabindex=\"0\" aria-label=\"{}\">",
                  code.size() > kMostLines ? " long" : "", escaped(plain_title(label)));
  for (std::size_t n = 0; n < code.size(); ++n) {
    if (n > 0 && numbers[n] > numbers[n - 1] + 1) html += "<li class=\"gap\" data-n=\"⋮\"></li>\n";
    html += fmt::format("<li data-n=\"{}\"{}>{}</li>\n", numbers[n],
                        marked[n] ? " class=\"current\"" : "", code_line_html(code[n]));
  }
  return html + "</ol>\n";
}

std::string table_html(const Figure& figure) {
  std::string text;
  std::vector<int> numbers;
  std::vector<bool> marked;
  bool any = false, all = true;
  for (const Figure::CodeLine& line : figure.code) {
    text += line.text + "\n";
    numbers.push_back(line.number);
    marked.push_back(line.marked);
    any = any || line.marked;
    all = all && line.marked;
  }
  // Where every line is meant, none has to stand out.
  if (any && all) marked.assign(marked.size(), false);
  // Names of tensors are coloured without knowing which table it is.
  std::vector<Buffer> buffers;
  for (const char* name : {"Q", "K", "V", "S", "P", "O", "LSE", "m", "l", "m_new", "alpha"}) {
    buffers.emplace_back().name = name;
  }
  return code_html(views::table_lines(text, buffers), numbers, marked, figure.title);
}

std::string kernel_html(const Figure& figure) {
  const Algorithm algorithm = load_algorithm(figure.kernel);
  const views::KernelView view = views::kernel_view(algorithm);
  std::vector<views::CodeLine> code;
  std::vector<int> numbers;
  std::vector<bool> marked;
  const auto meant = [&](int line) {
    return std::any_of(view.markers.begin(), view.markers.end(), [&](const auto& marker) {
      return marker.text.starts_with(figure.kernel_line) &&
             (marker.line == line || marker.code.contains(line));
    });
  };
  const int lines = static_cast<int>(view.code.size());
  for (int line = 1; line <= lines; ++line) {
    bool near = false;
    for (int other = std::max(1, line - kKernelContext);
         other <= std::min(lines, line + kKernelContext); ++other) {
      near = near || meant(other);
    }
    if (!near) continue;
    code.push_back(view.code[static_cast<std::size_t>(line - 1)]);
    numbers.push_back(line);
    marked.push_back(meant(line));
  }
  return fmt::format("<p class=\"note\">{}</p>\n", escaped(view.file)) +
         code_html(code, numbers, marked, figure.title);
}

std::string scale_html(const Figure& figure) {
  if (!figure.logarithmic) return "";
  return fmt::format("<p class=\"note\">{}; a grey line at each power of ten</p>\n", kLogarithmic);
}

std::string inside(const Figure& figure, const std::string& id) {
  switch (figure.kind) {
    case Kind::bars:
    case Kind::budget:
      return bars_svg(figure) + scale_html(figure) + numbers_html(figure);
    case Kind::steps:
      return lines_svg(figure) + numbers_html(figure);
    case Kind::tiles:
      return tiles_html(figure, id);
    case Kind::table:
      return table_html(figure);
    case Kind::kernel:
      return kernel_html(figure);
  }
  return "";
}

}  // namespace

std::string figure_html(const Figure& figure, const std::string& id) {
  return fmt::format(
      "<figure class=\"figure\" id=\"{}\"><figcaption>{}</figcaption>\n{}</figure>\n", id,
      title_html(figure.title), inside(figure, id));
}

}  // namespace flashscope::pages
