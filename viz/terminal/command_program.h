// A command line program made of subcommands: what `flashscope` and `flashscope-gpu` have in
// common. Numbers are read strictly, mistakes are one line with a hint where to look.
#pragma once

#include <span>

#include "viz/terminal/commands.h"

namespace flashscope::terminal {

struct Subcommand {
  const char* name;
  const char* summary;
  Action (*add)(CLI::App&);
};

struct CommandProgram {
  const char* name;
  const char* title;  // one line for --help
  std::span<const Subcommand> subcommands;
};

// Never throws: prints one line and returns 2 for a user's mistake.
int run_program(const CommandProgram& program, int argc, const char* const* argv);

}  // namespace flashscope::terminal
