// Computing figures; see figure.h.
#include "lessons/engine/figure.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "lessons/engine/facts_options.h"
#include "lessons/engine/facts_table.h"
#include "sim/attention/built_in_tables.h"
#include "sim/setup/parse_values.h"

namespace flashscope::lessons {
namespace {

constexpr std::size_t kMostBars = 64;
constexpr std::int64_t kMostTiles = 64, kMostSteps = 200;
constexpr std::int64_t kTilesInWords = 8;  // rows of a tile map that its text goes through
constexpr int kDigits = 4;

class FigureMaker {
 public:
  FigureMaker(const FigureBlock& block, Stage& stage) : block_(block), stage_(stage) {
    figure_.kind = block.kind;
    figure_.title = block.title;
    figure_.logarithmic = block.logarithmic;
  }

  Figure make() {
    switch (block_.kind) {
      case FigureBlock::Kind::bars:
        block_.sweep ? make_sweep() : make_bars();
        break;
      case FigureBlock::Kind::steps:
        make_steps();
        break;
      case FigureBlock::Kind::tiles:
        make_tiles();
        break;
      case FigureBlock::Kind::budget:
        make_budget();
        break;
      case FigureBlock::Kind::table:
        make_table();
        break;
      case FigureBlock::Kind::kernel:
        make_kernel();
        break;
    }
    return std::move(figure_);
  }

 private:
  const ScenarioFacts& of() const {
    return stage_.facts().find(block_.of.empty() ? "here" : block_.of);
  }

  // Appends a value to a series, as a number and as text.
  void add_value(std::size_t series, double value, const Sourced& expression) {
    const auto fail = [&](const std::string& what) {
      throw LessonError("", expression.line,
                        fmt::format("figure: {} is {}", expression.text, what));
    };
    if (!std::isfinite(value) && block_.kind == FigureBlock::Kind::bars) {
      fail(fmt::format("{}: it can't be drawn", value));
    }
    if (block_.logarithmic && !(value > 0)) {
      fail(fmt::format("{}: on a logarithmic axis values are above 0", value));
    }
    figure_.values[series].push_back(value);
    figure_.texts[series].push_back(format_value(value, block_.unit, kDigits));
  }

  void begin_series() {
    if (block_.series.empty()) throw Error("figure: it has no values");
    for (const FigureSeries& series : block_.series) figure_.series.push_back(series.label);
    figure_.values.resize(figure_.series.size());
    figure_.texts.resize(figure_.series.size());
  }

  template <typename Action>
  static void at(const Sourced& expression, Action action) {
    try {
      action();
    } catch (const LessonError&) {
      throw;
    } catch (const Error& error) {
      throw LessonError("", expression.line, fmt::format("figure: {}", error.what()));
    }
  }

  void require_few_bars(std::size_t bars) const {
    if (bars <= kMostBars) return;
    throw Error(fmt::format("figure: {} bars are more than {}", bars, kMostBars));
  }

  void make_bars() {
    require_few_bars(block_.series.size());
    if (block_.series.empty()) throw Error("figure: it has no bars");
    figure_.series = {""};
    figure_.values.resize(1);
    figure_.texts.resize(1);
    for (const FigureSeries& bar : block_.series) {
      at(bar.value, [&] { add_value(0, stage_.value(bar.value.text), bar.value); });
      figure_.labels.push_back(bar.label);
      figure_.alt += fmt::format("{}{} {}", figure_.alt.empty() ? "" : ", ", bar.label,
                                 figure_.texts[0].back());
    }
    figure_.alt = fmt::format("{}: {}.", figure_.title, figure_.alt);
  }

  void make_sweep() {
    begin_series();
    require_few_bars(block_.series.size() * block_.values.size());
    if (block_.values.empty()) throw Error("figure: the sweep has no values");
    for (const std::string& value : block_.values) {
      figure_.labels.push_back(value);
      at(*block_.sweep, [&] {
        const Facts facts = stage_.facts().with_option(block_.sweep->text, value);
        for (std::size_t n = 0; n < block_.series.size(); ++n) {
          const Sourced& expression = block_.series[n].value;
          at(expression, [&] {
            try {
              add_value(n, evaluate(expression.text, facts, nullptr), expression);
            } catch (const LessonError&) {
              throw;
            } catch (const Error& error) {
              throw Error(fmt::format("with {} = {}, {}", block_.sweep->text, value, error.what()));
            }
          });
        }
      });
    }
    figure_.alt = fmt::format("{}, for {} {}", figure_.title, block_.sweep->text,
                              fmt::join(figure_.labels, ", "));
    tell_series();
  }

  // "…: m 1, 3; l 1.368, 1.553."
  void tell_series() {
    for (std::size_t n = 0; n < figure_.series.size(); ++n) {
      figure_.alt += fmt::format("{} {} {}", n == 0 ? ":" : ";", figure_.series[n],
                                 fmt::join(figure_.texts[n], ", "));
    }
    figure_.alt += '.';
  }

