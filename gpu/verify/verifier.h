// Every kernel on every named case, on calls that must be refused, and on random problems, each
// held against fp64; see oracle.h for how near is right, and guarded_problem.h for what else is
// watched.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/kernels/configs.h"
#include "gpu/verify/backend.h"
#include "gpu/verify/cases.h"
#include "gpu/verify/oracle.h"
#include "gpu/verify/trial.h"

namespace flashscope::gpu {

struct VerifyOptions {
  std::optional<Algorithm> algorithm;  // nothing: all that have kernels, and the automatic choice
  std::uint64_t seed = 1;
  // The case of this number, counted from 1, or the problem of the sweep.
  std::optional<std::int64_t> only;
  std::optional<std::int64_t> head_dim;  // nothing: all that have kernels
  // Trials with more multiplications for S are skipped (for slow backends).
  double most_work = 1e18;
  std::function<void(std::int64_t, std::int64_t)> progress;  // cases or problems done, in all
};

struct Failure {
  std::string what;   // kernel, problem, what is wrong
  std::string again;  // options of `flashscope-gpu verify` that run it again
};

struct GroupReport {
  std::string name;
  std::int64_t passed = 0, failed = 0, skipped = 0;
  std::string why_skipped;
  double used_share = 0;  // the largest error as a share of what is allowed
};

struct VerifyReport {
  std::vector<GroupReport> groups;
  std::vector<Failure> failures;
  std::string stopped;  // why the device can't go on; empty: it could

  std::int64_t passed() const;
  std::int64_t failed() const;
};

class Verifier {
 public:
  // Throws Error when no compiled kernel is of the algorithm and head_dim asked for. References
  // must outlive it.
  Verifier(Backend& backend, VerifyOptions options);

  void run_cases();
  void run_refusals();
  void run_sweep(std::int64_t problems);

  const VerifyReport& report() const { return report_; }

 private:
  using AgainOptions = std::function<std::string(const KernelConfig&)>;
  struct Prepared;  // a trial's tensors on the device, its oracle, its twins
  void run_case(const VerifyCase& one, std::int64_t number, GroupReport& group);
  void run_trial(const Trial& trial, const std::vector<KernelConfig>& kernels, GroupReport& group,
                 const AgainOptions& again);
  void run_kernel(Prepared& prepared, const KernelConfig& kernel, GroupReport& group,
                  const AgainOptions& again);
  std::string failure_of(Prepared& prepared, const KernelConfig& kernel, const Plan& planned,
                         double& used_share);
  std::string why_not(const Trial& trial, const KernelConfig& kernel) const;
  void skip(GroupReport& group, std::int64_t runs, std::string why);
  void add_failure(GroupReport& group, std::string what, std::string again);

  Backend& backend_;
  VerifyOptions options_;
  std::vector<KernelConfig> kernels_;
  VerifyReport report_;
};

}  // namespace flashscope::gpu
