// The subcommands of `flashscope`.
#include "viz/terminal/command_program.h"
#include "viz/terminal/commands.h"

namespace flashscope::terminal {
namespace {

constexpr Subcommand kSubcommands[] = {
    {"tour", "the pencil problem, real tensors, their traffic and errors: start here", add_tour},
    {"walk", "print one work item op by op, with every number's formula", add_walk},
    {"count", "traffic and work of one or all algorithms, against the closed form", add_count},
    {"run", "compute attention, compare it with fp64, write the result", add_run},
    {"diagnose", "what is wrong with the O that another program computed?", add_diagnose},
    {"fit", "what a tiling needs on chip, and the best tilings for a device", add_fit},
    {"device", "the device presets", add_device},
    {"debug", "step, break, watch and go back, at a prompt or from a script", add_debug},
    {"diff", "two computations of one problem in lockstep, and where they part", add_diff},
    {"compare", "a record of GPU measurements beside what the simulator counts", add_compare},
    {"lesson", "a course that runs: list, show, take, check, export", add_lesson},
    {"gpu", "the CUDA kernels: verify, bench, trace, tune, record", add_gpu},
};

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  return run_program(
      {"flashscope", "FlashScope: see FlashAttention tile by tile, with every byte counted.",
       kSubcommands},
      argc, argv);
}

}  // namespace flashscope::terminal
