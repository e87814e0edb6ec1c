// `flashscope lesson`: its verbs and their options. Each verb is a subcommand of a program of its
// own, so that help and mistakes read as those of the other subcommands do.
#include <memory>

#include <CLI/CLI.hpp>

#include "viz/terminal/command_program.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/lesson_verbs.h"

namespace flashscope::terminal {
namespace {

constexpr const char* kWhich = "number, name or file";

Action add_check(CLI::App& command) {
  const auto options = std::make_shared<LessonCheckOptions>();
  command.add_option("lesson", options->lessons,
                     "numbers, names or files; default: the whole course");
  command.add_flag("--json", options->json, "machine-readable output");
  return [options] { return check_lessons(*options); };
}

constexpr Subcommand kVerbs[] = {
    {"check", "does every number, answer and task of a lesson hold?", add_check},
};

}  // namespace

Action add_lesson(CLI::App& command) {
  // Everything behind `lesson` is for the verbs to read, --help included.
  command.set_help_flag();
  command.prefix_command();
  return [&command] {
    const std::vector<std::string> arguments = command.remaining();
    std::vector<const char*> argv = {"flashscope lesson"};
    for (const std::string& argument : arguments) argv.push_back(argument.c_str());
    return run_program({"flashscope lesson",
                        "A course in FlashAttention that runs: every number in it is computed as "
                        "one reads.",
                        kVerbs},
                       static_cast<int>(argv.size()), argv.data());
  };
}

}  // namespace flashscope::terminal
