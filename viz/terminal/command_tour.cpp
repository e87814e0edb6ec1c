// `flashscope tour`: the first thing to look at.
#include "viz/terminal/commands.h"

namespace flashscope::terminal {

Action add_tour(CLI::App&) {
  return [] { return 0; };
}

}  // namespace flashscope::terminal
