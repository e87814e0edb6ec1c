// `flashscope count`: simulated traffic and work, no arithmetic on data.
#include <memory>

#include <fmt/format.h>

#include "sim/attention/closed_forms.h"
#include "sim/machine/count.h"
#include "sim/scenario/problem_json.h"
#include "sim/setup/setup.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/count_tables.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

int count_command(const ProblemOptions& options) {
  const Setup setup = set_up(options, Purpose::count, "");
  print_note(setup.note);
  std::vector<CountRow> rows;
  for (const Program& program : setup.programs) rows.push_back(count_row(program));
  if (options.json) {
    Json algorithms = Json::array();
    for (const CountRow& row : rows) {
      algorithms.push_back(count_json(*row.program, row.count,
                                      row.closed_form ? Json(*row.closed_form) : Json(nullptr)));
    }
    const Json output = {{"schema", "flashscope.count/1"},
                         {"problem", to_json(setup.problem)},
                         {"algorithms", algorithms}};
    fmt::print("{}\n", output.dump(2));
    return 0;
  }
  print_counts(setup.problem, rows);
  return 0;
}

}  // namespace

Action add_count(CLI::App& command) {
  const auto options = std::make_shared<ProblemOptions>();
  add_problem_options(command, *options);
  command.footer(defaults_help());
  return [options] { return count_command(*options); };
}

}  // namespace flashscope::terminal
