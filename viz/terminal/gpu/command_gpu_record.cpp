// `flashscope-gpu record`: the fixed set of measurements, as a file that `flashscope compare` holds
// against the simulator on any machine.
#include <memory>

#include <fmt/format.h>

#include "gpu/measure/ncu_csv.h"
#include "gpu/measure/record_set.h"
#include "gpu/measure/recorded_traces.h"
#include "sim/error.h"
#include "sim/io/write_file.h"
#include "viz/terminal/gpu/measure_commands.h"
#include "viz/terminal/gpu/measure_options.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

struct RecordOptions {
  std::string out, counters_csv;
  int repeats = 30;
  bool quick = false, once = false, json = false;
};

void note(const std::string& text) { fmt::print(stderr, "note: {}\n", text); }

std::string command_text(const RecordOptions& options) {
  std::string text = "flashscope-gpu record --out " + options.out;
  if (!options.counters_csv.empty()) text += " --counters-csv " + options.counters_csv;
  if (options.quick) text += " --quick";
  return text;
}

int record_once(gpu::Bench& bench, const RecordOptions& options) {
  int call = 0;
  gpu::for_each_case(gpu::record_cases(options.quick), note,
                     [&](gpu::DeviceProblem& problem, const gpu::Choice& choice) {
                       fmt::print("call {}: {}, {}\n", call++, gpu::name_of(choice.algorithm),
                                  describe(problem.problem()));
                       bench.run_once(problem, choice);
                     });
  return 0;
}

// Counters by CUPTI where it can; where it cannot, what else would do it.
std::unique_ptr<gpu::Cupti> open_cupti(const RecordOptions& options) {
  std::string why_not;
  std::unique_ptr<gpu::Cupti> cupti = gpu::Cupti::open(&why_not);
  if (cupti == nullptr) {
    note(fmt::format(
        "no counters: {}. With Nsight Compute: {}  and then --counters-csv "
        "counters.csv",
        why_not,
        gpu::ncu_command("counters.csv", fmt::format("flashscope-gpu record --once{}",
                                                     options.quick ? " --quick" : ""))));
  }
  return cupti;
}

Record measure(gpu::Bench& bench, const RecordOptions& options) {
  Record record;
  record.date = today();
  record.command = command_text(options);
  const gpu::TimingOptions timing = timing_options(options.repeats);
  gpu::for_each_case(gpu::record_cases(options.quick), note,
                     [&](gpu::DeviceProblem& problem, const gpu::Choice& choice) {
                       record.rows.push_back(bench.measure(problem, choice, timing));
                     });
  record.device = bench.recorded_device();  // clock and temperature behind the work
  return record;
}

void count_by_cupti(gpu::Bench& bench, const RecordOptions& options, Record& record) {
  const std::unique_ptr<gpu::Cupti> cupti = open_cupti(options);
  if (cupti == nullptr) return;
  std::size_t row = 0;
  try {
    gpu::for_each_case(gpu::record_cases(options.quick), note,
                       [&](gpu::DeviceProblem& problem, const gpu::Choice& choice) {
                         bench.with_call(problem, choice, [&](const auto& flush, const auto& call) {
                           gpu::add_counters(record.rows.at(row++), cupti->count(flush, call));
                         });
                       });
    record.counters = "cupti";
  } catch (const Error& error) {
    if (!gpu::device_is_usable()) throw;
    for (RecordRow& counted : record.rows) counted.kernels.clear();
    note(fmt::format("no counters: {}. With Nsight Compute: {}", error.what(),
                     gpu::ncu_command("counters.csv", "flashscope-gpu record --once")));
  }
}

int record_command(const CLI::App& command, const RecordOptions& options) {
  if (options.once == !options.out.empty()) {
    throw Error("record needs --out FILE.json (or --once, for a profiler)");
  }
  if (options.once) refuse_others(command, "--once measures nothing", {"--once", "--quick"});
  if (!options.out.empty()) io::require_writable(options.out);
  // A broken file is told before the measuring, not after it.
  std::vector<std::vector<KernelCounters>> calls;
  if (!options.counters_csv.empty()) calls = gpu::read_ncu_csv(options.counters_csv);
  timing_options(options.repeats);
  gpu::Bench bench;
  if (options.once) return record_once(bench, options);
  Record record = measure(bench, options);
  record.traces = gpu::recorded_traces(note);
  if (!options.counters_csv.empty()) {
    gpu::add_counters(record.rows, calls, options.counters_csv);
    record.counters = "ncu";
  } else {
    count_by_cupti(bench, options, record);
  }
  io::write_text(options.out, to_json(record).dump(1) + "\n");
  int wrong = 0;
  for (const RecordRow& row : record.rows) wrong += row.us ? 0 : 1;
  if (options.json) {
    const Json output = {{"schema", "flashscope.recorded/1"},
                         {"file", options.out},
                         {"rows", record.rows.size()},
                         {"wrong", wrong},
                         {"counters", record.counters ? Json(*record.counters) : Json(nullptr)}};
    fmt::print("{}\n", output.dump(2));
  } else {
    fmt::print("{}\n", wrapped(fmt::format("{} measurements on {} in {}; look at them with: "
                                           "flashscope compare {}",
                                           record.rows.size(), record.device.name, options.out,
                                           options.out)));
  }
  if (wrong > 0) note(fmt::format("{} results were wrong, and are not timed", wrong));
  return wrong > 0 ? 1 : 0;
}

}  // namespace

Action add_gpu_record(CLI::App& command) {
  const auto options = std::make_shared<RecordOptions>();
  command.add_option("--out", options->out, "the record to write (flashscope.record/1)");
  command.add_option("--counters-csv", options->counters_csv,
                     "counters from ncu --csv --page raw of `record --once`, instead of CUPTI's");
  add_repeat_option(command, options->repeats);
  command.add_flag("--quick", options->quick, "an eighth of the lengths, for a first try");
  command
      .add_flag("--once", options->once,
                "each call once, behind a flush of L2, for a profiler such as ncu")
      ->group("");  // not in --help: for profilers, described in gpu/measure/README.md
  command.add_flag("--json", options->json, "print JSON");
  return [&command, options] { return record_command(command, *options); };
}

}  // namespace flashscope::terminal
