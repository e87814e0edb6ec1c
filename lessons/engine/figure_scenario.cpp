// Tile maps, budgets, tables and kernels as figures; see figure_scenario.h.
#include "lessons/engine/figure_scenario.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "lessons/engine/facts_table.h"
#include "sim/attention/built_in_tables.h"
#include "sim/setup/parse_values.h"

namespace flashscope::lessons {
namespace {

constexpr std::int64_t kMostTiles = 64;
constexpr std::int64_t kTilesInWords = 8;  // rows of a tile map that its text goes through
constexpr int kDigits = 4;

void make_tiles(const FigureBlock& block, const ScenarioFacts& scenario, Figure& figure) {
  const Program& program = scenario.program();
  const TileMap& map = program.tile_map(0, figure_head(block, program));
  if (map.q_tiles() > kMostTiles || map.kv_tiles() > kMostTiles) {
    throw Error(fmt::format("figure: {} x {} tiles are more than {} x {}", map.q_tiles(),
                            map.kv_tiles(), kMostTiles, kMostTiles));
  }
  std::map<TileClass, int> counts;
  std::string words;
  for (std::int64_t i = 0; i < map.q_tiles(); ++i) {
    std::vector<TileClass> row(static_cast<std::size_t>(map.kv_tiles()), TileClass::empty);
    const auto runs =
        map.steps_of_q_tile(i, {0, map.kv_tiles()}, KvOrder::ascending, Visit::non_empty);
    for (const StepRun& run : runs) {
      std::fill(row.begin() + run.begin, row.begin() + run.end, run.kind.tile_class);
    }
    words += fmt::format(" q tile {}:", i);
    for (const TileClass tile : row) {
      ++counts[tile];
      words += fmt::format(" {}", name_of(tile));
    }
    words += '.';
    figure.tiles.push_back(std::move(row));
  }
  figure.alt = fmt::format("{}: {} x {} tiles, {} full, {} partial, {} empty.", figure.title,
                           map.q_tiles(), map.kv_tiles(), counts[TileClass::full],
                           counts[TileClass::partial], counts[TileClass::empty]);
  if (map.q_tiles() <= kTilesInWords && map.kv_tiles() <= kTilesInWords) figure.alt += words;
}

// Shared memory of the phase that needs most; registers in words.
void make_budget(const ScenarioFacts& scenario, Figure& figure) {
  const Program& program = scenario.program();
  const Budget budget = flashscope::budget(program.algorithm(), program.problem(), program.tiling(),
                                           program.precision(), device(scenario.options()),
                                           placement(scenario.options()));
  const auto phase = std::max_element(
      budget.phases.begin(), budget.phases.end(),
      [](const PhaseBudget& a, const PhaseBudget& b) { return a.shared_bytes < b.shared_bytes; });
  if (phase == budget.phases.end()) throw Error("figure: the table has no phase");
  const auto kib = [](std::int64_t bytes) {
    return format_value(static_cast<double>(bytes), Unit::binary_bytes, kDigits);
  };
  figure.series = {""};
  figure.values.resize(1);
  figure.texts.resize(1);
  std::string items;
  for (const BudgetItem& item : budget.items) {
    if (item.phase != phase->phase || item.place != flashscope::Place::shared) continue;
    figure.labels.push_back(item.stages > 1 ? fmt::format("{} x {}", item.buffer, item.stages)
                                            : item.buffer);
    figure.values[0].push_back(static_cast<double>(item.bytes));
    figure.texts[0].push_back(kib(item.bytes));
    items += fmt::format("{}{} {}", items.empty() ? "" : ", ", figure.labels.back(),
                         figure.texts[0].back());
  }
  figure.limit = static_cast<double>(budget.shared_limit_bytes);
  figure.limit_text = kib(budget.shared_limit_bytes);
  figure.alt = fmt::format("{}: {}; {} of {} in all", figure.title, items, kib(phase->shared_bytes),
                           figure.limit_text);
  if (budget.placement == Placement::kernel) {
    figure.alt += fmt::format(", and {} of {} registers a thread", budget.registers_per_thread,
                              budget.registers_limit);
  }
  figure.alt += budget.fits ? ". It fits." : ". It does not fit.";
}

// The number of the line that begins with `begin`, at or behind a line.
int line_number(const std::vector<TableLine>& lines, const std::string& begin, int from) {
  const std::vector<std::size_t> found = lines_beginning(begin, lines);
  for (const std::size_t n : found) {
    if (lines[n].number >= from) return lines[n].number;
  }
  throw Error(
      fmt::format("figure: '{}' stands before line {}, where the figure begins", begin, from));
}

// What edits have made of a built-in table: lines that it has not, or not so often.
std::vector<int> changed_lines(const ScenarioFacts& scenario, const std::vector<TableLine>& lines) {
  std::vector<int> changed;
  for (const BuiltInTable& table : built_in_tables()) {
    if (table.name != scenario.options().algorithm || scenario.change().edits.empty()) continue;
    std::map<std::string, int> known;
    for (const TableLine& line : table_lines(table.text)) ++known[line.text()];
    for (const TableLine& line : lines) {
      if (known[line.text()]-- <= 0) changed.push_back(line.number);
    }
  }
  return changed;
}

void make_table(const FigureBlock& block, const ScenarioFacts& scenario, Figure& figure) {
  const Algorithm& algorithm = scenario.program().algorithm();
  const std::vector<TableLine> lines = table_lines(algorithm.source);
  const std::vector<std::string> texts = split_list(algorithm.source, '\n');
  int first = 1, last = static_cast<int>(texts.size());
  while (last > first && texts[static_cast<std::size_t>(last - 1)].empty()) --last;
  if (!block.from.empty()) first = line_number(lines, block.from, 1);
  if (!block.to.empty()) last = line_number(lines, block.to, first);
  const std::vector<int> changed = changed_lines(scenario, lines);
  for (int number = first; number <= last; ++number) {
    const bool marked = std::find(changed.begin(), changed.end(), number) != changed.end();
    figure.code.push_back({number, texts[static_cast<std::size_t>(number - 1)], marked});
  }
  figure.alt =
      fmt::format("{}: lines {} to {} of the table {}.", figure.title, first, last, algorithm.name);
  for (const Figure::CodeLine& line : figure.code) {
    if (line.marked) figure.alt += fmt::format(" Line {} is changed.", line.number);
  }
}

void make_kernel(const FigureBlock& block, const ScenarioFacts& scenario, Figure& figure) {
  const Algorithm& algorithm = scenario.program().algorithm();
  const std::vector<std::string> names = built_in_algorithm_names();
  if (std::find(names.begin(), names.end(), algorithm.name) == names.end()) {
    throw Error(fmt::format("figure: there is no CUDA kernel of the table {}", algorithm.name));
  }
  const std::vector<TableLine> lines = table_lines(algorithm.source);
  const std::size_t line = lines_beginning(block.from, lines).front();
  figure.kernel = algorithm.name;
  figure.kernel_line = lines[line].statement;
  figure.alt = fmt::format("{}: what the CUDA kernel of {} does for the line {}.", figure.title,
                           figure.kernel, figure.kernel_line);
}

}  // namespace

Figure scenario_figure(const FigureBlock& block, const ScenarioFacts& scenario) {
  Figure figure;
  figure.kind = block.kind;
  figure.title = block.title;
  switch (block.kind) {
    case FigureBlock::Kind::tiles:
      make_tiles(block, scenario, figure);
      break;
    case FigureBlock::Kind::budget:
      make_budget(scenario, figure);
      break;
    case FigureBlock::Kind::table:
      make_table(block, scenario, figure);
      break;
    case FigureBlock::Kind::kernel:
      make_kernel(block, scenario, figure);
      break;
    case FigureBlock::Kind::bars:
    case FigureBlock::Kind::steps:
      break;  // made of expressions: figure.cpp
  }
  return figure;
}

}  // namespace flashscope::lessons
