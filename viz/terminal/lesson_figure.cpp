// See lesson_figure.h.
#include "viz/terminal/lesson_figure.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "lessons/engine/evaluate.h"
#include "viz/terminal/debug_prompt.h"
#include "viz/terminal/lesson_text.h"
#include "viz/terminal/screen.h"
#include "viz/views/kernel_view.h"

namespace flashscope::terminal {
namespace {

using lessons::Figure;
using lessons::FigureBlock;

constexpr int kIndent = 2;

std::string spaces(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

// A bar in eighths of a column.
std::string bar(double part, int columns) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(part > 0)) return "";
  const int eighths = std::max(
      1, static_cast<int>(std::lround(std::min(part, 1.0) * static_cast<double>(columns) * 8)));
  std::string text;
  for (int n = 0; n < eighths / 8; ++n) text += "█";
  return text + kEighths[eighths % 8];
}

// Lengths of bars as parts of the longest one.
class BarScale {
 public:
  explicit BarScale(const Figure& figure) : logarithmic_(figure.logarithmic) {
    for (const auto& series : figure.values) {
      for (const double value : series) {
        if (!std::isfinite(value) || value <= 0) continue;
        largest_ = std::max(largest_, value);
        smallest_ = smallest_ == 0 ? value : std::min(smallest_, value);
      }
    }
    // The smallest number has a bar too.
    if (logarithmic_) smallest_ /= 2;
  }
  double part(double value) const {
    if (!std::isfinite(value) || value <= 0 || largest_ <= 0) return 0;
    if (!logarithmic_ || largest_ <= smallest_) return value / largest_;
    return std::log(value / smallest_) / std::log(largest_ / smallest_);
  }

 private:
  bool logarithmic_;
  double largest_ = 0, smallest_ = 0;
};

struct Bar {
  std::string label, name, value;
  double from = 0, to = 0;  // parts of the width there is
};

int widest(const std::vector<Bar>& bars, std::string Bar::*text) {
  int width = 0;
  for (const Bar& each : bars) width = std::max(width, display_width(each.*text));
  return width;
}

// One bar a line between its label and its value; `mark` under a part of the width, or nothing.
std::string chart(const std::vector<Bar>& bars, std::optional<double> mark) {
  const int label_width = widest(bars, &Bar::label), name_width = widest(bars, &Bar::name),
            value_width = widest(bars, &Bar::value);
  const int names = label_width + (name_width > 0 ? 2 + name_width : 0);
  const int columns = std::max(8, text_width() - kIndent - names - value_width - 4);
  const auto column = [columns](double part) {
    return static_cast<int>(std::floor(part * static_cast<double>(columns)));
  };
  std::string text;
  for (const Bar& each : bars) {
    text += spaces(kIndent) + pad_right(each.label, label_width);
    if (name_width > 0) text += "  " + pad_right(each.name, name_width);
    const std::string drawn = spaces(column(each.from)) + bar(each.to - each.from, columns);
    text += "  " + pad_right(styled(drawn, Style::bytes), columns) + "  " +
            styled(pad_left(each.value, value_width), Style::number) + "\n";
  }
  if (mark) {
    text += spaces(kIndent + names + 2 + std::max(column(*mark) - 1, 0)) + styled("▲", Style::bad) +
            "\n";
  }
  return text;
}

std::string bars_text(const Figure& figure) {
  const BarScale scale(figure);
  const bool grouped_bars = figure.values.size() > 1;
  std::vector<Bar> bars;
  for (std::size_t group = 0; group < figure.labels.size(); ++group) {
    for (std::size_t series = 0; series < figure.values.size(); ++series) {
      bars.push_back({series == 0 ? figure.labels[group] : "",
                      grouped_bars ? figure.series[series] : "", figure.texts[series][group], 0,
                      scale.part(figure.values[series][group])});
    }
  }
  std::string text = chart(bars, std::nullopt);
  if (figure.logarithmic) {
    text += spaces(kIndent) + styled("logarithmic: equal lengths are equal factors", Style::dim);
    text += "\n";
  }
  return text;
}

// Each item's bar begins where the last one ended, up to the sum; the limit is marked below.
std::string budget_text(const Figure& figure) {
  const std::vector<double>& bytes = figure.values.front();
  const double sum = std::accumulate(bytes.begin(), bytes.end(), 0.0);
  const double all = std::max({sum, figure.limit, 1.0});
  std::vector<Bar> bars;
  double before = 0;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    bars.push_back(
        {figure.labels[n], "", figure.texts.front()[n], before / all, (before + bytes[n]) / all});
    before += bytes[n];
  }
  constexpr int kDigits = 4;
  bars.push_back({"in all", "", lessons::format_value(sum, lessons::Unit::binary_bytes, kDigits), 0,
                  sum / all});
  const bool fits = sum <= figure.limit;
  return chart(bars, figure.limit / all) + spaces(kIndent) +
         styled(fmt::format("▲ the limit, {}: {}", figure.limit_text,
                            fits ? "it fits" : "it does not fit"),
                fits ? Style::good : Style::bad) +
         "\n";
}

// A row per step, a column per series.
std::string steps_text(const Figure& figure) {
  Table table("l" + std::string(figure.series.size(), 'r'));
  std::vector<std::string> header = {"behind"};
  header.insert(header.end(), figure.series.begin(), figure.series.end());
  table.header(header);
  for (std::size_t step = 0; step < figure.labels.size(); ++step) {
    std::vector<std::string> row = {figure.labels[step]};
    for (const auto& series : figure.texts) row.push_back(styled(series[step], Style::number));
    table.row(row);
  }
  return table.text();
}

