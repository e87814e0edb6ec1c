// `flashscope diff`: two computations of one problem in lockstep, and where they part.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/debugger/diff.h"
#include "sim/debugger/trace.h"
#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/scenario/problem_json.h"
#include "sim/setup/parse_values.h"
#include "sim/setup/setup.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

struct DiffCommandOptions {
  ProblemOptions problem;
  std::string a, b, trace;
  std::optional<double> tolerance;
};

// `algorithm=fa1,q-tile=32,accumulator=fp16`: options of one side, over the common ones.
ProblemOptions side(const ProblemOptions& common, const std::string& text, const char* option) {
  ProblemOptions options = common;
  if (text.empty()) return options;
  for (const std::string& item : split_list(text, ',')) {
    const std::size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
    const auto integer = [&] { return parse_integers(value, key).front(); };
    if (equals == std::string::npos) {
      throw Error(fmt::format("{} '{}': write KEY=VALUE, such as q-tile=64", option, item));
    }
    if (key == "algorithm") {
      options.algorithm = value;
    } else if (key == "q-tile") {
      options.q_tile = integer();
    } else if (key == "kv-tile") {
      options.kv_tile = integer();
    } else if (key == "splits") {
      options.splits = integer();
    } else if (key == "kv-order") {
      options.kv_order = value;
    } else if (key == "rescale-threshold") {
      char* end = nullptr;
      options.rescale_threshold = std::strtod(value.c_str(), &end);
      if (value.empty() || *end != 0) {
        throw Error(fmt::format("{} rescale-threshold='{}': not a number", option, value));
      }
    } else if (key == "fa1-workspace") {
      options.fa1_workspace = value;
    } else if (key == "pack-gqa") {
      if (value != "true" && value != "false") {
        throw Error(fmt::format("{} pack-gqa='{}': use true or false", option, value));
      }
      options.pack_gqa = value == "true";
    } else if (key == "input" || key == "score" || key == "probability" || key == "accumulator" ||
               key == "output") {
      options.precision = (options.precision ? *options.precision + "," : "") + item;
    } else {
      throw Error(
          fmt::format("{} '{}': {}", option, key,
                      nearest_name(key, {"algorithm", "q-tile", "kv-tile", "splits", "kv-order",
                                         "rescale-threshold", "fa1-workspace", "pack-gqa", "input",
                                         "score", "probability", "accumulator", "output"})));
    }
  }
  return options;
}

Json difference_json(const Difference& d) {
  return {{"op_a", d.op_a},       {"op_b", d.op_b},         {"batch", d.batch},
          {"head", d.head},       {"row", d.row},           {"kv_begin", d.kv_begin},
          {"kv_end", d.kv_end},   {"quantity", d.quantity}, {"a", number_json(d.a)},
          {"b", number_json(d.b)}};
}

void print_result(const Program& a, const DiffResult& result, double tolerance, bool is_trace) {
  fmt::print("{} points of {} rows compared (same row, same keys), tolerance {:.1e}\n",
             grouped(result.compared_points), grouped(result.compared_rows), tolerance);
  if (!result.first) {
    fmt::print("{}\n", styled("no difference", Style::good));
    return;
  }
  const Difference& d = *result.first;
  const Line& line = a.algorithm().lines[static_cast<std::size_t>(a.op(d.op_a).line)];
  fmt::print("{} rows differ. They part first at {}\n", grouped(result.differing_rows),
             styled(fmt::format("batch {}, head {}, row {}, keys {} to {}", d.batch, d.head, d.row,
                                d.kv_begin, d.kv_end - 1),
                    Style::title));
  fmt::print("  {}: a {}, b {}, off by {:.2e}\n", d.quantity,
             styled(fmt::format("{:.8g}", d.a), Style::number),
             styled(fmt::format("{:.8g}", d.b), Style::number), std::abs(d.a - d.b));
  fmt::print("  op {} of a ({}), {} {} of b\n\n", d.op_a, line.text, is_trace ? "record" : "op",
             d.op_b);
  Table table("lrr");
  table.header({"keys so far", "m + ln l off by", "O / l off by"});
  const std::size_t step = std::max<std::size_t>(1, result.growth.size() / 16);
  for (std::size_t n = 0; n < result.growth.size(); n += step) {
    const Growth& g = result.growth[n];
    table.row({g.final ? "result" : grouped(g.keys), fmt::format("{:.2e}", g.lse),
               g.o ? fmt::format("{:.2e}", *g.o) : "-"});
  }
  fmt::print("{}", table.text());
}

