// What a debug prompt works on; private to the debug_*.cpp files.
#pragma once

#include "sim/setup/setup.h"
#include "viz/terminal/debug_prompt.h"

namespace flashscope::terminal {

struct DebugPrompt::World {
  World(Setup made, Scenario tensors, std::FILE* output)
      : setup(std::move(made)),
        scenario(std::move(tensors)),
        debugger(scenario, setup.programs.front()),
        text(scenario, setup.programs.front(), debugger.session().machine(), output) {}

  Setup setup;
  Scenario scenario;
  Debugger debugger;
  WalkText text;
};

}  // namespace flashscope::terminal
