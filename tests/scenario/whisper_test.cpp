// Tensors of a real model against answers that were computed elsewhere, in fp64, and lie beside
// them in a file: so this test does not lean on our reference, which is itself held against the
// file.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "run_support.h"
#include "sim/io/safetensors.h"
#include "sim/scenario/from_arrays.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

constexpr const char* kFolder = FLASHSCOPE_SOURCE_DIR "/lessons/data/";

std::vector<std::string> names() {
  if (!kFastBuild) return {"decoder.1.self"};
  return {"encoder.2", "decoder.1.self", "decoder.1.cross"};
}

Scenario whisper(const std::string& name) {
  const auto file = io::SafetensorsFile::open(std::string(kFolder) + "whisper_tiny_en.safetensors");
  Scenario scenario = scenario_from_arrays(file.tensor(name + ".q"), file.tensor(name + ".k"),
                                           file.tensor(name + ".v"), Layout::bhsd, name);
  scenario.problem.mask.causal = name == "decoder.1.self";
  return scenario;
}

std::vector<double> values(const TensorView& view) {
  std::vector<double> all;
  std::vector<float> row(static_cast<std::size_t>(view.shape[3]));
  for (std::int64_t h = 0; h < view.shape[1]; ++h) {
    for (std::int64_t r = 0; r < view.shape[2]; ++r) {
      view.read_row(0, h, r, row);
      all.insert(all.end(), row.begin(), row.end());
    }
  }
  return all;
}

// O and LSE from the file of answers.
Truth expected(const std::string& name, const Scenario& scenario) {
  const auto file =
      io::SafetensorsFile::open(std::string(kFolder) + "whisper_tiny_en_expected.safetensors");
  io::Array lse = file.tensor(name + ".lse");
  lse.shape.push_back(1);
  lse.strides.push_back(1);
  return Truth(scenario, Format::fp16,
               values(tensor_view(file.tensor(name + ".o"), Layout::bhsd, "o")),
               values(tensor_view(lse, Layout::bhsd, "lse")));
}

}  // namespace

TEST_CASE("our reference agrees with the answers that came with Whisper's tensors") {
  for (const std::string& name : names()) {
    CAPTURE(name);
    const Scenario scenario = whisper(name);
    const Truth ours(scenario, Format::fp16), theirs = expected(name, scenario);
    REQUIRE(ours.o().size() == theirs.o().size());
    REQUIRE(ours.lse().size() == theirs.lse().size());
    double worst = 0, worst_lse = 0;
    for (std::size_t n = 0; n < ours.o().size(); ++n) {
      worst = std::max(worst, std::abs(ours.o()[n] - theirs.o()[n]));
    }
    for (std::size_t n = 0; n < ours.lse().size(); ++n) {
      worst_lse = std::max(worst_lse, std::abs(ours.lse()[n] - theirs.lse()[n]));
    }
    // Half an ulp of fp32, in which they are stored: |O| < 8 and |LSE| < 32 in these tensors.
    REQUIRE(theirs.max_o() < 8);
    CHECK(worst <= 0x1p-22);
    CHECK(worst_lse <= 0x1p-20);
  }
}

TEST_CASE("Whisper's attention is right in fp32, fp16 and bf16 on every algorithm") {
  for (const std::string& tensors : names()) {
    Scenario scenario = whisper(tensors);
    const Truth truth = expected(tensors, scenario);
    for (const Format dtype : {Format::fp32, Format::fp16, Format::bf16}) {
      scenario.problem.dtype = dtype;
      // bf16 rounds the fp16 inputs again, so there the file's answers are not the rounded
      // problem's.
      const Truth rounded = dtype == Format::bf16 ? Truth(scenario, dtype) : truth;
      const double plain =
          dtype == Format::fp32 ? 0 : plain_attention_error(scenario, dtype, rounded);
      double standard_error = 0;
      for (const char* name : {"standard", "fa1", "fa2", "split_kv"}) {
        Variant variant{name, Tiling{}};
        if (variant.algorithm == "split_kv") variant.tiling.splits = 3;
        const std::string what = describe(scenario.problem) + ": " + describe(variant);
        CAPTURE(what);
        const Result result = run_variant(scenario, variant, 2);
        CHECK(rounded.worst_share(result.outputs, result.program.precision()) <= 1);
        const double error = rounded.max_error(result.outputs);
        if (variant.algorithm == "standard") standard_error = error;
        if (dtype == Format::fp32) {
          CHECK(error <= 1e-5);
        } else {
          CHECK(error <= 2 * plain + unit_roundoff(dtype) * truth.max_o());
          // Only the standard one rounds S, and it shows.
          if (variant.algorithm != "standard") CHECK(error < standard_error);
        }
      }
    }
  }
}
