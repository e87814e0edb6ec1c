// What PyTorch's attention backends answered on a GPU (tests/data/pytorch, written by
// gpu/measure/pytorch_outputs.py): `diagnose` must find them right, and name PyTorch's convention
// where it differs from ours: its causal mask is aligned top-left.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "command.h"

using namespace flashscope::terminal_tests;

namespace {

struct Answer {
  std::string name, backend;
  bool causal;
};

nlohmann::json diagnosis_of(const Answer& answer) {
  const std::string folder = FLASHSCOPE_SOURCE_DIR "/tests/data/pytorch/";
  const std::string stem = folder + answer.name + ".";
  Arguments arguments = {"diagnose", "--json"};
  for (const std::string tensor : {"q", "k", "v"}) {
    arguments = arguments + Arguments{"--" + tensor, stem + tensor + ".npy"};
  }
  if (answer.causal) arguments.push_back("--causal");
  const std::string output = stem + answer.backend;
  arguments = arguments + Arguments{"--observed", output + ".o.npy"};
  if (std::filesystem::exists(output + ".lse.npy")) {
    arguments = arguments + Arguments{"--observed-lse", output + ".lse.npy"};
  }
  const Result result = run_command(arguments);
  CAPTURE(typed(arguments));
  CHECK(result.err == "");
  return nlohmann::json::parse(result.out);
}

}  // namespace

TEST_CASE("outputs of PyTorch's backends with grouped heads are right") {
  for (const std::string backend : {"sdpa_flash", "sdpa_cudnn"}) {
    CAPTURE(backend);
    const nlohmann::json diagnosis = diagnosis_of({"grouped", backend, false});
    CHECK(diagnosis["correct"] == true);
    CHECK(diagnosis["wrong_rows"] == 0);
  }
}

TEST_CASE("outputs of PyTorch's causal mask on rectangles are right by its convention") {
  for (const std::string name : {"wide_causal", "tall_causal"}) {
    for (const std::string backend : {"sdpa_efficient", "sdpa_cudnn"}) {
      CAPTURE(name);
      CAPTURE(backend);
      const nlohmann::json diagnosis = diagnosis_of({name, backend, true});
      REQUIRE(!diagnosis["candidates"].empty());
      CHECK(diagnosis["candidates"][0]["fault"] == "causal_top_left");
      CHECK(diagnosis["candidates"][0]["kind"] == "convention");
    }
  }
}
