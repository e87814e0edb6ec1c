// `flashscope fit`: what a tiling needs on chip, itemised, and the best tilings for a device.
#include <memory>

#include <fmt/format.h>

#include "sim/model/fit.h"
#include "sim/model/sram_budget.h"
#include "sim/scenario/problem_json.h"
#include "sim/setup/setup.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

constexpr std::size_t kBestShown = 5;

std::string kib(std::int64_t bytes) {
  if (bytes % 1024 == 0) return fmt::format("{} KiB", bytes / 1024);
  return bytes < 1024 ? fmt::format("{} B", bytes)
                      : fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
}

void print_budget(const Budget& budget, const Device& device) {
  const bool kernel = budget.placement == Placement::kernel;
  fmt::print("\n{} {}\n",
             styled(fmt::format("placement {}", name_of(budget.placement)), Style::title),
             styled(kernel ? "shared memory x stages, the rest in registers"
                           : "one on-chip memory holds everything",
                    Style::dim));
  Table table("lllrrl");
  table.header({"phase", "tile", "format", "shape", "bytes", "place"});
  for (const BudgetItem& item : budget.items) {
    const std::string stages = item.stages > 1 ? fmt::format(" x{}", item.stages) : "";
    table.row({item.phase, styled(item.buffer, Style::code), std::string(name_of(item.format)),
               fmt::format("{} x {}{}", item.rows, item.columns, stages),
               styled(kib(item.bytes), Style::bytes),
               item.place == Place::shared
                   ? fmt::format("shared, from {}", kib(item.offset_bytes))
                   : fmt::format("{} registers a thread", item.registers_per_thread)});
  }
  fmt::print("{}", table.text());
  const std::int64_t free_bytes = budget.shared_limit_bytes - budget.shared_bytes;
  fmt::print("  shared memory {} of {} per block{}\n", kib(budget.shared_bytes),
             kib(budget.shared_limit_bytes),
             free_bytes >= 0 ? fmt::format(", {} free", kib(free_bytes)) : "");
  if (kernel) {
    fmt::print("  registers     {} of {} per thread at {} threads ({} assumed for addresses)\n",
               budget.registers_per_thread, budget.registers_limit, budget.threads,
               kOverheadRegisters);
    fmt::print("  blocks per SM {}\n", budget.blocks_per_sm);
  }
  // The reason itemises what stands in the table above; here the verdict is enough.
  fmt::print("  {}\n", budget.fits
                           ? styled(fmt::format("fits {}", device.name), Style::good)
                           : styled(fmt::format("does not fit {}", device.name), Style::bad));
}

Json budget_json(const Budget& budget) {
  Json items = Json::array();
  for (const BudgetItem& item : budget.items) {
    items.push_back({{"phase", item.phase},
                     {"tile", item.buffer},
                     {"rows", item.rows},
                     {"columns", item.columns},
                     {"format", name_of(item.format)},
                     {"stages", item.stages},
                     {"place", item.place == Place::shared ? "shared" : "registers"},
                     {"bytes", item.bytes},
                     {"offset_bytes", item.offset_bytes},
                     {"registers_per_thread", item.registers_per_thread}});
  }
  return {{"placement", name_of(budget.placement)},
          {"items", items},
          {"shared_bytes", budget.shared_bytes},
          {"shared_limit_bytes", budget.shared_limit_bytes},
          {"registers_per_thread", budget.registers_per_thread},
          {"registers_limit", budget.registers_limit},
          {"threads", budget.threads},
          {"blocks_per_sm", budget.blocks_per_sm},
          {"fits", budget.fits},
          {"reason", budget.fits ? Json(nullptr) : Json(budget.reason)}};
}

Json best_json(const std::vector<FitCandidate>& best) {
  Json list = Json::array();
  for (const FitCandidate& candidate : best) {
    list.push_back({{"q_tile", candidate.tiling.q_tile_rows},
                    {"kv_tile", candidate.tiling.kv_tile_rows},
                    {"total_bytes", candidate.total_bytes},
                    {"steps", candidate.steps},
                    {"shared_bytes", candidate.budget.shared_bytes},
                    {"registers_per_thread", candidate.budget.registers_per_thread},
                    {"blocks_per_sm", candidate.budget.blocks_per_sm}});
  }
  return list;
}

void print_best(const std::vector<FitCandidate>& best, Placement placement) {
  fmt::print("\n{}\n",
             styled(fmt::format("Best tilings, placement {}", name_of(placement)), Style::title));
  if (best.empty()) {
    fmt::print("  none fits\n");
    return;
  }
  Table table("rrrrrr");
  table.header({"tiles", "HBM traffic", "steps", "SRAM", "registers", "blocks/SM"});
  for (const FitCandidate& candidate : best) {
    table.row(
        {fmt::format("{}x{}", candidate.tiling.q_tile_rows, candidate.tiling.kv_tile_rows),
         styled(readable_bytes(candidate.total_bytes), Style::bytes),
         readable_count(candidate.steps), kib(candidate.budget.shared_bytes),
         placement == Placement::kernel ? std::to_string(candidate.budget.registers_per_thread)
                                        : "-",
         placement == Placement::kernel ? std::to_string(candidate.budget.blocks_per_sm) : "-"});
  }
  fmt::print("{}", table.text());
}

int fit_command(const ProblemOptions& options) {
  const Problem problem = problem_source(options, "").problem;
  const Device& target = device(options);
  const Setup setup = set_up(options, Purpose::inspect, "");
  print_note(setup.note);
  Json json_algorithms = Json::array();
  for (const Program& program : setup.programs) {
    const Algorithm& algorithm = program.algorithm();
    if (!options.json) {
      fmt::print("{}\n", wrapped(fmt::format("{} on {}, {}, tiles {}x{}",
                                             styled(algorithm.name, Style::title), target.title,
                                             describe(problem), program.tiling().q_tile_rows,
                                             program.tiling().kv_tile_rows)));
    }
    Json budgets = Json::array(), best_lists = Json::object();
    for (const Placement p : {Placement::paper, Placement::kernel}) {
      const Budget b = budget(algorithm, problem, program.tiling(), program.precision(), target, p);
      const std::vector<FitCandidate> best = best_tilings(algorithm, problem, program.precision(),
                                                          target, p, program.tiling(), kBestShown);
      budgets.push_back(budget_json(b));
      best_lists[std::string(name_of(p))] = best_json(best);
      if (options.json) continue;
      print_budget(b, target);
      print_best(best, p);
    }
    json_algorithms.push_back({{"name", algorithm.name},
                               {"q_tile", program.tiling().q_tile_rows},
                               {"kv_tile", program.tiling().kv_tile_rows},
                               {"budgets", budgets},
                               {"best", best_lists}});
    if (!options.json) fmt::print("\n");
  }
  if (options.json) {
    const Json output = {{"schema", "flashscope.fit/1"},
                         {"problem", to_json(problem)},
                         {"device", target.name},
                         {"algorithms", json_algorithms}};
    fmt::print("{}\n", output.dump(2));
  }
  return 0;
}

}  // namespace

Action add_fit(CLI::App& command) {
  const auto options = std::make_shared<ProblemOptions>();
  add_problem_options(command, *options);
  command.footer(defaults_help());
  return [options] { return fit_command(*options); };
}

}  // namespace flashscope::terminal
