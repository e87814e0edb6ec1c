// See trace_report.h.
#include "viz/terminal/gpu/trace_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpu/measure/measure.h"
#include "gpu/verify/kernel_list.h"
#include "sim/error.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

constexpr std::size_t kShownStarts = 12, kKeptStarts = 256;
constexpr std::int64_t kListedFailures = 20;

std::string tiles_text(const Tiling& tiling) {
  std::string text = fmt::format("{} x {}", tiling.q_tile_rows, tiling.kv_tile_rows);
  if (tiling.splits > 1) text += fmt::format(", {} splits", tiling.splits);
  if (tiling.pack_gqa) text += ", heads of a group packed";
  return text;
}

std::string verdict(std::int64_t differing) {
  if (differing == 0) return styled("the same", Style::good);
  return styled(fmt::format("{} differ", grouped(differing)), Style::bad);
}

void print_start_order(const gpu::TraceCheck& check) {
  for (std::size_t phase = 0; phase < check.logs.size(); ++phase) {
    const std::vector<std::int64_t> order = gpu::start_order(check.logs[phase]);
    if (order.size() < 2) continue;
    std::string text;
    for (std::size_t n = 0; n < std::min(order.size(), kShownStarts); ++n) {
      text += fmt::format(" {}", order[n]);
    }
    if (order.size() > kShownStarts) text += fmt::format(" … {}", order.back());
    fmt::print("  {}\n", styled(fmt::format("{} started in the order{}",
                                            check.expected.phases[phase].name, text),
                                Style::dim));
  }
}

// One kernel and one kind of mask of the grid.
struct GridRow {
  std::int64_t problems = 0, failed = 0;
  gpu::TraceCounts counts;
  double used_share = 0;
};

void add(GridRow& row, const gpu::TraceCheck& check) {
  const gpu::TraceCounts total = check.comparison.total();
  ++row.problems;
  row.failed += check.passed() ? 0 : 1;
  row.counts.work_items += total.work_items;
  row.counts.steps += total.steps;
  row.counts.states += total.states;
  row.used_share = std::max(row.used_share, check.comparison.used_share);
}

const char* mask_name(const Mask& mask) {
  if (mask.causal) return "causal";
  return mask.window_left == kUnbounded ? "full" : "window";
}

std::string again(const Problem& p, const gpu::KernelConfig& kernel) {
  std::string text = fmt::format(
      "flashscope-gpu trace --algorithm {} --q-tile {} --kv-tile {} --batch {} --q-heads {} "
      "--kv-heads {} --q-len {} --kv-len {} --dtype {}",
      name_of(kernel.algorithm), kernel.q_tile_rows, kernel.kv_tile_rows, p.batch, p.q_heads,
      p.kv_heads, p.q_len, p.kv_len, name_of(p.dtype));
  if (p.mask.causal) text += " --causal";
  if (p.mask.window_left != kUnbounded) {
    text += fmt::format(" --window {},{}", p.mask.window_left, p.mask.window_right);
  }
  return text;
}

std::string first_failure(const gpu::TraceCheck& check) {
  if (check.comparison.differences.empty()) return check.result_failure;
  return describe(check.comparison.differences.front());
}

}  // namespace

void print_trace_check(const gpu::TraceCheck& check) {
  fmt::print("\n{}, {}, tiles {}\n", styled(check.program.algorithm().name, Style::title),
             describe(check.program.problem()), tiles_text(check.program.tiling()));
  Table table("lrrrl");
  table.header({"phase", "work items", "steps", "m and l", "as in the Program"});
  for (const gpu::TraceCounts& phase : check.comparison.phases) {
    table.row({phase.phase, grouped(phase.work_items), grouped(phase.steps),
               phase.states == 0 ? "-" : grouped(phase.states), verdict(phase.differing_items)});
  }
  fmt::print("{}", table.text());
  fmt::print("{}\n", wrapped(fmt::format("  m and ln l may differ by {:.1e} (twice the bound on "
                                         "an LSE's rounding: the kernel's and the simulator's); "
                                         "the largest difference is {:.0f} % of it.",
                                         check.tolerance, 100 * check.comparison.used_share)));
  print_start_order(check);
  if (!check.result_failure.empty()) {
    fmt::print("{}\n", wrapped("  The traced build's result: " + check.result_failure));
  }
  for (const gpu::TraceDifference& difference : check.comparison.differences) {
    fmt::print("{}\n", wrapped(describe(difference), 4));
  }
  const std::int64_t differing = check.comparison.total().differing_items;
  const auto listed = static_cast<std::int64_t>(check.comparison.differences.size());
  if (differing > listed) {
    fmt::print("… and {} more work items\n", grouped(differing - listed));
  }
}

