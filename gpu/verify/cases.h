// Named cases: small problems of kinds that broke real attention implementations, each with what
// makes it hard as its name. And calls that must be refused.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/verify/trial.h"

namespace flashscope::gpu {

struct VerifyCase {
  std::string name;
  // For one head_dim and dtype; empty when there is none for them.
  std::function<std::vector<Trial>(const Element&)> trials;
};
const std::vector<VerifyCase>& verify_cases();

// An edit that makes a call one that no kernel may take, and words that the refusal must hold.
struct Refusal {
  std::string name;
  std::function<void(AttentionCall&)> spoil;
  std::vector<std::string> words;
};
const std::vector<Refusal>& refusals();

}  // namespace flashscope::gpu
