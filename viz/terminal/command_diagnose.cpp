// `flashscope diagnose`: what is wrong with the O (and LSE) that another program made of Q, K and
// V?
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/debugger/diagnose.h"
#include "sim/error.h"
#include "sim/io/read_array.h"
#include "sim/scenario/from_arrays.h"
#include "sim/scenario/problem_json.h"
#include "sim/setup/setup.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

constexpr std::size_t kTilesShown = 8;

struct DiagnoseCommandOptions {
  ProblemOptions problem;
  std::string observed, observed_lse;
};

// (batch, heads, rows), with leading dimensions left out, as a tensor with one column. The layout
// option is about O: LSE has heads before rows in every library.
TensorView lse_view(io::Array array) {
  if (array.shape.empty() || array.shape.size() > 4) {
    throw Error(
        fmt::format("--observed-lse has shape {}: it must have 1 (rows), 2 (heads, rows) or "
                    "3 (batch, heads, rows) dimensions",
                    io::shape_text(array.shape)));
  }
  if (array.shape.size() < 4) {
    array.shape.push_back(1);
    array.strides.push_back(1);
  }
  return tensor_view(array, Layout::bhsd, "--observed-lse");
}

std::string verdict(const Diagnosis& d) {
  if (d.is_right) return "right";
  if (d.is_convention) return "right by another convention";
  return d.candidates.empty() ? "wrong, and none of the known faults"
                              : "wrong, as a known fault is";
}

std::string tolerance_text(const Diagnosis& d) {
  const Tolerance& t = d.tolerance;
  const bool plain = t.plain_o > t.rounding_o;
  return fmt::format("{:.2e}: {}, and the rounding of O", t.o,
                     plain ? "twice what standard attention measures in this precision"
                           : "what rounding of sums and weights can add up to");
}

void print_candidate(const Candidate& candidate) {
  const Fault& fault = *candidate.fault;
  const bool convention = fault.kind == FaultKind::convention;
  fmt::print("  {}{}{}\n", styled(fault.name, convention ? Style::good : Style::bad),
             convention ? " (a convention)" : "",
             candidate.form->note.empty() ? "" : fmt::format(": {}", candidate.form->note));
  fmt::print("{}\n", wrapped(fmt::format("    {}", fault.what_people_wrote), 4));
  fmt::print("    off by {:.2e} with tiles {}x{}{}{}\n", candidate.residual, candidate.q_tile,
             candidate.kv_tile,
             candidate.kv_order == KvOrder::descending ? ", from the last key to the first" : "",
             candidate.lse_fits() ? "" : "; its LSE differs");
  fmt::print("{}\n",
             wrapped(styled(fmt::format("    signature: {}", fault.signature), Style::dim), 4));
}

void print_wrong_rows(const Diagnosis& d, std::int64_t last_row) {
  fmt::print("  wrong     {} of {} rows checked{}; worst at batch {}, head {}, row {}\n",
             grouped(d.wrong_rows), grouped(d.checked_rows),
             d.checked_rows < d.total_rows ? fmt::format(" (of {})", grouped(d.total_rows)) : "",
             d.batch, d.head, d.row);
  for (std::size_t n = 0; n < std::min(kTilesShown, d.wrong_tiles.size()); ++n) {
    const WrongTile& tile = d.wrong_tiles[n];
    fmt::print("            batch {}, head {}, rows {}-{}: {} wrong, by up to {:.2e}\n", tile.batch,
               tile.head, tile.first_row, std::min(tile.first_row + 31, last_row), tile.wrong_rows,
               tile.max_abs_error);
  }
  if (d.wrong_tiles.size() > kTilesShown) {
    fmt::print("            and {} more stretches of 32 rows\n",
               d.wrong_tiles.size() - kTilesShown);
  }
}

// What leads to the first wrong number: --fault takes a fault's first form, so only that can be
// shown.
std::vector<std::string> debugger_commands(const Diagnosis& d) {
  for (const Candidate& candidate : d.candidates) {
    if (candidate.form != &candidate.fault->forms.front()) continue;
    std::string start = fmt::format(
        "flashscope debug (the same problem) --fault {} --q-tile {} "
        "--kv-tile {}",
        candidate.fault->name, candidate.q_tile, candidate.kv_tile);
    if (candidate.kv_order == KvOrder::descending) start += " --kv-order descending";
    return {start, "break wrong", "continue", "reverse-next", "step 20"};
  }
  return {};
}

