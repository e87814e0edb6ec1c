// The embedded tensors; see whisper.h.
#include "sim/scenario/whisper.h"

#include "sim/io/safetensors.h"
#include "sim/scenario/from_arrays.h"

// The assembler copies the two files into the read-only data of this object file.
// FLASHSCOPE_DATA_FOLDER comes from the build.
__asm__(
    ".section .rodata\n"
    ".balign 64\n"
    "flashscope_whisper_inputs:\n"
    ".incbin \"" FLASHSCOPE_DATA_FOLDER
    "/whisper_tiny_en.safetensors\"\n"
    "flashscope_whisper_inputs_end:\n"
    ".balign 64\n"
    "flashscope_whisper_expected:\n"
    ".incbin \"" FLASHSCOPE_DATA_FOLDER
    "/whisper_tiny_en_expected.safetensors\"\n"
    "flashscope_whisper_expected_end:\n"
    ".previous\n");

extern "C" {
extern const std::byte flashscope_whisper_inputs[];
extern const std::byte flashscope_whisper_inputs_end[];
extern const std::byte flashscope_whisper_expected[];
extern const std::byte flashscope_whisper_expected_end[];
}

namespace flashscope {
namespace {

io::SafetensorsFile embedded(const std::byte* begin, const std::byte* end, const char* name) {
  // Static data: the pointer owns nothing.
  const std::shared_ptr<const std::byte> data(begin, [](const std::byte*) {});
  return io::SafetensorsFile::parse({data, static_cast<std::size_t>(end - begin), name});
}

}  // namespace

const std::vector<WhisperProblem>& whisper_problems() {
  static const std::vector<WhisperProblem> kProblems = {
      {"whisper-encoder", "encoder.2", "Whisper tiny.en, encoder layer 2, self-attention", false},
      {"whisper-decoder", "decoder.1.self", "Whisper tiny.en, decoder layer 1, self-attention",
       true},
      {"whisper-cross", "decoder.1.cross", "Whisper tiny.en, decoder layer 1, cross-attention",
       false},
  };
  return kProblems;
}

Scenario whisper_scenario(const WhisperProblem& problem) {
  const io::SafetensorsFile file =
      embedded(flashscope_whisper_inputs, flashscope_whisper_inputs_end, "whisper_tiny_en");
  const std::string prefix(problem.prefix);
  Scenario scenario =
      scenario_from_arrays(file.tensor(prefix + ".q"), file.tensor(prefix + ".k"),
                           file.tensor(prefix + ".v"), Layout::bhsd, std::string(problem.name));
  scenario.problem.mask.causal = problem.causal;
  return scenario;
}

WhisperExpected whisper_expected(const WhisperProblem& problem) {
  const io::SafetensorsFile file = embedded(
      flashscope_whisper_expected, flashscope_whisper_expected_end, "whisper_tiny_en_expected");
  const std::string prefix(problem.prefix);
  return {file.tensor(prefix + ".o"), file.tensor(prefix + ".lse")};
}

}  // namespace flashscope
