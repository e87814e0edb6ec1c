// The debugger's prompt: reads commands, from a person with history and completion or from a
// script, and carries them out on a Debugger. The words and their abbreviations are gdb's.
#pragma once

#include <cstdint>
#include <cstdio>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "sim/debugger/debugger.h"
#include "viz/terminal/problem_options.h"
#include "viz/terminal/walk_text.h"

namespace flashscope::terminal {

class DebugPrompt {
 public:
  // What the commands print goes to `output`, which must outlive the prompt.
  explicit DebugPrompt(const ProblemOptions& options, std::FILE* output = stdout);

  // One command line; blank lines and comments (#) do nothing. Throws Error; the state is then as
  // before. Returns false after `quit`.
  bool execute(const std::string& line);

  // Lines from a file or a pipe. Throws Error "NAME:LINE: …" at the first command that fails.
  void run_script(std::istream& input, const std::string& name);
  // A person at a terminal: an Error is printed and the prompt goes on.
  void run_interactive();

  void load(const std::string& path);  // a session file
  void save(const std::string& path) const;
  void show_position() const;

  // Another problem, algorithm, tiling or fault: breakpoints stay where they have a place, the op
  // where problem and algorithm stay the same (else it is the first); sets do not, since ops may
  // mean something else. Throws Error, and then all is as before.
  void change(const ProblemOptions& options);

  // What the commands work on. `load` and `fault` put other objects in their place.
  Debugger& debugger();
  const Debugger& debugger() const;
  const Scenario& scenario() const;
  const ProblemOptions& options() const { return options_; }
  // Another number whenever debugger() and scenario() are other objects.
  std::uint64_t generation() const { return generation_; }

  struct Command {
    const char* name;
    const char* abbreviation;  // may be empty
    const char* usage;
    const char* help;
    void (DebugPrompt::*action)(const std::string& arguments);
  };
  static const std::vector<Command>& commands();

 private:
  struct World;  // scenario, program and debugger, which point at each other
  void make_world();

  // Movement (debug_move.cpp).
  void step(const std::string& arguments);
  void next(const std::string& arguments);
  void finish(const std::string& arguments);
  void run_on(const std::string& arguments);
  void reverse_step(const std::string& arguments);
  void reverse_next(const std::string& arguments);
  void reverse_finish(const std::string& arguments);
  void reverse_continue(const std::string& arguments);
  void go_to(const std::string& arguments);
  void until_row(const std::string& arguments);
  void report(const Stop& stop);
  std::optional<Stop> step_shown();
  std::int64_t segments_away(std::int64_t count, bool forward) const;

  // Breakpoints, printing, files, other programs (debug_state.cpp, debug_show.cpp,
  // debug_change.cpp).
  void add_breakpoint(const std::string& arguments);
  void add_temporary(const std::string& arguments);
  void watch(const std::string& arguments);
  void remove(const std::string& arguments);
  void set(const std::string& arguments);
  void fault(const std::string& arguments);
  void option(const std::string& arguments);
  void edit(const std::string& arguments);
  void change_and_show(const ProblemOptions& options);
  void save_command(const std::string& arguments);
  void load_command(const std::string& arguments);
  void source(const std::string& arguments);
  void print(const std::string& arguments);
  void display(const std::string& arguments);
  void undisplay(const std::string& arguments);
  void list(const std::string& arguments);
  void examine(const std::string& arguments);
  void info(const std::string& arguments);
  void help(const std::string& arguments);
  void quit(const std::string& arguments);
  void show_displays();
  void print_value(const std::string& expression) const;
  int tile_named(const std::string& name) const;

  ProblemOptions options_;
  std::FILE* output_;
  std::shared_ptr<World> world_;
  std::vector<std::string> displays_;
  std::uint64_t generation_ = 1;
  bool quit_ = false;
  int source_depth_ = 0;
};

}  // namespace flashscope::terminal
