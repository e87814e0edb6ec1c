// Declares the shared options to the command line parser; see problem_options.h.
#include "viz/terminal/problem_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope::terminal {

void add_problem_options(CLI::App& command, ProblemOptions& options) {
  for (const ProblemOption& option : problem_option_list()) {
    std::visit(
        [&](auto member) {
          CLI::Option* added = nullptr;
          if constexpr (std::is_same_v<decltype(member), bool ProblemOptions::*>) {
            added = command.add_flag(option.name, options.*member, option.help);
          } else {
            added = command.add_option(option.name, options.*member, option.help);
          }
          added->group(option.group);
        },
        option.member);
  }
  command.add_flag("--json", options.json, "machine-readable output")->group("Output");
}

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

}  // namespace flashscope::terminal