int diff_command(const DiffCommandOptions& options) {
  if (!options.b.empty() && !options.trace.empty()) {
    throw Error("--b and --trace are two ways to give the other side: use one");
  }
  if (options.b.empty() && options.trace.empty()) {
    throw Error("diff needs another side: --b KEY=VALUE,… or --trace FILE");
  }
  for (const std::string* text : {&options.a, &options.b, &options.problem.algorithm}) {
    if (*text == "all" || text->find("algorithm=all") != std::string::npos) {
      throw Error("diff compares two computations: --algorithm all is for count");
    }
  }
  const Setup a = set_up(side(options.problem, options.a, "--a"), Purpose::compute, "pencil");
  print_note(a.note);
  const Scenario scenario = a.make_scenario();
  std::optional<Setup> b;
  std::unique_ptr<OtherSide> other;
  DiffOptions diff_options;
  if (options.trace.empty()) {
    b = set_up(side(options.problem, options.b, "--b"), Purpose::compute, "pencil");
    print_note(b->note);
    other = std::make_unique<ProgramSide>(scenario, b->programs.front());
    diff_options.tolerance =
        diff_tolerance(a.programs.front().precision(), b->programs.front().precision());
  } else {
    auto trace = std::make_unique<TraceSide>(scenario, options.trace);
    if (!options.problem.json) {
      fmt::print("trace: {} records, m read as {}\n", grouped(trace->records()),
                 trace->convention());
    }
    other = std::move(trace);
    // A kernel's approximate exponential and its own order of sums.
    diff_options.tolerance =
        4 * diff_tolerance(a.programs.front().precision(), a.programs.front().precision());
  }
  if (options.tolerance) diff_options.tolerance = *options.tolerance;
  if (!(diff_options.tolerance >= 0)) throw Error("--tolerance must be 0 or more");
  ProgressBar bar("comparing");
  diff_options.progress = [&](std::int64_t done, std::int64_t total) { bar.update(done, total); };
  const DiffResult result = diff(scenario, a.programs.front(), *other, diff_options);
  if (result.compared_points == 0) {
    throw Error("the two sides have no row with the same keys consumed: nothing to compare");
  }
  if (options.problem.json) {
    Json growth = Json::array();
    for (const Growth& g : result.growth) {
      growth.push_back({{"keys", g.keys},
                        {"final", g.final},
                        {"lse", number_json(g.lse)},
                        {"o", g.o ? number_json(*g.o) : Json(nullptr)}});
    }
    const Json json = {
        {"schema", "flashscope.diff/1"},
        {"problem", to_json(scenario.problem)},
        {"tolerance", diff_options.tolerance},
        {"compared_points", result.compared_points},
        {"compared_rows", result.compared_rows},
        {"differing_rows", result.differing_rows},
        {"first_difference", result.first ? difference_json(*result.first) : Json(nullptr)},
        {"growth", growth}};
    fmt::print("{}\n", json.dump(2));
  } else {
    print_result(a.programs.front(), result, diff_options.tolerance, !options.trace.empty());
  }
  return result.first ? 1 : 0;
}

}  // namespace

Action add_diff(CLI::App& command) {
  const auto options = std::make_shared<DiffCommandOptions>();
  add_problem_options(command, options->problem);
  command.add_option("--a", options->a, "options of one side, KEY=VALUE,…, over the common ones");
  command.add_option("--b", options->b, "options of the other side");
  command.add_option("--trace", options->trace, "a kernel's trace as the other side (JSON lines)");
  command.add_option("--tolerance", options->tolerance, "instead of that of the precisions");
  command.footer(defaults_help());
  return [options] { return diff_command(*options); };
}

}  // namespace flashscope::terminal
