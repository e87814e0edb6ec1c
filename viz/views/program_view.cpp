// See program_view.h.
#include "viz/views/program_view.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

namespace flashscope::views {
namespace {

std::string_view first_word(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(begin);
  return line.substr(0, line.find_first_of(" \t"));
}

std::string why_no_breakpoint(std::string_view line) {
  const std::string_view word = first_word(line);
  if (word.empty()) return "an empty line: nothing executes here";
  if (word.starts_with('#')) return "a comment: nothing executes here";
  if (word == "for") return "a loop is no op of its own: break on a statement inside it";
  if (word == "phase" || word == "grid") {
    return "it says what runs in parallel: break on a statement below it";
  }
  return "a declaration: nothing executes here";
}

// Why a statement executes at no step of the program; empty when it does.
std::string why_never(const Line& line, const Program& program) {
  const bool has_threshold = program.tiling().rescale_threshold.has_value();
  if (line.when.threshold && *line.when.threshold != has_threshold) {
    return has_threshold ? "a rescale threshold is set" : "no rescale threshold is set";
  }
  const bool is_fp32 = format_of(line.stage, program.precision(), program.tiling()) == Format::fp32;
  if (line.kind == LineKind::cast && is_fp32) {
    return fmt::format("{} is fp32 here, so there is nothing to round", name_of(line.stage));
  }
  return "";
}

// Why a condition does not hold for a step of this kind.
std::string why_not_now(const When& when, const StepKind& kind) {
  if (when.first && *when.first != kind.first) {
    return kind.first ? "this is the q tile's first step" : "this is not the q tile's first step";
  }
  if (when.last && *when.last != kind.last) {
    return kind.last ? "this is the q tile's last step" : "this is not the q tile's last step";
  }
  return fmt::format("the tile is {}", name_of(kind.tile_class));
}

bool stops_at(const Breakpoint& breakpoint, int source_line, LineKind kind) {
  return (breakpoint.kind == Breakpoint::Kind::line && breakpoint.source_line == source_line) ||
         (breakpoint.kind == Breakpoint::Kind::operation && breakpoint.operation == kind);
}

// Forms that share a kind differ in these.
bool fits(const Form& form, const Line& line, bool is_vector) {
  if (form.kind != line.kind) return false;
  const std::string_view pattern = form.pattern;
  const auto has = [&](std::string_view word) {
    return pattern.find(word) != std::string_view::npos;
  };
  switch (line.kind) {
    case LineKind::load:
    case LineKind::store: {
      const bool names_tensor = line.text.find(" from ") != std::string::npos ||
                                line.text.find(" to ") != std::string::npos;
      return (has(" v") == is_vector) && (has("H") == names_tensor);
    }
    case LineKind::fill:
      return pattern.starts_with("v") == is_vector;
    case LineKind::product:
      return has("scale") == line.scaled;
    default:
      return true;
  }
}

}  // namespace

TableView table_view(const Algorithm& algorithm) {
  TableView view{table_lines(algorithm.source, algorithm.buffers), {}};
  for (const CodeLine& code : view.code) {
    view.lines.emplace_back().why_no_breakpoint = why_no_breakpoint(code.text);
  }
  for (std::size_t phase = 0; phase < algorithm.phases.size(); ++phase) {
    const Phase& p = algorithm.phases[phase];
    const auto add = [&](const std::vector<int>& statements, Part part) {
      for (const int statement : statements) {
        const auto n = static_cast<std::size_t>(
            algorithm.lines[static_cast<std::size_t>(statement)].source_line - 1);
        if (n < view.lines.size()) view.lines[n] = {statement, static_cast<int>(phase), part, ""};
      }
    };
    add(p.before, Part::before);
    add(p.step, Part::step);
    add(p.after, Part::after);
  }
  return view;
}

ProgramView program_view(const Debugger& debugger, const TableView& table) {
  const Session& session = debugger.session();
  const Algorithm& algorithm = debugger.program().algorithm();
  ProgramView view;
  view.states.resize(table.lines.size());
  const Segment* const here = session.at_end() ? nullptr : &session.segment();
  if (here != nullptr) {
    const auto n = static_cast<std::size_t>(session.position() - here->first_op);
    view.current = algorithm.lines[static_cast<std::size_t>(here->lines[n])].source_line;
  }
  for (std::size_t n = 0; n < table.lines.size(); ++n) {
    const TableLine& place = table.lines[n];
    if (place.statement < 0) continue;
    const Line& line = algorithm.lines[static_cast<std::size_t>(place.statement)];
    const bool in_step = here != nullptr && here->part == Part::step && place.part == Part::step &&
                         here->phase == place.phase;
    LineState& state = view.states[n];
    state.why_not = why_never(line, debugger.program());
    state.never = !state.why_not.empty();
    if (!state.never && in_step &&
        std::find(here->lines.begin(), here->lines.end(), place.statement) == here->lines.end()) {
      state.why_not = why_not_now(line.when, here->kind);
    }
    const std::vector<Breakpoint>& breakpoints = debugger.breakpoints();
    for (std::size_t b = 0; b < breakpoints.size(); ++b) {
      if (stops_at(breakpoints[b], line.source_line, line.kind)) {
        state.breakpoints.push_back(static_cast<int>(b));
      }
    }
  }
  return view;
}

const Form& form_of(const Line& line, const Algorithm& algorithm) {
  const bool is_vector = algorithm.buffers[static_cast<std::size_t>(line.result)].is_vector();
  const auto found = std::find_if(forms().begin(), forms().end(),
                                  [&](const Form& form) { return fits(form, line, is_vector); });
  assert(found != forms().end());
  return *found;
}

std::string describe(const Buffer& buffer, const Program& program) {
  const Format format = format_of(buffer.stage, program.precision(), program.tiling());
  const std::string_view place = buffer.place == Place::hbm      ? "HBM"
                                 : buffer.place == Place::shared ? "shared memory"
                                                                 : "registers";
  std::string shape(name_of(buffer.rows));
  if (buffer.columns != Dim::one) shape += fmt::format(" × {}", name_of(buffer.columns));
  if (buffer.per_split) shape = "splits × " + shape;
  return fmt::format("{}, {}, {}", place, shape, name_of(format));
}

std::string describe(const Breakpoint& breakpoint) {
  std::string text = fmt::format("break {}: hit {} time{}", breakpoint.text, breakpoint.hits,
                                 breakpoint.hits == 1 ? "" : "s");
  if (!breakpoint.enabled) text += ", switched off";
  if (breakpoint.temporary) text += ", goes once it was hit";
  return text;
}

}  // namespace flashscope::views
