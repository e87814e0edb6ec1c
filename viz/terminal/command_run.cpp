// `flashscope run`: computes attention with one algorithm and precision, compares with fp64,
// writes.
#include <chrono>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/attention/closed_forms.h"
#include "sim/error.h"
#include "sim/io/npy.h"
#include "sim/io/safetensors.h"
#include "sim/machine/runner.h"
#include "sim/scenario/problem_json.h"
#include "sim/scenario/verify.h"
#include "sim/setup/setup.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/count_tables.h"
#include "viz/terminal/run_report.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

struct RunCommandOptions {
  ProblemOptions problem;
  std::string verify = "auto", reference_input = "rounded";
  std::string out, lse;
};

VerifyRows parse_verify(const std::string& text) {
  if (text == "auto") return VerifyRows::automatic;
  if (text == "all") return VerifyRows::all;
  if (text == "sample") return VerifyRows::sample;
  if (text == "none") return VerifyRows::none;
  throw Error(fmt::format("--verify '{}': use auto, all, sample or none", text));
}

ReferenceInput parse_reference_input(const std::string& text) {
  if (text == "rounded") return ReferenceInput::rounded;
  if (text == "exact") return ReferenceInput::exact;
  throw Error(fmt::format("--reference-input '{}': use rounded or exact", text));
}

io::ElementType element_type(Format format) {
  switch (format) {
    case Format::fp16:
      return io::ElementType::f16;
    case Format::bf16:
      return io::ElementType::bf16;
    case Format::e4m3:
      return io::ElementType::e4m3;
    case Format::fp32:
      break;
  }
  return io::ElementType::f32;
}

// numpy knows neither bf16 nor e4m3: those are written as fp32, which holds their values exactly.
void write_tensor(const std::string& path, const Tensor& tensor, bool is_vector) {
  const Shape& s = tensor.shape();
  std::vector<std::int64_t> shape(s.begin(), s.end());
  if (is_vector) shape.pop_back();
  if (tensor.format() == Format::fp32 || tensor.format() == Format::fp16) {
    io::write_npy(path, element_type(tensor.format()), shape, tensor.bytes());
    return;
  }
  Tensor wide(Format::fp32, s);
  std::vector<float> row(static_cast<std::size_t>(s[3]));
  for (std::int64_t n = 0; n < s[0] * s[1] * s[2]; ++n) {
    tensor.read_row(0, 0, n, row);  // dense: rows follow each other
    wide.write_row(0, 0, n, row);
  }
  io::write_npy(path, io::ElementType::f32, shape, wide.bytes());
}

void write_outputs(const RunCommandOptions& options, const Outputs& outputs) {
  if (!options.out.empty()) write_tensor(options.out, outputs.o, false);
  if (!options.lse.empty()) write_tensor(options.lse, outputs.lse, true);
}

int run_command(const RunCommandOptions& options) {
  const VerifyRows verify_rows = parse_verify(options.verify);
  const ReferenceInput reference_input = parse_reference_input(options.reference_input);
  if (options.problem.algorithm == "all") {
    throw Error("run computes one algorithm: --algorithm all is for count");
  }
  if (!options.out.empty() && options.out == options.lse) {
    throw Error("--out and --lse name the same file: one would overwrite the other");
  }
  const Setup setup = set_up(options.problem, Purpose::compute, "");
  print_note(setup.note);
  const Program& program = setup.programs.front();
  const Scenario scenario = setup.make_scenario();
  RunReport report = run_and_verify(scenario, program,
                                    {verify_rows, reference_input, options.problem.threads, {}});
  write_outputs(options, report.outputs);
  if (options.problem.json) {
    fmt::print("{}\n", run_json(scenario, program, report).dump(2));
  } else {
    print_run(scenario, program, report);
    if (!options.out.empty()) fmt::print("  O written to {}\n", options.out);
    if (!options.lse.empty()) fmt::print("  LSE written to {}\n", options.lse);
  }
  return 0;
}

}  // namespace

Action add_run(CLI::App& command) {
  const auto options = std::make_shared<RunCommandOptions>();
  add_problem_options(command, options->problem);
  command.add_option("--verify", options->verify,
                     "auto (all rows while cheap, else a sample), all, sample or none");
  command.add_option("--reference-input", options->reference_input,
                     "what fp64 reads: rounded to the dtype, or exact, as before rounding");
  command.add_option("--out", options->out, "write O to this .npy file");
  command.add_option("--lse", options->lse, "write LSE to this .npy file");
  command.footer(defaults_help());
  return [options] { return run_command(*options); };
}

}  // namespace flashscope::terminal
