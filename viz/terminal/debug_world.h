// What a debug prompt works on; private to the debug_*.cpp files.
#pragma once

#include <optional>

#include "sim/setup/setup.h"
#include "viz/terminal/debug_prompt.h"

namespace flashscope::terminal {

struct DebugPrompt::World {
  struct Running {
    Running(Scenario tensors, const Program& program, std::FILE* output)
        : scenario(std::move(tensors)),
          debugger(scenario, program),
          text(scenario, program, debugger.session().machine(), output) {}

    Scenario scenario;
    Debugger debugger;
    WalkText text;
  };

  Setup setup;
  std::function<Scenario()> make_scenario;
  std::FILE* output;
  std::int64_t position = 0;       // where the debugger begins, once it is there
  std::optional<Running> running;  // once numbers are looked at

  const Program& program() const { return setup.programs.front(); }
  Running& run() {
    if (!running) {
      running.emplace(make_scenario(), program(), output);
      make_scenario = nullptr;
      running->debugger.go_to(position);
    }
    return *running;
  }
};

}  // namespace flashscope::terminal