// Several tiles in one character, where there are more than fit.
TileClass joined_class(const Figure& figure, std::size_t row, std::size_t column,
                       std::size_t side) {
  bool any = false, all = true;
  for (std::size_t r = row; r < std::min(row + side, figure.tiles.size()); ++r) {
    const auto& line = figure.tiles[r];
    for (std::size_t c = column; c < std::min(column + side, line.size()); ++c) {
      any = any || line[c] != TileClass::empty;
      all = all && line[c] == TileClass::full;
    }
  }
  return all ? TileClass::full : any ? TileClass::partial : TileClass::empty;
}

std::string tiles_text(const Figure& figure) {
  if (figure.tiles.empty() || figure.tiles.front().empty()) return "  no tiles\n";
  static constexpr const char* kMarks[] = {"·", "▒", "█"};  // by TileClass
  const std::size_t rows = figure.tiles.size(), columns = figure.tiles.front().size();
  constexpr std::size_t kMostRows = 16;
  const auto most_columns = static_cast<std::size_t>((text_width() - 12) / 2);
  const std::size_t side = std::max({std::size_t{1}, (rows + kMostRows - 1) / kMostRows,
                                     (columns + most_columns - 1) / most_columns});
  const auto label_width = static_cast<int>(std::to_string(rows - 1).size());
  std::string text = spaces(kIndent + 7 + label_width) + styled("kv tiles →", Style::dim) + "\n";
  for (std::size_t r = 0; r < rows; r += side) {
    text += spaces(kIndent) + styled(r == 0 ? "q tile" : "      ", Style::dim) + " " +
            styled(pad_left(std::to_string(r), label_width), Style::dim) + " ";
    for (std::size_t c = 0; c < columns; c += side) {
      const char* const mark = kMarks[static_cast<std::size_t>(joined_class(figure, r, c, side))];
      text += mark;
      text += mark;
    }
    text += "\n";
  }
  text += spaces(kIndent) + styled("·· empty   ▒▒ partial   ██ full", Style::dim);
  if (side > 1) {
    text +=
        styled(fmt::format("; each mark is {} x {} tiles, partial where they differ", side, side),
               Style::dim);
  }
  return text + "\n";
}

std::string cut(const std::string& line, int width) {
  if (display_width(line) <= width) return line;
  std::string shorter;
  int columns = 0;
  for (const char c : line) {
    const bool starts = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (starts && ++columns >= width) break;
    shorter += c;
  }
  return shorter + "…";
}

std::string code_text(const std::vector<Figure::CodeLine>& code) {
  int digits = 1;
  for (const auto& line : code) {
    digits = std::max(digits, static_cast<int>(std::to_string(line.number).size()));
  }
  std::string text;
  for (std::size_t n = 0; n < code.size(); ++n) {
    const auto& line = code[n];
    if (n > 0 && line.number > code[n - 1].number + 1) {
      text += spaces(kIndent + digits + 1) + styled("…", Style::dim) + "\n";
    }
    const std::string shown = cut(line.text, text_width() - kIndent - digits - 4);
    text += (line.marked ? styled("> ", Style::good) : spaces(kIndent)) +
            line_number_text(line.number, digits) + " " +
            styled(shown, line.marked ? Style::code : Style::plain) + "\n";
  }
  return text;
}

std::string kernel_text(const Figure& figure) {
  const Algorithm algorithm = load_algorithm(figure.kernel);
  const views::KernelView kernel = views::kernel_view(algorithm);
  if (kernel.file.empty()) return fmt::format("  {} has no CUDA kernel\n", figure.kernel);
  std::string text = "  " + styled(kernel.file, Style::dim) + "\n";
  std::vector<Figure::CodeLine> code;
  for (std::size_t n = 0; n < algorithm.lines.size(); ++n) {
    if (!algorithm.lines[n].text.starts_with(figure.kernel_line)) continue;
    const auto markers = kernel.markers_of(static_cast<int>(n));
    if (markers.empty()) {
      return text + paragraph(views::why_no_code(algorithm.lines[n], kernel), "  ", "  ");
    }
    for (const views::KernelMarker* marker : markers) {
      for (int line = marker->line; line < marker->code.end; ++line) {
        code.push_back({line, kernel.code[static_cast<std::size_t>(line - 1)].text,
                        marker->code.contains(line)});
      }
    }
    break;
  }
  return text + code_text(code);
}

std::string body(const Figure& figure) {
  switch (figure.kind) {
    case FigureBlock::Kind::bars:
      return bars_text(figure);
    case FigureBlock::Kind::budget:
      return budget_text(figure);
    case FigureBlock::Kind::steps:
      return steps_text(figure);
    case FigureBlock::Kind::tiles:
      return tiles_text(figure);
    case FigureBlock::Kind::table:
      return code_text(figure.code);
    case FigureBlock::Kind::kernel:
      return kernel_text(figure);
  }
  return "";
}

}  // namespace

std::string figure_text(const Figure& figure) {
  return paragraph(lessons::parse_inline(figure.title), "  ", "  ", Style::title) + "\n" +
         body(figure);
}

}  // namespace flashscope::terminal
