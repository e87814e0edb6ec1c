// Reading and dispatching commands; see debug_prompt.h.
#include "viz/terminal/debug_prompt.h"

#include <algorithm>
#include <istream>
#include <optional>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "viz/terminal/debug_input.h"
#include "viz/terminal/debug_world.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
const std::vector<DebugPrompt::Command>& DebugPrompt::commands() {
  using P = DebugPrompt;
  static const std::vector<Command> kCommands = {
      {"step", "s", "[N]", "execute one op (or N)", &P::step},
      {"next", "n", "[N]", "to the next kv tile, or what else comes next", &P::next},
      {"finish", "fin", "", "to the end of the work item", &P::finish},
      {"continue", "c", "", "to the next breakpoint, or the end", &P::run_on},
      {"reverse-step", "rs", "[N]", "one op back", &P::reverse_step},
      {"reverse-next", "rn", "[N]", "one kv tile back", &P::reverse_next},
      {"reverse-finish", "rfin", "", "to the beginning of the work item", &P::reverse_finish},
      {"reverse-continue", "rc", "", "back to the last breakpoint, or the beginning",
       &P::reverse_continue},
      {"goto", "g", "OP | item W | tile I J", "to an op, a work item, or a q tile's kv tile",
       &P::go_to},
      {"until", "u", "ROW J", "to where query row ROW meets kv tile J", &P::until_row},
      {"break", "b", "LINE | KIND | wrong [if EXPR]", "stop there; `break if EXPR` anywhere",
       &P::add_breakpoint},
      {"tbreak", "tb", "as break", "a breakpoint that goes after one stop", &P::add_temporary},
      {"watch", "", "EXPR", "stop when its value changes", &P::watch},
      {"delete", "d", "[ID]", "remove a breakpoint, or all", &P::remove},
      {"print", "p", "EXPR", "a value: m[3], max(S) - min(S), row(200).m, load_bytes", &P::print},
      {"display", "", "EXPR", "print it after every stop", &P::display},
      {"undisplay", "", "[N]", "stop displaying one, or all", &P::undisplay},
      {"list", "l", "", "the table, with the next line marked", &P::list},
      {"x", "", "TILE [heat]", "a tile as numbers, or as a heat map", &P::examine},
      {"info", "i", "breakpoints|line|tiles|traffic|sram|rows", "what there is to know about it",
       &P::info},
      {"set", "", "ELEMENT = VALUE", "change m[0], S[1,2], …; undone by going back", &P::set},
      {"fault", "", "NAME on|off", "put a known fault in, or take it out", &P::fault},
      {"option", "", "NAME VALUE|default", "as on the command line: q-tile 4, --causal, mask q>=k",
       &P::option},
      {"edit", "", "LINE TEXT | BEGINNING => TEXT",
       "replace a line of the table; without TEXT it goes", &P::edit},
      {"save", "", "FILE", "position, breakpoints and sets, as a session file", &P::save_command},
      {"load", "", "FILE", "a session file", &P::load_command},
      {"source", "", "FILE", "commands from a file", &P::source},
      {"help", "h", "[COMMAND]", "this list, or one of it", &P::help},
      {"quit", "q", "", "leave", &P::quit},
  };
  return kCommands;
}

DebugPrompt::Source DebugPrompt::usual_source() {
  Source source;
  source.set_up = [](const ProblemOptions& options) {
    return flashscope::set_up(options, Purpose::compute, "pencil");
  };
  source.make_scenario = [](const Setup& setup, const ProblemOptions&) {
    return setup.make_scenario();
  };
  return source;
}

DebugPrompt::DebugPrompt(const ProblemOptions& options, std::FILE* output, const Source& source)
    : options_(options), source_(source), output_(output) {
  make_world();
}

void DebugPrompt::make_world() {
  if (options_.algorithm == "all") {
    throw Error("debug follows one algorithm: --algorithm all is for count");
  }
  world_ = std::make_shared<World>();
  world_->setup = source_.set_up(options_);
  print_note(setup().note);
  world_->output = output_;
  world_->make_scenario = [source = source_, options = options_, world = world_.get()] {
    return source.make_scenario(world->setup, options);
  };
  if (program().size() == 0) {
    throw Error("nothing to debug: the problem has no ops (an empty batch?)");
  }
  if (!source_.data_later) world_->run();
}

