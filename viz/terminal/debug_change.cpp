// Commands of the debug prompt that make another problem, schedule or table of the present one; see
// debug_prompt.h.
#include <algorithm>
#include <charconv>
#include <tuple>

#include <fmt/format.h>

#include "lessons/engine/facts_options.h"
#include "lessons/engine/facts_table.h"
#include "sim/error.h"
#include "sim/scenario/problem_json.h"
#include "sim/setup/parse_values.h"
#include "viz/terminal/debug_world.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

// A word and what follows it, without the blanks between them.
std::pair<std::string, std::string> first_word(const std::string& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::size_t rest = std::min(text.find_first_not_of(' ', end), text.size());
  return {text.substr(0, end), text.substr(rest)};
}

void reset_option(ProblemOptions& options, const ProblemOption& option) {
  static const ProblemOptions kDefaults;
  lessons::copy_option(options, kDefaults, option.name);
}

// Whether the tensors of one problem come from the same place.
bool is_same_origin(const ProblemOptions& a, const ProblemOptions& b) {
  const auto origin = [](const ProblemOptions& o) {
    return std::tie(o.problem, o.seed, o.distribution, o.q, o.k, o.v, o.tensors, o.prefix,
                    o.layout);
  };
  return origin(a) == origin(b);
}

// The one line of the table that is meant: by its number, or by how its statement begins.
lessons::TableLine line_named(const std::string& name,
                              const std::vector<lessons::TableLine>& lines) {
  int number = 0;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (code == std::errc() && end == name.data() + name.size()) {
    for (const lessons::TableLine& line : lines) {
      if (line.number == number) return line;
    }
    throw Error(fmt::format("line {} of the table holds no statement; see list", name));
  }
  const std::vector<std::size_t> found = lessons::lines_beginning(name, lines);
  if (found.size() > 1) {
    throw Error(fmt::format("'{}' stands in lines {} and {} of the table: write the number",
                            lines[found[0]].statement, lines[found[0]].number,
                            lines[found[1]].number));
  }
  return lines[found[0]];
}

}  // namespace

void DebugPrompt::change(const ProblemOptions& options) {
  Source source = source_;
  if (has_debugger()) {
    // The tensors that are there serve again where they are those of the options.
    source.make_scenario = [tensors = scenario(), before = options_, make = source_.make_scenario](
                               const Setup& made, const ProblemOptions& wanted) {
      const bool serve =
          is_same_origin(before, wanted) && to_json(tensors.problem) == to_json(made.problem);
      return serve ? tensors : make(made, wanted);
    };
  }
  DebugPrompt changed(options, output_, source);
  changed.source_ = source_;
  const Program& after = changed.program();
  const bool same = program().algorithm().name == after.algorithm().name &&
                    to_json(program().problem()) == to_json(after.problem());
  changed.begin_at(same ? std::min(position(), after.size()) : 0);
  if (has_debugger()) {
    for (const Breakpoint& b : debugger().breakpoints()) {
      Debugger& d = changed.debugger();
      try {
        b.kind == Breakpoint::Kind::watch ? d.add_watch(b.text)
                                          : d.add_breakpoint(b.text, b.temporary);
      } catch (const Error&) {
        // Another table need not have the line or the tile.
        fmt::print(output_, "breakpoint {} ({}) has no place in {}: removed\n", b.id, b.text,
                   after.algorithm().full_name());
      }
    }
  }
  changed.displays_ = displays_;
  changed.source_depth_ = source_depth_;
  changed.generation_ = generation_ + 1;
  *this = changed;
}

void DebugPrompt::change_and_show(const ProblemOptions& options) {
  change(options);
  fmt::print(output_, "{}\n", program().algorithm().full_name());
  show_position();
}

// The program with or without a fault.
void DebugPrompt::fault(const std::string& arguments) {
  const auto [name, state] = first_word(arguments);
  if (state != "on" && state != "off") throw Error("write: fault NAME on, or fault NAME off");
  ProblemOptions options = options_;
  if (state == "off") {
    if (options.fault != name) throw Error(fmt::format("the fault '{}' is not on", name));
    options.fault.reset();
  } else {
    options.fault = name;
  }
  change_and_show(options);
}

void DebugPrompt::option(const std::string& arguments) {
  auto [name, value] = first_word(arguments);
  // As on the command line: --q-tile=4 is --q-tile 4.
  if (const std::size_t equals = name.find('='); equals != std::string::npos && value.empty()) {
    value = name.substr(equals + 1);
    name.resize(equals);
  }
  if (value.size() > 1 && (value.front() == '\'' || value.front() == '"') &&
      value.back() == value.front()) {
    value = value.substr(1, value.size() - 2);  // quotes are the shell's, and there is none here
  }
  if (name.empty())
    throw Error(
        "write: option NAME VALUE, such as option q-tile 4, option head-dim 8, option causal on; "
        "the names are those of `flashscope run --help`");
  const ProblemOption& named = lessons::find_option(name);
  const bool is_flag = std::holds_alternative<bool ProblemOptions::*>(named.member);
  if (value.empty() && !is_flag) {
    throw Error(fmt::format("{} takes a value ({}), or `default`", named.name, named.help));
  }
  ProblemOptions options = options_;
  if (value == "default" || (is_flag && value == "off")) {
    reset_option(options, named);
  } else if (is_flag && (value.empty() || value == "on")) {
    lessons::set_option(options, named.name, "true");
  } else {
    lessons::set_option(options, named.name, value);
  }
  const bool other_table = named.name == std::string_view("--algorithm");
  if (other_table) options = with_algorithm(options_, options.algorithm);
  change(options);
  const Tiling& tiling = program().tiling();
  fmt::print(
      output_, "{}\n",
      wrapped(fmt::format("{}, {}; tiles {} x {}", program().algorithm().full_name(),
                          describe(program().problem()), tiling.q_tile_rows, tiling.kv_tile_rows)));
  show_position();
}

void DebugPrompt::edit(const std::string& arguments) {
  constexpr const char* kUsage = "write: edit LINE TEXT, or edit BEGINNING => TEXT";
  constexpr std::string_view kArrow = "=>";
  auto [name, text] = first_word(arguments);
  if (const std::size_t arrow = arguments.find(kArrow); arrow != std::string::npos) {
    name = arguments.substr(0, arrow);
    name.erase(name.find_last_not_of(' ') + 1);
    text = arguments.substr(arrow + kArrow.size());
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  } else if (name.empty() || name.find_first_not_of("0123456789") != std::string::npos) {
    throw Error(kUsage);
  }
  if (name.empty()) throw Error(kUsage);
  if (options_.fault) {
    throw Error(fmt::format("the table has a fault: first type fault {} off", *options_.fault));
  }
  const Algorithm& algorithm = program().algorithm();
  const lessons::TableLine line = line_named(name, lessons::table_lines(algorithm.source));
  std::vector<std::string> lines = split_list(algorithm.source, '\n');
  const auto place = lines.begin() + (line.number - 1);
  if (text.empty()) {
    lines.erase(place);
  } else {
    const std::string indent = place->substr(0, place->find_first_not_of(" \t"));
    const bool keeps = !line.condition.empty() && text.find(" when ") == std::string::npos;
    *place = indent + text + (keeps ? " " + line.condition : "");
  }
  ProblemOptions options = options_;
  options.table = fmt::format("{}", fmt::join(lines, "\n"));
  change(options);
  fmt::print(output_, "{}\n",
             wrapped(fmt::format("line {}: {} -> {}", line.number, line.text(),
                                 text.empty() ? "(gone)" : text)));
  show_position();
}

}  // namespace flashscope::terminal
