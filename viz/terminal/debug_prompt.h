// The debugger's prompt: reads commands, from a person with history and completion or from a
// script, and carries them out on a Debugger. The words and their abbreviations are gdb's.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/debugger/debugger.h"
#include "sim/setup/setup.h"
#include "viz/terminal/problem_options.h"
#include "viz/terminal/walk_text.h"

namespace flashscope::terminal {

// "|39|": the number of a line of a table, which does not look like an op's.
std::string line_number_text(int number, int digits);
// "alpha = 0.1353 1", or several lines for a tile; whole numbers have all their digits.
std::string printed_value(std::string_view expression, const expression::StateValue& value);

class DebugPrompt {
 public:
  // How a prompt gets what its options describe, now and after every change of them.
  struct Source {
    std::function<Setup(const ProblemOptions&)> set_up;
    std::function<Scenario(const Setup&, const ProblemOptions&)> make_scenario;
    // Tensors are made, and the debugger on them, when a command first looks at numbers: another
    // tiling of a large problem is there at once.
    bool data_later = false;
    // Whether an empty line is the last command once more, for help.
    bool empty_line_repeats = true;
  };
  static Source usual_source();  // of `debug`: the pencil problem unless a size is given

  // What the commands print goes to `output`, which must outlive the prompt.
  explicit DebugPrompt(const ProblemOptions& options, std::FILE* output = stdout,
                       const Source& source = usual_source());

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
  std::string position_text() const;
  // Whether an expression looks at a tile that no op has written yet for the q tile of the next op.
  bool looks_at_nothing(const std::string& expression) const;

  // Another problem, algorithm, tiling or fault: breakpoints stay where they have a place, the op
  // where problem and algorithm stay the same (else it is the first); sets do not, since ops may
  // mean something else. Throws Error, and then all is as before.
  void change(const ProblemOptions& options);

  // What the commands work on. `load` and `fault` put other objects in their place.
  Debugger& debugger();
  const Debugger& debugger() const;
  const Scenario& scenario() const;
  const ProblemOptions& options() const { return options_; }
  // These make no data, and has_debugger() says whether there is any.
  const Setup& setup() const;
  const Program& program() const;
  std::int64_t position() const;
  bool has_debugger() const;
  void begin_at(std::int64_t op);  // past breakpoints
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
  void show_budget() const;
  void print_value(const std::string& expression) const;
  int tile_named(const std::string& name) const;
  bool is_written(int buffer) const;
  Segment next_segment() const;  // of the next op; at the end, the last one

  ProblemOptions options_;
  Source source_;
  std::FILE* output_;
  std::shared_ptr<World> world_;
  std::vector<std::string> displays_;
  std::uint64_t generation_ = 1;
  bool quit_ = false;
  int source_depth_ = 0;
};

}  // namespace flashscope::terminal
