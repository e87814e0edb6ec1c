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

int debug_command(const DebugOptions& options, const std::vector<std::string>& arguments) {
  if (options.problem.algorithm == "all") {
    throw Error("debug follows one algorithm: --algorithm all is for count");
  }
  if (options.problem.json) throw Error("debug is a prompt: it has no --json");
  if (!options.session.empty() && !arguments.empty()) {
    throw Error(fmt::format("--session brings its own problem: leave {} out", arguments.front()));
  }
  DebugPrompt prompt(options.problem, arguments);
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

// The problem options among the tokens of a command line: what a session file must keep.
std::vector<std::string> problem_arguments(const CLI::App& command) {
  std::vector<std::string> tokens;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--script" || name == "--session" || name == "--json" ||
        name == "--help") {
      continue;
    }
    tokens.push_back(name);
    if (option->get_items_expected_max() == 0) continue;  // a flag
    tokens.insert(tokens.end(), option->results().begin(), option->results().end());
  }
  return tokens;
}

}  // namespace

ProblemOptions parse_problem_arguments(const std::vector<std::string>& arguments) {
  CLI::App app;
  ProblemOptions options;
  add_problem_options(app, options);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::Error&) {
    throw Error("the session's \"arguments\" are no problem options of this version");
  }
  return options;
}

Action add_debug(CLI::App& command) {
  const auto options = std::make_shared<DebugOptions>();
  add_problem_options(command, options->problem);
  command.add_option("--script", options->script,
                     "commands from a file; stops at the first that fails");
  command.add_option("--session", options->session, "a session file that `save` wrote");
  command.footer(defaults_help());
  return [options, &command] { return debug_command(*options, problem_arguments(command)); };
}

}  // namespace flashscope::terminal
