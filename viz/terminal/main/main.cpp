// The `flashscope` command.
#include "viz/terminal/commands.h"

int main(int argc, char** argv) { return flashscope::terminal::run_command_line(argc, argv); }