void print_diagnosis(const Scenario& scenario, const Diagnosis& d, bool with_lse) {
  fmt::print("{}\n",
             wrapped(fmt::format("{} on {}: {}", styled("diagnosis", Style::title),
                                 describe(scenario.problem),
                                 styled(verdict(d), d.is_correct() ? Style::good : Style::bad))));
  fmt::print(
      "  error     max |O - fp64| {:.2e}{}\n", d.max_abs_error,
      with_lse ? fmt::format(", LSE {:.2e} (allowed {:.2e})", d.lse_max_abs_error, d.tolerance.lse)
               : "");
  fmt::print("{}\n", wrapped(fmt::format("  allowed   {}", tolerance_text(d)), 12));
  if (d.is_right) return;
  print_wrong_rows(d, scenario.problem.q_len - 1);
  fmt::print("\n{}\n",
             d.candidates.empty()
                 ? fmt::format("none of {} hypotheses reproduces it", d.hypotheses)
                 : fmt::format("reproduced by, best first ({} hypotheses tried):", d.hypotheses));
  for (const Candidate& candidate : d.candidates) print_candidate(candidate);
  const std::vector<std::string> commands = debugger_commands(d);
  if (commands.empty()) return;
  fmt::print("\nto see the first wrong number come about:\n");
  for (const std::string& command : commands) {
    fmt::print("{}\n", wrapped("  " + styled(command, Style::code), 6));
  }
}

Json candidates_json(const std::vector<Candidate>& candidates) {
  Json list = Json::array();
  for (const Candidate& candidate : candidates) {
    list.push_back(
        {{"fault", candidate.fault->name},
         {"kind", candidate.fault->kind == FaultKind::fault ? "fault" : "convention"},
         {"form", candidate.form->note},
         {"q_tile", candidate.q_tile},
         {"kv_tile", candidate.kv_tile},
         {"kv_order", candidate.kv_order == KvOrder::ascending ? "ascending" : "descending"},
         {"residual", number_json(candidate.residual)},
         {"lse_residual", number_json(candidate.lse_residual)}});
  }
  return list;
}

Json diagnosis_json(const Scenario& scenario, const Diagnosis& d, bool with_lse) {
  return {{"schema", "flashscope.diagnose/1"},
          {"problem", to_json(scenario.problem)},
          {"correct", d.is_correct()},
          {"verdict", verdict(d)},
          {"max_abs_error", number_json(d.max_abs_error)},
          {"lse_max_abs_error", with_lse ? number_json(d.lse_max_abs_error) : Json(nullptr)},
          {"tolerance", number_json(d.tolerance.o)},
          {"lse_tolerance", number_json(d.tolerance.lse)},
          {"wrong_rows", d.wrong_rows},
          {"checked_rows", d.checked_rows},
          {"worst", {{"batch", d.batch}, {"head", d.head}, {"row", d.row}}},
          {"hypotheses", d.hypotheses},
          {"candidates", candidates_json(d.candidates)},
          {"nearest", candidates_json(d.nearest)},
          {"debugger_commands", debugger_commands(d)}};
}

int diagnose_command(const DiagnoseCommandOptions& options) {
  if (options.observed.empty()) throw Error("diagnose needs --observed FILE: the O to explain");
  if (options.problem.algorithm != "fa2" || options.problem.fault) {
    throw Error("diagnose tries fa2 with every fault: leave --algorithm and --fault out");
  }
  const Setup setup = set_up(options.problem, Purpose::count, "");
  print_note(setup.note);
  const Scenario scenario = setup.make_scenario();
  const Layout layout =
      options.problem.layout.value_or("bhsd") == "bshd" ? Layout::bshd : Layout::bhsd;
  Observed observed;
  observed.o = tensor_view(io::read_array(options.observed), layout, "--observed");
  if (!options.observed_lse.empty()) observed.lse = lse_view(io::read_array(options.observed_lse));
  DiagnoseOptions how;
  how.threads = options.problem.threads;
  how.tries_other_tilings = !options.problem.q_tile && !options.problem.kv_tile;
  if (options.problem.q_tile) how.q_tiles = {*options.problem.q_tile};
  if (options.problem.kv_tile) how.kv_tiles = {*options.problem.kv_tile};
  const Diagnosis result = [&] {
    ProgressBar bar("trying faults");
    how.progress = [&](std::int64_t done, std::int64_t total) { bar.update(done, total); };
    return diagnose(scenario, observed, setup.programs.front().precision(), how);
  }();
  const bool with_lse = observed.lse.has_value();
  if (options.problem.json) {
    fmt::print("{}\n", diagnosis_json(scenario, result, with_lse).dump(2));
  } else {
    print_diagnosis(scenario, result, with_lse);
  }
  return result.is_correct() ? 0 : 1;
}

}  // namespace

Action add_diagnose(CLI::App& command) {
  const auto options = std::make_shared<DiagnoseCommandOptions>();
  add_problem_options(command, options->problem);
  command.add_option("--observed", options->observed,
                     "O as another program computed it: FILE.npy or FILE.npz:member");
  command.add_option("--observed-lse", options->observed_lse, "its LSE, likewise");
  command.footer(defaults_help());
  return [options] { return diagnose_command(*options); };
}

}  // namespace flashscope::terminal