  // The steps of the q tile over its kv tiles: of the first phase that has such.
  std::vector<Segment> steps(const Program& program) const {
    const TileMap& map = program.tile_map(0, checked_head(program));
    if (block_.q_tile < 0 || block_.q_tile >= map.q_tiles()) {
      throw Error(fmt::format("figure: q tile {}: there are q tiles 0 to {}", block_.q_tile,
                              map.q_tiles() - 1));
    }
    std::vector<Segment> steps;
    std::int64_t found = 0;
    program.visit_chain({0, block_.head, block_.q_tile}, [&](const Segment& segment) {
      const bool is_step = segment.part == Part::step && segment.kv_tile >= 0 &&
                           segment.q_tile == block_.q_tile && !segment.lines.empty();
      if (!is_step || (!steps.empty() && steps[0].phase != segment.phase)) return;
      if (++found <= kMostSteps) steps.push_back(segment);
    });
    if (found > kMostSteps) {
      throw Error(fmt::format("figure: {} steps are more than {}", found, kMostSteps));
    }
    if (found == 0) throw Error(fmt::format("figure: q tile {} has no steps", block_.q_tile));
    return steps;
  }

  std::int64_t checked_head(const Program& program) const {
    if (block_.head >= 0 && block_.head < program.heads() && program.problem().batch > 0) {
      return block_.head;
    }
    throw Error(fmt::format("figure: head {}: there are {} heads, counted from 0", block_.head,
                            program.heads()));
  }

  void make_steps() {
    begin_series();
    Debugger& debugger = stage_.debugger();
    const std::int64_t stood = debugger.session().position();
    try {
      walk_steps(debugger);
    } catch (...) {
      debugger.go_to(stood);
      throw;
    }
    debugger.go_to(stood);
    figure_.alt = fmt::format("{}, behind {}", figure_.title, fmt::join(figure_.labels, ", "));
    tell_series();
  }

  void walk_steps(Debugger& debugger) {
    constexpr std::int64_t kStepRatherThanJump = 64;
    const Program& program = debugger.program();
    std::vector<LessonExpression> expressions;
    for (const FigureSeries& series : block_.series) {
      at(series.value,
         [&] { expressions.emplace_back(series.value.text, stage_.facts(), &program); });
    }
    for (const Segment& segment : steps(program)) {
      const auto last =
          segment.first_op + static_cast<std::int64_t>(segment.lines.size()) - 1;
      const std::int64_t here = debugger.session().position();
      if (last < here || last - here > kStepRatherThanJump) debugger.go_to(last);
      while (debugger.session().position() < last) debugger.step();
      const IndexRange keys = program.kv_rows(segment);
      figure_.labels.push_back(keys.size() == 1
                                   ? fmt::format("key {}", keys.begin)
                                   : fmt::format("keys {}-{}", keys.begin, keys.end - 1));
      debugger.ledger();  // kept up while the op executes
      // Looked at while the step's tiles are still there: the next op may be another q tile's.
      debugger.step([&] {
        const SessionView view(debugger.session(),
                               [&]() -> const Ledger& { return debugger.ledger_so_far(); });
        for (std::size_t n = 0; n < expressions.size(); ++n) {
          const Sourced& text = block_.series[n].value;
          at(text, [&] { add_value(n, expressions[n].value(view), text); });
        }
      });
    }
  }

  void make_tiles() {
    const Program& program = of().program();
    const TileMap& map = program.tile_map(0, checked_head(program));
    if (map.q_tiles() > kMostTiles || map.kv_tiles() > kMostTiles) {
      throw Error(fmt::format("figure: {} x {} tiles are more than {} x {}", map.q_tiles(),
                              map.kv_tiles(), kMostTiles, kMostTiles));
    }
    std::map<TileClass, int> counts;
    std::string words;
    for (std::int64_t i = 0; i < map.q_tiles(); ++i) {
      std::vector<TileClass> row(static_cast<std::size_t>(map.kv_tiles()), TileClass::empty);
      const auto runs = map.steps_of_q_tile(i, {0, map.kv_tiles()}, KvOrder::ascending,
                                            Visit::non_empty);
      for (const StepRun& run : runs) {
        std::fill(row.begin() + run.begin, row.begin() + run.end, run.kind.tile_class);
      }
      words += fmt::format(" q tile {}:", i);
      for (const TileClass tile : row) {
        ++counts[tile];
        words += fmt::format(" {}", name_of(tile));
      }
      words += '.';
      figure_.tiles.push_back(std::move(row));
    }
    figure_.alt = fmt::format("{}: {} x {} tiles, {} full, {} partial, {} empty.", figure_.title,
                              map.q_tiles(), map.kv_tiles(), counts[TileClass::full],
                              counts[TileClass::partial], counts[TileClass::empty]);
    if (map.q_tiles() <= kTilesInWords && map.kv_tiles() <= kTilesInWords) figure_.alt += words;
  }

