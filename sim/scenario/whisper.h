// Real attention inputs, embedded in the binary: Q, K and V of Whisper tiny.en while it transcribes
// speech (lessons/data/README.md says where they come from), with the outputs an independent
// program computed in fp64.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/io/array.h"
#include "sim/scenario/scenario.h"

namespace flashscope {

struct WhisperProblem {
  std::string_view name;    // as --problem takes it
  std::string_view prefix;  // of the tensors
  std::string_view summary;
  bool causal = false;
};

// whisper-encoder, whisper-decoder, whisper-cross.
const std::vector<WhisperProblem>& whisper_problems();

Scenario whisper_scenario(const WhisperProblem& problem);

// O (heads, q_len, head_dim) and LSE (heads, q_len), fp32.
struct WhisperExpected {
  io::Array o, lse;
};
WhisperExpected whisper_expected(const WhisperProblem& problem);

}  // namespace flashscope
