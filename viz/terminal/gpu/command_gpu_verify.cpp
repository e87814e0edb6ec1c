// `flashscope-gpu verify`: every kernel on named cases, refusals and random problems.
#include <algorithm>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "gpu/measure/measure.h"
#include "gpu/verify/cuda_backend.h"
#include "gpu/verify/verifier.h"
#include "sim/error.h"
#include "sim/scenario/problem_json.h"
#include "viz/terminal/gpu/gpu_commands.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

constexpr std::int64_t kDefaultSweep = 300, kMostSweep = 1'000'000;
constexpr std::size_t kListedFailures = 20;

struct VerifyCommandOptions {
  std::string algorithm = "all";
  bool cases = false;
  std::optional<std::int64_t> sweep, only, head_dim;
  std::uint64_t seed = 1;
  bool json = false;
};

gpu::VerifyOptions verify_options(const VerifyCommandOptions& options) {
  if (options.cases && options.sweep) {
    throw Error("--cases and --sweep are two parts of verify: give one, or neither for both");
  }
  if (options.only && !options.cases && !options.sweep) {
    throw Error("--only picks one of the --cases or of a --sweep: give one of these too");
  }
  if (options.sweep && (*options.sweep < 1 || *options.sweep > kMostSweep)) {
    throw Error(
        fmt::format("--sweep is {}: it must be between 1 and {}", *options.sweep, kMostSweep));
  }
  if (options.only && *options.only < (options.cases ? 1 : 0)) {
    throw Error(fmt::format("--only is {}: cases count from 1, problems from 0", *options.only));
  }
  if (options.only && options.sweep && *options.only >= *options.sweep) {
    throw Error(fmt::format("--only is {}: --sweep {} has the problems 0 to {}", *options.only,
                            *options.sweep, *options.sweep - 1));
  }
  gpu::VerifyOptions result;
  if (options.algorithm != "all") result.algorithm = gpu::algorithm_of(options.algorithm);
  if (result.algorithm == gpu::Algorithm::automatic) {
    throw Error("--algorithm auto: verify one algorithm, or all, which tries auto too");
  }
  result.seed = options.seed;
  result.only = options.only;
  result.head_dim = options.head_dim;
  return result;
}

Json to_json(const gpu::VerifyReport& report, const std::string& device, std::uint64_t seed) {
  Json groups = Json::array(), failures = Json::array();
  for (const gpu::GroupReport& group : report.groups) {
    groups.push_back({{"name", group.name},
                      {"passed", group.passed},
                      {"failed", group.failed},
                      {"left_out", group.skipped},
                      {"why_left_out", group.why_skipped},
                      {"largest_error_of_allowed", group.used_share}});
  }
  for (const gpu::Failure& failure : report.failures) {
    failures.push_back({{"what", failure.what}, {"again", failure.again}});
  }
  return {{"schema", "flashscope.gpu_verify/1"},
          {"device", device},
          {"seed", seed},
          {"groups", groups},
          {"failures", failures},
          {"stopped", report.stopped},
          {"passed", report.passed()},
          {"failed", report.failed()}};
}

void print_groups(const gpu::VerifyReport& report) {
  fmt::print("{}\n", styled("  passed  failed", Style::title));
  for (const gpu::GroupReport& group : report.groups) {
    const std::string failed = fmt::format("{:>8}", grouped(group.failed));
    fmt::print("{:>8}{}  {}\n", grouped(group.passed),
               group.failed > 0 ? styled(failed, Style::bad) : failed, group.name);
    if (group.skipped == 0) continue;
    fmt::print("{}\n",
               styled(fmt::format("{:18}{} left out: {}", "", group.skipped, group.why_skipped),
                      Style::dim));
  }
}

void print_failures(const gpu::VerifyReport& report) {
  const std::size_t listed = std::min(report.failures.size(), kListedFailures);
  for (std::size_t n = 0; n < listed; ++n) {
    const gpu::Failure& failure = report.failures[n];
    fmt::print("\n{}\n    again: {}\n", wrapped(failure.what, 4),
               styled("flashscope-gpu verify " + failure.again, Style::code));
  }
  if (report.failures.size() > listed) {
    fmt::print("\n… and {} more\n", report.failures.size() - listed);
  }
  if (!report.stopped.empty()) {
    fmt::print("\n{}\n", wrapped(fmt::format("Stopped: the device does not answer any more after "
                                             "this: {}",
                                             report.stopped)));
  }
}

double largest_share(const gpu::VerifyReport& report) {
  double largest = 0;
  for (const gpu::GroupReport& group : report.groups) {
    largest = std::max(largest, group.used_share);
  }
  return largest;
}

int verify_command(const VerifyCommandOptions& options) {
  gpu::VerifyOptions wanted = verify_options(options);
  const std::unique_ptr<gpu::Backend> backend = gpu::cuda_backend();
  ProgressBar bar("verifying");
  wanted.progress = [&](std::int64_t done, std::int64_t total) { bar.update(done, total); };
  gpu::Verifier verifier(*backend, wanted);
  if (!options.sweep) {
    if (!options.only) verifier.run_refusals();
    verifier.run_cases();
  }
  if (!options.cases) verifier.run_sweep(options.sweep.value_or(kDefaultSweep));
  const gpu::VerifyReport& report = verifier.report();
  const bool failed = report.failed() > 0 || !report.stopped.empty();
  if (options.json) {
    fmt::print("{}\n", to_json(report, backend->description(), options.seed).dump(2));
    return failed ? 1 : 0;
  }
  fmt::print("{}\n", styled(backend->description(), Style::title));
  print_groups(report);
  print_failures(report);
  fmt::print("\n{} passed, {} failed; the largest error is {:.0f} % of what rounding allows\n",
             grouped(report.passed()),
             styled(grouped(report.failed()), failed ? Style::bad : Style::good),
             100 * largest_share(report));
  return failed ? 1 : 0;
}

}  // namespace

Action add_gpu_verify(CLI::App& command) {
  const auto options = std::make_shared<VerifyCommandOptions>();
  command.add_option("--algorithm", options->algorithm,
                     "standard, fa1, fa2, split_kv, or all (the default)");
  command.add_option("--head-dim", options->head_dim, "kernels of one head_dim only");
  command.add_flag("--cases", options->cases, "the named cases and refusals only");
  command.add_option("--sweep", options->sweep, "so many random problems only (default: 300)");
  command.add_option("--seed", options->seed, "of the random problems")->capture_default_str();
  command.add_option("--only", options->only, "one case (from 1) or problem (from 0) of these");
  command.add_flag("--json", options->json, "machine-readable output");
  command.footer(
      "Each result is held against fp64 and may be off by twice the error of standard\n"
      "attention in the same precision, plus rounding; around every tensor lies memory\n"
      "that must not be read or written. Exit code 1 when something failed.");
  return [options] { return verify_command(*options); };
}

}  // namespace flashscope::terminal