Json to_json(const gpu::TraceCheck& check) {
  Json phases = Json::array(), differences = Json::array();
  for (std::size_t n = 0; n < check.comparison.phases.size(); ++n) {
    const gpu::TraceCounts& phase = check.comparison.phases[n];
    std::vector<std::int64_t> order = gpu::start_order(check.logs[n]);
    order.resize(std::min(order.size(), kKeptStarts));
    phases.push_back({{"name", phase.phase},
                      {"work_items", phase.work_items},
                      {"steps", phase.steps},
                      {"states", phase.states},
                      {"differing_work_items", phase.differing_items},
                      {"start_order", order}});
  }
  for (const gpu::TraceDifference& d : check.comparison.differences) {
    differences.push_back({{"phase", d.phase},
                           {"work_item", d.work_item},
                           {"batch", d.batch},
                           {"head", d.head},
                           {"step", d.step},
                           {"row", d.row},
                           {"what", d.what},
                           {"expected", d.expected},
                           {"got", d.got}});
  }
  const Tiling& tiling = check.program.tiling();
  return {{"problem", flashscope::to_json(check.program.problem())},
          {"algorithm", check.program.algorithm().name},
          {"q_tile", tiling.q_tile_rows},
          {"kv_tile", tiling.kv_tile_rows},
          {"splits", tiling.splits},
          {"pack_gqa", tiling.pack_gqa},
          {"tolerance", check.tolerance},
          {"largest_difference_of_allowed", check.comparison.used_share},
          {"phases", phases},
          {"differences", differences},
          {"result", check.result_failure},
          {"passed", check.passed()}};
}

int trace_whole_grid(gpu::Backend& backend, const ProblemOptions& options) {
  std::optional<gpu::Algorithm> algorithm;
  if (options.algorithm != "all") algorithm = gpu::algorithm_of(options.algorithm);
  const std::vector<gpu::KernelConfig> kernels =
      gpu::compiled_kernels(backend.limits(), algorithm, gpu::kTracedHeadDim);
  if (kernels.empty()) {
    throw Error(fmt::format("--algorithm {}: there is no traced kernel of it that fits this device",
                            options.algorithm));
  }
  const std::vector<Problem> grid = gpu::trace_grid();
  Table table("lllrrrrl");
  table.header({"kernel", "tiles", "mask", "problems", "steps", "m and l", "off by", ""});
  std::string failures;
  Json runs = Json::array();
  std::int64_t done = 0, failed = 0;
  ProgressBar bar("tracing");
  for (const gpu::KernelConfig& kernel : kernels) {
    gpu::LaunchOptions launch;
    launch.algorithm = kernel.algorithm;
    launch.q_tile = kernel.q_tile_rows;
    launch.kv_tile = kernel.kv_tile_rows;
    GridRow row;
    for (std::size_t n = 0; n < grid.size(); ++n) {
      const Scenario scenario = generated_scenario(grid[n], 1, Distribution{});
      const gpu::TraceCheck check = gpu::check_trace(backend, scenario, launch);
      add(row, check);
      bar.update(++done, static_cast<std::int64_t>(kernels.size() * grid.size()));
      if (options.json) runs.push_back(to_json(check));
      if (!check.passed() && failed + row.failed <= kListedFailures) {
        failures += fmt::format("\n{}\n    again: {}\n", wrapped(first_failure(check), 4),
                                styled(again(grid[n], kernel), Style::code));
      }
      const std::string mask = mask_name(grid[n].mask);
      if (n + 1 < grid.size() && mask == mask_name(grid[n + 1].mask)) continue;
      table.row({name_of(kernel.algorithm),
                 fmt::format("{} x {}", kernel.q_tile_rows, kernel.kv_tile_rows), mask,
                 grouped(row.problems), grouped(row.counts.steps), grouped(row.counts.states),
                 fmt::format("{:.0f} %", 100 * row.used_share), verdict(row.failed)});
      failed += row.failed;
      row = {};
    }
  }
  if (options.json) {
    fmt::print("{}\n", Json{{"schema", "flashscope.gpu_trace/1"},
                            {"device", backend.description()},
                            {"runs", runs}}
                           .dump(2));
    return failed > 0 ? 1 : 0;
  }
  fmt::print("{}\n{}{}\n", styled(backend.description(), Style::title), table.text(), failures);
  fmt::print(
      "{} of {} traced calls did what their Program does. `off by` is the largest\n"
      "difference of m and ln l, as a share of what rounding allows.\n",
      grouped(done - failed), grouped(done));
  return failed > 0 ? 1 : 0;
}

}  // namespace flashscope::terminal