Debugger& DebugPrompt::debugger() { return world_->run().debugger; }
const Debugger& DebugPrompt::debugger() const { return world_->run().debugger; }
const Scenario& DebugPrompt::scenario() const { return world_->run().scenario; }
const Setup& DebugPrompt::setup() const { return world_->setup; }
const Program& DebugPrompt::program() const { return world_->program(); }
bool DebugPrompt::has_debugger() const { return world_->running.has_value(); }

std::int64_t DebugPrompt::position() const {
  return has_debugger() ? debugger().session().position() : world_->position;
}

void DebugPrompt::begin_at(std::int64_t op) {
  if (has_debugger()) {
    debugger().go_to(op);
  } else {
    world_->position = op;
  }
}

Segment DebugPrompt::next_segment() const {
  return program().op(std::min(position(), program().size() - 1)).segment;
}

bool DebugPrompt::execute(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos || line[begin] == '#') return true;
  std::size_t end = line.find_first_of(" \t\r", begin);
  const std::string word = line.substr(begin, end == std::string::npos ? end : end - begin);
  std::string arguments;
  if (end != std::string::npos) {
    const std::size_t first = line.find_first_not_of(" \t\r", end);
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (first != std::string::npos) arguments = line.substr(first, last - first + 1);
  }
  const Command* chosen = nullptr;
  int prefixes = 0;
  for (const Command& command : commands()) {
    if (word == command.name || word == command.abbreviation) {
      chosen = &command;
      prefixes = 1;
      break;
    }
    if (std::string_view(command.name).starts_with(word)) {
      chosen = &command;
      ++prefixes;
    }
  }
  if (prefixes != 1) {
    std::vector<std::string> names;
    for (const Command& command : commands()) names.emplace_back(command.name);
    throw Error(fmt::format("{} '{}'; {} (help lists the commands)",
                            prefixes == 0 ? "there is no command" : "several commands begin with",
                            word, nearest_name(word, names)));
  }
  quit_ = false;
  (this->*chosen->action)(arguments);
  return !quit_;
}

void DebugPrompt::run_script(std::istream& input, const std::string& name) {
  std::string line;
  int number = 0;
  while (!quit_ && std::getline(input, line)) {
    ++number;
    try {
      execute(line);
    } catch (const Error& error) {
      throw Error(fmt::format("{}:{}: {}", name, number, error.what()));
    }
  }
}

void DebugPrompt::run_interactive() {
  show_position();
  std::string last = "step";  // as in gdb, an empty line repeats
  while (!quit_) {
    const std::optional<std::string> typed = typed_line("(flashscope) ", &debugger());
    if (!typed) {
      fmt::print(output_, "\n");
      break;
    }
    if (typed->find_first_not_of(' ') != std::string::npos) last = *typed;
    try {
      execute(last);
    } catch (const Error& error) {
      fmt::print(output_, "{}\n", styled(error.what(), Style::bad));
    }
  }
}

void DebugPrompt::help(const std::string& arguments) {
  constexpr int kNameColumns = 16, kAbbreviationColumns = 4;
  for (const Command& command : commands()) {
    const bool wanted =
        arguments.empty() || arguments == command.name || arguments == command.abbreviation;
    if (!wanted) continue;
    if (!arguments.empty()) {
      fmt::print(output_, "{} {}\n{}\n", styled(command.name, Style::code), command.usage,
                 wrapped(fmt::format("  {}", command.help)));
      return;
    }
    const std::string line =
        fmt::format("  {}  {}  {}", pad_right(styled(command.name, Style::code), kNameColumns),
                    pad_right(command.abbreviation, kAbbreviationColumns), command.help);
    fmt::print(output_, "{}\n", wrapped(line, 2 + kNameColumns + 2 + kAbbreviationColumns + 2));
  }
  if (!arguments.empty()) throw Error(fmt::format("there is no command '{}'", arguments));
  fmt::print(output_, "{}\n",
             wrapped(fmt::format("Names in expressions: {} and the tiles on chip.{}",
                                 fmt::join(session_vocabulary(program()).scalars, " "),
                                 source_.empty_line_repeats ? " An empty line repeats." : "")));
}

void DebugPrompt::quit(const std::string&) { quit_ = true; }

}  // namespace flashscope::terminal
