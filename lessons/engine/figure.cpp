// Computing figures; see figure.h.
#include "lessons/engine/figure.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lessons/engine/figure_scenario.h"
#include "lessons/engine/work.h"

namespace flashscope::lessons {
namespace {

constexpr std::size_t kMostBars = 64;
constexpr std::int64_t kMostSteps = 200;
constexpr int kDigits = 4;

// Figures of kind bars and steps: expressions with their values.
class ValueFigure {
 public:
  ValueFigure(const FigureBlock& block, Stage& stage) : block_(block), stage_(stage) {
    figure_.kind = block.kind;
    figure_.title = block.title;
    figure_.logarithmic = block.logarithmic;
  }

  Figure make() {
    if (block_.kind == FigureBlock::Kind::steps) {
      make_steps();
    } else {
      block_.sweep ? make_sweep() : make_bars();
    }
    return std::move(figure_);
  }

 private:
  // Appends a value to a series, as a number and as text.
  void add_value(std::size_t series, double value, const Sourced& expression) {
    const auto fail = [&](const std::string& what) {
      throw LessonError("", expression.line,
                        fmt::format("figure: {} is {}", expression.text, what));
    };
    if (!std::isfinite(value) && block_.kind == FigureBlock::Kind::bars) {
      fail(fmt::format("{}: it can't be drawn", format_value(value, Unit::none, kDigits)));
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

  void require_little(double work) const {
    if (work <= kMostWork && !time_.is_over()) return;
    throw LessonError("", block_.line,
                      "figure: it is too much work for a lesson: make the problems smaller, or "
                      "show less");
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
    double work = 0;
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
            require_little(work + facts.work_done());
          });
        }
        work += facts.work_done();
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
    const TileMap& map = program.tile_map(0, figure_head(block_, program));
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
    double work = 0;
    for (const Segment& segment : steps(program)) {
      const auto last = segment.first_op + static_cast<std::int64_t>(segment.lines.size()) - 1;
      const std::int64_t here = debugger.session().position();
      const bool jumps = last < here || last - here > kStepRatherThanJump;
      work += jumps ? replay_work(program, last)
                    : static_cast<double>(last - here + 1) * work_of_op(program);
      require_little(work);
      if (jumps) debugger.go_to(last);
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

  const FigureBlock& block_;
  Stage& stage_;
  Figure figure_;
  TimeLimit time_;
};

}  // namespace

std::int64_t figure_head(const FigureBlock& block, const Program& program) {
  if (block.head < program.heads() && block.head >= 0 && program.problem().batch > 0) {
    return block.head;
  }
  if (program.size() == 0) {
    throw Error("figure: the problem has no ops (q-len, kv-len or batch is 0)");
  }
  throw Error(fmt::format("figure: head {}: there are {} heads, counted from 0", block.head,
                          program.heads()));
}

Figure make_figure(const FigureBlock& block, Stage& stage) {
  const std::string& file = stage.lesson().file;
  const Stage::Timing timing(stage, block.line);
  try {
    if (block.kind == FigureBlock::Kind::bars || block.kind == FigureBlock::Kind::steps) {
      return ValueFigure(block, stage).make();
    }
    return scenario_figure(block, stage.facts().find(block.of.empty() ? "here" : block.of));
  } catch (const LessonError& error) {
    throw LessonError(file, error.line(), error.reason());
  } catch (const Error& error) {
    throw LessonError(file, block.line, error.what());
  }
}

}  // namespace flashscope::lessons
