// `flashscope debug`: the debugger prompt, from a terminal, a script or a pipe.
#include <fstream>
#include <iostream>
#include <memory>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/error.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/debug_prompt.h"

namespace flashscope::terminal {
namespace {

struct DebugOptions {
  ProblemOptions problem;
  std::string script, session;
};

int debug_command(const DebugOptions& options) {
  if (options.problem.json) throw Error("debug is a prompt: it has no --json");
  const std::vector<std::string> arguments = problem_arguments(options.problem);
  if (!options.session.empty() && !arguments.empty()) {
    throw Error(fmt::format("--session brings its own problem: leave {} out", arguments.front()));
  }
  DebugPrompt prompt(options.problem);
  if (!options.session.empty()) prompt.load(options.session);
  if (!options.script.empty()) {
    std::ifstream file(options.script);
    if (!file) throw Error(fmt::format("--script {}: no script can be read there", options.script));
    prompt.run_script(file, options.script);
  } else if (isatty(STDIN_FILENO) == 1) {
    prompt.run_interactive();
  } else {
    prompt.run_script(std::cin, "stdin");
  }
  return 0;
}

}  // namespace

Action add_debug(CLI::App& command) {
  const auto options = std::make_shared<DebugOptions>();
  add_problem_options(command, options->problem);
  command.add_option("--script", options->script,
                     "commands from a file; stops at the first that fails");
  command.add_option("--session", options->session, "a session file that `save` wrote");
  command.footer(defaults_help());
  return [options] { return debug_command(*options); };
}

}  // namespace flashscope::terminal
