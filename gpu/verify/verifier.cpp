// See verifier.h.
#include "gpu/verify/verifier.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "gpu/verify/kernel_list.h"
#include "gpu/verify/sweep.h"
#include "sim/error.h"

namespace flashscope::gpu {
namespace {

constexpr std::int64_t kSmallBytes = 256 << 20;  // below it, free memory is not asked for

// Without an algorithm asked for, also the automatic choice for each head_dim.
std::vector<KernelConfig> kernels_to_verify(const VerifyOptions& options,
                                            const DeviceLimits& limits) {
  std::vector<KernelConfig> kernels = compiled_kernels(limits, options.algorithm, options.head_dim);
  if (options.algorithm) return kernels;
  std::set<int> head_dims;
  for (const KernelConfig& kernel : kernels) head_dims.insert(kernel.head_dim);
  for (const int head_dim : head_dims) {
    kernels.push_back({Algorithm::automatic, head_dim, 0, 0});
  }
  return kernels;
}

std::string kernel_text(const KernelConfig& kernel) {
  if (kernel.algorithm == Algorithm::automatic) return name_of(kernel.algorithm);
  return fmt::format("{} {} x {}", name_of(kernel.algorithm), kernel.q_tile_rows,
                     kernel.kv_tile_rows);
}

std::string gigabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

std::string too_large_for_device(std::int64_t bytes, const Backend& backend) {
  return fmt::format("needs {} of device memory, {} are free", gigabytes(bytes),
                     gigabytes(backend.free_bytes()));
}

std::string options_of(std::optional<Algorithm> algorithm, std::optional<std::int64_t> head_dim) {
  return (algorithm ? fmt::format(" --algorithm {}", name_of(*algorithm)) : "") +
         (head_dim ? fmt::format(" --head-dim {}", *head_dim) : "");
}

double work(const Problem& p) {
  return static_cast<double>(p.batch * p.q_heads) * static_cast<double>(p.q_len) *
         static_cast<double>(p.kv_len) * static_cast<double>(p.head_dim);
}

// Rows of a q tile that visits the NaN's kv tile may catch it; standard visits all.
std::function<bool(std::int64_t, std::int64_t)> may_be_nan(const Trial& trial, const Plan& plan) {
  if (!trial.nan_value) return nullptr;
  const Problem& p = trial.problem;
  const Band band =
      make_band(p.q_len, p.kv_len, p.mask.causal, p.mask.window_left, p.mask.window_right);
  return [=, nan = *trial.nan_value, q_len = p.q_len](std::int64_t row, std::int64_t column) {
    if (column != nan.column) return false;
    if (plan.algorithm == Algorithm::standard) return true;
    const std::int64_t q_tile = row / plan.config.q_tile_rows;
    return classify(band, tile_rows(q_tile, plan.config.q_tile_rows, q_len),
                    nan.key / plan.config.kv_tile_rows,
                    plan.config.kv_tile_rows) != TileClass::empty;
  };
}

}  // namespace

std::int64_t VerifyReport::passed() const {
  std::int64_t sum = 0;
  for (const GroupReport& group : groups) sum += group.passed;
  return sum;
}

std::int64_t VerifyReport::failed() const {
  std::int64_t sum = 0;
  for (const GroupReport& group : groups) sum += group.failed;
  return sum;
}

struct Verifier::Prepared {
  Prepared(Backend& backend, const Trial& of)
      : trial(of),
        scenario(make_scenario(of)),
        oracle(scenario, of.seed),
        problem(backend, scenario, of.layout) {
    if (of.same_as) {
      same_scenario = scenario;
      same_scenario.problem = *of.same_as;
      twins.push_back(std::make_unique<GuardedProblem>(backend, same_scenario, of.layout));
      twin_names.push_back("without its mask");
    }
    if (of.as_in) {
      twins.push_back(std::make_unique<GuardedProblem>(backend, scenario, *of.as_in));
      twin_names.push_back(fmt::format("in layout {}", name_of(*of.as_in)));
    }
  }
  const Trial& trial;
  Scenario scenario, same_scenario;
  Oracle oracle;
  GuardedProblem problem;
  std::vector<std::unique_ptr<GuardedProblem>> twins;
  std::vector<std::string> twin_names;
};

Verifier::Verifier(Backend& backend, VerifyOptions options)
    : backend_(backend),
      options_(std::move(options)),
      kernels_(kernels_to_verify(options_, backend_.limits())) {
  if (kernels_.empty()) {
    throw Error(
        fmt::format("there is no compiled kernel of algorithm {}{} that fits this device",
                    options_.algorithm ? name_of(*options_.algorithm) : "all",
                    options_.head_dim ? fmt::format(" and head_dim {}", *options_.head_dim) : ""));
  }
}

// Empty, or why the trial is left out on this kernel.
std::string Verifier::why_not(const Trial& trial, const KernelConfig& kernel) const {
  if (kernel.algorithm == Algorithm::standard) {
    if (trial.nan_in_hidden_tiles) return "standard multiplies hidden tiles by 0";
    if (trial.scores_exceed_fp16 && trial.problem.dtype == Format::fp16) {
      return "standard keeps S in fp16, which ends at 65504";
    }
  }
  if (work(trial.problem) > options_.most_work) return "too large";
  return "";
}

void Verifier::add_failure(GroupReport& group, std::string what, std::string again) {
  ++group.failed;
  report_.failures.push_back({std::move(what), std::move(again)});
}

void Verifier::skip(GroupReport& group, std::int64_t runs, std::string why) {
  group.skipped += runs;
  group.why_skipped = std::move(why);
}

std::string Verifier::failure_of(Prepared& prepared, const KernelConfig& kernel,
                                 const Plan& planned, double& used_share) {
  const Trial& trial = prepared.trial;
  const LaunchOptions launch = launch_options(trial, kernel);
  const RunResult result = prepared.problem.run(launch);
  if (!result.damage.empty()) return result.damage;
  const Check check =
      prepared.oracle.check(result, {planned.algorithm, trial.exact_o, may_be_nan(trial, planned)});
  used_share = check.used_share;
  if (!check.failure.empty()) return check.failure;
  for (int n = 1; n < trial.calls; ++n) {
    const RunResult again = prepared.problem.run(launch);
    if (again.o != result.o || again.lse != result.lse) {
      return fmt::format("call {} gave other bits than the first", n + 1);
    }
  }
  for (std::size_t n = 0; n < prepared.twins.size(); ++n) {
    const RunResult twin = prepared.twins[n]->run(launch);
    if (twin.o != result.o || twin.lse != result.lse) {
      return fmt::format("not the bits that the same problem has {}", prepared.twin_names[n]);
    }
  }
  return "";
}

void Verifier::run_kernel(Prepared& prepared, const KernelConfig& kernel, GroupReport& group,
                          const AgainOptions& again) {
  std::string failure;
  double used_share = 0;
  try {
    const Plan planned =
        plan(prepared.problem.call(launch_options(prepared.trial, kernel)), backend_.limits());
    const auto workspace = static_cast<std::int64_t>(planned.workspace_bytes);
    if (workspace > kSmallBytes && workspace > backend_.free_bytes()) {
      skip(group, 1, too_large_for_device(workspace, backend_));
      return;
    }
    failure = failure_of(prepared, kernel, planned, used_share);
  } catch (const Error& error) {
    failure = error.what();
    if (!backend_.is_usable()) report_.stopped = failure;
  }
  group.used_share = std::max(group.used_share, used_share);
  if (failure.empty()) {
    ++group.passed;
    return;
  }
  add_failure(group,
              fmt::format("{}, {}: {}", kernel_text(kernel), describe(prepared.trial), failure),
              again(kernel));
}

void Verifier::run_trial(const Trial& trial, const std::vector<KernelConfig>& kernels,
                         GroupReport& group, const AgainOptions& again) {
  std::vector<KernelConfig> wanted;
  for (const KernelConfig& kernel : kernels) {
    if (trial.default_tiles_only && !is_default(kernel, kernels)) continue;
    const std::string reason = why_not(trial, kernel);
    if (reason.empty()) {
      wanted.push_back(kernel);
    } else {
      skip(group, 1, reason);
    }
  }
  if (wanted.empty()) return;
  // Twice: for twins, and for the copies of the inputs that a busy stream needs.
  const std::int64_t needed = 2 * GuardedProblem::bytes_needed(trial.problem, trial.layout);
  if (needed > kSmallBytes && needed > backend_.free_bytes()) {
    skip(group, static_cast<std::int64_t>(wanted.size()), too_large_for_device(needed, backend_));
    return;
  }
  Prepared prepared(backend_, trial);
  for (const KernelConfig& kernel : wanted) {
    if (!report_.stopped.empty()) return;
    run_kernel(prepared, kernel, group, again);
  }
}

void Verifier::run_case(const VerifyCase& one, std::int64_t number, GroupReport& group) {
  std::set<int> head_dims;
  for (const KernelConfig& kernel : kernels_) head_dims.insert(kernel.head_dim);
  for (const int head_dim : head_dims) {
    std::vector<KernelConfig> kernels;
    std::copy_if(kernels_.begin(), kernels_.end(), std::back_inserter(kernels),
                 [&](const KernelConfig& kernel) { return kernel.head_dim == head_dim; });
    for (const Format dtype : {Format::fp16, Format::bf16}) {
      for (const Trial& trial : one.trials({head_dim, dtype})) {
        if (!report_.stopped.empty()) return;
        run_trial(trial, kernels, group, [number](const KernelConfig& kernel) {
          const std::string again = fmt::format("--cases --only {}", number);
          if (kernel.algorithm == Algorithm::automatic) return again;
          return again + options_of(kernel.algorithm, kernel.head_dim);
        });
      }
    }
  }
}

void Verifier::run_cases() {
  const auto count = static_cast<std::int64_t>(verify_cases().size());
  if (options_.only && (*options_.only < 1 || *options_.only > count)) {
    throw Error(fmt::format("--only {}: there are cases 1 to {}", *options_.only, count));
  }
  for (std::int64_t n = 1; n <= count && report_.stopped.empty(); ++n) {
    if (options_.only && n != *options_.only) continue;
    const VerifyCase& one = verify_cases()[static_cast<std::size_t>(n - 1)];
    GroupReport group;
    group.name = one.name;
    run_case(one, n, group);
    report_.groups.push_back(std::move(group));
    if (options_.progress) options_.progress(n, count);
  }
}

void Verifier::run_sweep(std::int64_t problems) {
  GroupReport group;
  group.name = fmt::format("random problems, seed {}", options_.seed);
  for (std::int64_t n = 0; n < problems && report_.stopped.empty(); ++n) {
    if (options_.only && n != *options_.only) continue;
    const SweepTrial one = sweep_trial(options_.seed, n, kernels_);
    // Which kernel a problem meets depends on those there are to choose from.
    const std::string again =
        fmt::format("--sweep {} --seed {} --only {}{}", problems, options_.seed, n,
                    options_of(options_.algorithm, options_.head_dim));
    run_trial(one.trial, {one.kernel}, group, [&](const KernelConfig&) { return again; });
    if (options_.progress) options_.progress(n + 1, problems);
  }
  report_.groups.push_back(std::move(group));
}

}  // namespace flashscope::gpu