  // Shared memory of the phase that needs most; registers in words.
  void make_budget() {
    const ScenarioFacts& scenario = of();
    const Program& program = scenario.program();
    const Budget budget = flashscope::budget(
        program.algorithm(), program.problem(), program.tiling(), program.precision(),
        device(scenario.options()), placement(scenario.options()));
    const auto phase = std::max_element(
        budget.phases.begin(), budget.phases.end(), [](const PhaseBudget& a, const PhaseBudget& b) {
          return a.shared_bytes < b.shared_bytes;
        });
    if (phase == budget.phases.end()) throw Error("figure: the table has no phase");
    const auto kib = [](std::int64_t bytes) {
      return format_value(static_cast<double>(bytes), Unit::binary_bytes, kDigits);
    };
    figure_.series = {""};
    figure_.values.resize(1);
    figure_.texts.resize(1);
    std::string items;
    for (const BudgetItem& item : budget.items) {
      if (item.phase != phase->phase || item.place != flashscope::Place::shared) continue;
      figure_.labels.push_back(item.stages > 1 ? fmt::format("{} x {}", item.buffer, item.stages)
                                               : item.buffer);
      figure_.values[0].push_back(static_cast<double>(item.bytes));
      figure_.texts[0].push_back(kib(item.bytes));
      items += fmt::format("{}{} {}", items.empty() ? "" : ", ", figure_.labels.back(),
                           figure_.texts[0].back());
    }
    require_few_bars(figure_.labels.size());
    figure_.limit = static_cast<double>(budget.shared_limit_bytes);
    figure_.limit_text = kib(budget.shared_limit_bytes);
    figure_.alt = fmt::format("{}: {}; {} of {} in all", figure_.title, items,
                              kib(phase->shared_bytes), figure_.limit_text);
    if (budget.placement == Placement::kernel) {
      figure_.alt += fmt::format(", and {} of {} registers a thread", budget.registers_per_thread,
                                 budget.registers_limit);
    }
    figure_.alt += budget.fits ? ". It fits." : ". It does not fit.";
  }

  // The number of the line that begins with `begin`, at or behind a line.
  static int line_number(const std::vector<TableLine>& lines, const std::string& begin, int from) {
    const std::vector<std::size_t> found = lines_beginning(begin, lines);
    for (const std::size_t n : found) {
      if (lines[n].number >= from) return lines[n].number;
    }
    throw Error(fmt::format("figure: '{}' stands before line {}, where the figure begins", begin,
                            from));
  }

  void make_table() {
    const ScenarioFacts& scenario = of();
    const Algorithm& algorithm = scenario.program().algorithm();
    const std::vector<TableLine> lines = table_lines(algorithm.source);
    const std::vector<std::string> texts = split_list(algorithm.source, '\n');
    int first = 1, last = static_cast<int>(texts.size());
    while (last > first && texts[static_cast<std::size_t>(last - 1)].empty()) --last;
    if (!block_.from.empty()) first = line_number(lines, block_.from, 1);
    if (!block_.to.empty()) last = line_number(lines, block_.to, first);
    const std::vector<int> changed = changed_lines(scenario, lines);
    for (int number = first; number <= last; ++number) {
      const bool marked = std::find(changed.begin(), changed.end(), number) != changed.end();
      figure_.code.push_back({number, texts[static_cast<std::size_t>(number - 1)], marked});
    }
    figure_.alt =
        fmt::format("{}: lines {} to {} of the table {}.", figure_.title, first, last,
                    algorithm.name);
    for (const Figure::CodeLine& line : figure_.code) {
      if (line.marked) figure_.alt += fmt::format(" Line {} is changed.", line.number);
    }
  }

  // Lines that the built-in table of the scenario's algorithm has not, or not so often.
  static std::vector<int> changed_lines(const ScenarioFacts& scenario,
                                        const std::vector<TableLine>& lines) {
    std::vector<int> changed;
    for (const BuiltInTable& table : built_in_tables()) {
      if (table.name != scenario.options().algorithm || !scenario.options().table) continue;
      std::map<std::string, int> known;
      for (const TableLine& line : table_lines(table.text)) ++known[line.text()];
      for (const TableLine& line : lines) {
        if (known[line.text()]-- <= 0) changed.push_back(line.number);
      }
    }
    return changed;
  }

  void make_kernel() {
    const Algorithm& algorithm = of().program().algorithm();
    const std::vector<TableLine> lines = table_lines(algorithm.source);
    const std::size_t line = lines_beginning(block_.from, lines).front();
    figure_.kernel = algorithm.name;
    figure_.kernel_line = lines[line].statement;
    figure_.alt = fmt::format("{}: what the CUDA kernel of {} does for the line {}.",
                              figure_.title, figure_.kernel, figure_.kernel_line);
  }

  const FigureBlock& block_;
  Stage& stage_;
  Figure figure_;
};

}  // namespace

Figure make_figure(const FigureBlock& block, Stage& stage) {
  const std::string& file = stage.lesson().file;
  try {
    return FigureMaker(block, stage).make();
  } catch (const LessonError& error) {
    throw LessonError(file, error.line(), error.reason());
  } catch (const Error& error) {
    throw LessonError(file, block.line, error.what());
  }
}

}  // namespace flashscope::lessons
