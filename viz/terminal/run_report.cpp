// Runs and their reports; see run_report.h.
#include "viz/terminal/run_report.h"

#include <chrono>

#include <fmt/format.h>

#include "viz/terminal/count_tables.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

// What `standard` would need in HBM beyond inputs and outputs; the simulation itself keeps a slab
// of one q tile's rows per thread.
std::int64_t score_matrix_bytes(const Program& program) {
  std::int64_t bytes = 0;
  const Problem& problem = program.problem();
  for (const Buffer& buffer : program.algorithm().buffers) {
    if (buffer.place != Place::hbm || buffer.columns != Dim::kv_len) continue;
    bytes += problem.batch * problem.q_heads * problem.q_len * problem.kv_len *
             bytes_per_element(format_of(buffer.stage, program.precision(), program.tiling()));
  }
  return bytes;
}

}  // namespace

RunReport run_and_verify(const Scenario& scenario, const Program& program,
                         const VerifyOptions& options) {
  RunReport report{make_outputs(program.problem(), program.precision()),
                   {Ledger(program.algorithm()), 0},
                   {},
                   0};
  const auto start = std::chrono::steady_clock::now();
  {
    ProgressBar bar("computing");
    report.totals = run(
        program, scenario.inputs, report.outputs,
        {options.threads, [&](std::int64_t done, std::int64_t total) { bar.update(done, total); }});
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ProgressBar bar("verifying");
  VerifyOptions with_progress = options;
  with_progress.progress = [&](std::int64_t done, std::int64_t total) { bar.update(done, total); };
  report.verification = verify(scenario, program.precision(), report.outputs, with_progress);
  return report;
}

std::string error_line(const RunReport& report) {
  const Verification& v = report.verification;
  if (v.verified_rows == 0) return "not verified";
  return fmt::format("max |O - fp64| {}, rmse {}, LSE {}",
                     styled(fmt::format("{:.2e}", v.max_abs_error), Style::good),
                     styled(fmt::format("{:.2e}", v.rmse), Style::good),
                     styled(fmt::format("{:.2e}", v.lse_max_abs_error), Style::good));
}

void print_run(const Scenario& scenario, const Program& program, const RunReport& report) {
  const Tiling& tiling = program.tiling();
  const Verification& v = report.verification;
  fmt::print("{}\n", wrapped(fmt::format("{} on {} ({}), tiles {}x{}",
                                         styled(program.algorithm().full_name(), Style::title),
                                         describe(scenario.problem), scenario.title,
                                         tiling.q_tile_rows, tiling.kv_tile_rows)));
  fmt::print("  error     {}\n", error_line(report));
  if (v.verified_rows > 0) {
    fmt::print("            {}; largest at batch {}, head {}, row {}\n",
               v.verified_rows == v.total_rows
                   ? fmt::format("all {} rows", grouped(v.total_rows))
                   : fmt::format("a sample of {} of {} rows", grouped(v.verified_rows),
                                 grouped(v.total_rows)),
               v.batch, v.head, v.row);
  }
  const Ledger& ledger = report.totals.ledger;
  fmt::print("  traffic   {} loaded, {} stored{}  {}\n",
             styled(readable_bytes(ledger.load_bytes()), Style::bytes),
             styled(readable_bytes(ledger.store_bytes()), Style::bytes),
             ledger.init_bytes() > 0 ? ", init " + readable_bytes(ledger.init_bytes()) : "",
             styled("(simulated)", Style::dim));
  const std::int64_t possible = ledger.work().rescales;
  if (possible > 0 && tiling.rescale_threshold) {
    const double saved = 100.0 * static_cast<double>(possible - report.totals.rescales_applied) /
                         static_cast<double>(possible);
    fmt::print("  rescales  {} of {}, {:.1f} % saved by the threshold {}\n",
               grouped(report.totals.rescales_applied), grouped(possible), saved,
               *tiling.rescale_threshold);
  }
  if (const std::int64_t bytes = score_matrix_bytes(program); bytes > 0) {
    fmt::print("  memory    S and P take {} of HBM; simulated one q tile's rows at a time\n",
               readable_bytes(bytes));
  }
  fmt::print("  time      {:.3f} s of this machine's processor\n", report.seconds);
}

Json run_json(const Scenario& scenario, const Program& program, const RunReport& report) {
  const Verification& v = report.verification;
  const bool verified = v.verified_rows > 0;
  const CountRow row = count_row(program);
  const auto error = [&](double value) { return verified ? number_json(value) : Json(nullptr); };
  return {{"schema", "flashscope.run/1"},
          {"problem", to_json(scenario.problem)},
          {"algorithm", program.algorithm().name},
          {"fault",
           program.algorithm().fault.empty() ? Json(nullptr) : Json(program.algorithm().fault)},
          {"max_abs_error", error(v.max_abs_error)},
          {"rmse", error(v.rmse)},
          {"lse_max_abs_error", error(v.lse_max_abs_error)},
          {"verified_rows", v.verified_rows},
          {"total_rows", v.total_rows},
          {"rescales_applied", report.totals.rescales_applied},
          {"counts", count_json(program, row.count,
                                row.closed_form ? Json(*row.closed_form) : Json(nullptr))},
          {"seconds", report.seconds}};
}

}  // namespace flashscope::terminal
