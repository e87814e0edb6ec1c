// Calls that must be refused, tried on a backend; see verifier.h.
#include <algorithm>

#include <fmt/format.h>

#include "gpu/verify/kernel_list.h"
#include "gpu/verify/verifier.h"
#include "sim/error.h"

namespace flashscope::gpu {

void Verifier::run_refusals() {
  GroupReport group;
  group.name = "calls that must be refused, with a message that says why";
  const Trial base = trial({kernels_.front().head_dim, Format::fp16}, 2, 4, 2, 8, 16);
  const Scenario scenario = make_scenario(base);
  const GuardedProblem problem(backend_, scenario, base.layout);
  const AttentionCall call = problem.call(launch_options(base, {Algorithm::automatic, 0, 0, 0}));
  const auto refuse = [&](const std::string& name, const AttentionCall& spoilt,
                          const std::vector<std::string>& words) {
    std::string failure = "was not refused";
    try {
      backend_.attention(spoilt, nullptr);
      backend_.wait();
    } catch (const Error& error) {
      const std::string message = error.what();
      const bool says_why = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
        return message.find(word) != std::string::npos;
      });
      failure = says_why ? "" : fmt::format("was refused with '{}'", message);
    }
    if (failure.empty()) {
      ++group.passed;
    } else {
      add_failure(group, fmt::format("{}: {}", name, failure), "--cases");
    }
  };
  for (const Refusal& refusal : refusals()) {
    AttentionCall spoilt = call;
    refusal.spoil(spoilt);
    refuse(refusal.name, spoilt, refusal.words);
  }
  for (const KernelConfig& kernel : kernels_) {
    AttentionCall small = problem.call(launch_options(base, kernel));
    if (kernel.head_dim != base.problem.head_dim || !is_default(kernel, kernels_) ||
        plan(small, backend_.limits()).workspace_bytes == 0) {
      continue;
    }
    small.workspace = const_cast<void*>(small.q);
    small.workspace_bytes = 1;
    refuse(fmt::format("a workspace of 1 byte for {}", name_of(kernel.algorithm)), small,
           {"workspace_bytes", "1"});
  }
  report_.groups.push_back(std::move(group));
}

}  // namespace flashscope::gpu
