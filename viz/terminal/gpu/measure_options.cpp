// See measure_options.h.
#include "viz/terminal/gpu/measure_options.h"

#include <algorithm>
#include <array>
#include <ctime>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/setup/setup.h"

namespace flashscope::terminal {
namespace {

constexpr int kMostRepeats = 100000;
constexpr std::int64_t kMostTile = 1 << 16;

constexpr std::array kSimulatorOptions = std::to_array<const char*>(
    {"--problem", "--mask", "--q", "--k", "--v", "--tensors", "--prefix", "--layout",
     "--distribution", "--fault", "--pack-gqa", "--kv-order", "--rescale-threshold",
     "--fa1-workspace", "--precision", "--device", "--placement", "--threads"});

int tile(const std::optional<std::int64_t>& rows, const char* option) {
  if (!rows) return 0;
  if (*rows < 1 || *rows > kMostTile) {
    throw Error(fmt::format("{} is {}: it must be between 1 and {}", option, *rows, kMostTile));
  }
  return static_cast<int>(*rows);
}

}  // namespace

void add_kernel_problem_options(CLI::App& command, ProblemOptions& options) {
  add_problem_options(command, options);
  for (const char* const name : kSimulatorOptions) command.get_option(name)->group("");
  command.get_option("--dtype")->description("fp16 or bf16");
  command.get_option("--algorithm")->description("standard, fa1, fa2, split_kv, auto or all");
}

void refuse_others(const CLI::App& command, const std::string& why,
                   std::initializer_list<std::string_view> allowed) {
  for (const CLI::Option* const option : command.get_options()) {
    if (option->count() == 0) continue;
    const std::string name = "--" + option->get_lnames().front();
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      throw Error(fmt::format("{}: leave out {}", why, name));
    }
  }
}

Problem kernel_problem(const CLI::App& command, const ProblemOptions& options) {
  for (const char* const name : kSimulatorOptions) {
    if (command.get_option(name)->count() > 0) {
      throw Error(fmt::format("{}: the simulator has it, the kernels do not: leave it out", name));
    }
  }
  const Problem problem = problem_source(options, "").problem;
  if (problem.dtype != Format::fp16 && problem.dtype != Format::bf16) {
    throw Error(fmt::format("--dtype {}: the kernels take fp16 and bf16", name_of(problem.dtype)));
  }
  return problem;
}

std::vector<gpu::Choice> kernel_choices(const ProblemOptions& options) {
  const gpu::Choice tiles = {.q_tile = tile(options.q_tile, "--q-tile"),
                             .kv_tile = tile(options.kv_tile, "--kv-tile"),
                             .splits = tile(options.splits, "--splits")};
  std::vector<gpu::Choice> choices;
  if (options.algorithm != "all") {
    choices = {tiles};
    choices.front().algorithm = gpu::algorithm_of(options.algorithm);
    return choices;
  }
  for (const gpu::Algorithm algorithm : {gpu::Algorithm::standard, gpu::Algorithm::fa1,
                                         gpu::Algorithm::fa2, gpu::Algorithm::split_kv}) {
    choices.push_back(tiles);
    choices.back().algorithm = algorithm;
    // With `all`, options of one algorithm are not held against the others.
    if (algorithm != gpu::Algorithm::split_kv) choices.back().splits = 0;
  }
  return choices;
}

std::uint64_t seed_of(const ProblemOptions& options) { return options.seed.value_or(1); }

void add_repeat_option(CLI::App& command, int& repeats) {
  command.add_option("--repeat", repeats, "timed runs of each call; the median counts")
      ->capture_default_str();
}

gpu::TimingOptions timing_options(int repeats) {
  if (repeats < 1 || repeats > kMostRepeats) {
    throw Error(fmt::format("--repeat is {}: it must be between 1 and {}", repeats, kMostRepeats));
  }
  gpu::TimingOptions options;
  options.repeats = repeats;
  return options;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 16> text = {};
  std::tm local = {};
  if (localtime_r(&now, &local) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%d", &local) == 0) {
    return "unknown date";
  }
  return text.data();
}

Json device_json(const RecordedDevice& device) {
  Record record;
  record.device = device;
  return flashscope::to_json(record)["device"];
}

std::string describe(const RecordedDevice& device) {
  std::string text = fmt::format("{}, driver {}", device.name, device.driver);
  if (device.sm_clock_mhz) text += fmt::format(", clock {:.0f} MHz", *device.sm_clock_mhz);
  if (device.temperature_c) text += fmt::format(", {:.0f} C", *device.temperature_c);
  if (device.copy_bytes_per_s) {
    text += fmt::format(", copy {:.2f} TB/s", *device.copy_bytes_per_s / 1e12);
  }
  return text;
}

}  // namespace flashscope::terminal
