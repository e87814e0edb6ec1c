// `flashscope gpu`: hands over to flashscope-gpu, the program beside this one that holds the CUDA
// kernels, so that this one builds and starts without them.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/error.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/gpu_verbs.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

void print_verbs() {
  fmt::print("The CUDA kernels. Usage: flashscope gpu VERB [options]\n\n");
  for (const GpuVerb& verb : {kGpuVerify, kGpuBench, kGpuTrace, kGpuTune, kGpuRecord}) {
    fmt::print("  {}  {}\n", styled(pad_right(verb.name, 6), Style::code), verb.summary);
  }
  fmt::print("\n`flashscope gpu VERB --help` lists a verb's options.\n");
}

std::filesystem::path sibling() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path() / "flashscope-gpu";
}

// Does not return unless it fails.
void run_sibling(const std::vector<std::string>& arguments) {
  const std::string program = sibling().string();
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  if (errno == ENOENT) {
    throw Error(
        fmt::format("gpu {}: the program flashscope-gpu is not built; run ./dev build "
                    "flashscope-gpu",
                    arguments.front()));
  }
  throw Error(fmt::format("gpu {}: {} cannot be run: {}", arguments.front(), program,
                          std::strerror(errno)));
}

}  // namespace

Action add_gpu(CLI::App& command) {
  // Everything behind `gpu` is for the other program to read, --help included.
  command.set_help_flag();
  command.prefix_command();
  return [&command] {
    const std::vector<std::string> arguments = command.remaining();
    if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h") {
      print_verbs();
      return 0;
    }
    std::fflush(stdout);
    run_sibling(arguments);
    return 2;
  };
}

}  // namespace flashscope::terminal
