// The `flashscope-gpu` command, which `flashscope gpu` runs: what needs the CUDA kernels.
#include "viz/terminal/command_program.h"
#include "viz/terminal/gpu/gpu_commands.h"
#include "viz/terminal/gpu/measure_commands.h"
#include "viz/terminal/gpu_verbs.h"

namespace flashscope::terminal {
namespace {

constexpr Subcommand subcommand(const GpuVerb& verb, Action (*add)(CLI::App&)) {
  return {verb.name, verb.summary, add};
}
constexpr Subcommand kSubcommands[] = {
    subcommand(kGpuVerify, add_gpu_verify), subcommand(kGpuBench, add_gpu_bench),
    subcommand(kGpuTrace, add_gpu_trace),   subcommand(kGpuTune, add_gpu_tune),
    subcommand(kGpuRecord, add_gpu_record),
};

}  // namespace
}  // namespace flashscope::terminal

int main(int argc, char** argv) {
  using namespace flashscope::terminal;
  return run_program({"flashscope-gpu",
                      "FlashScope's CUDA kernels: verify, measure and trace them.", kSubcommands},
                     argc, argv);
}
