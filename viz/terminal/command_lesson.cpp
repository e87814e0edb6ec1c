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

Action add_list(CLI::App& command) {
  const auto options = std::make_shared<LessonListOptions>();
  command.add_option("--folder", options->folder, "lessons in a folder of your own");
  command.add_flag("--json", options->json, "machine-readable output");
  return [options] { return list_lessons(*options); };
}

Action add_show(CLI::App& command) {
  const auto options = std::make_shared<LessonShowOptions>();
  command.add_option("lesson", options->lesson, kWhich)->required();
  command.add_flag("--answers", options->answers, "with the answers and what solves the tasks");
  command.add_flag("--teacher", options->teacher, "with the section for the teacher");
  return [options] { return show_lesson(*options); };
}

Action add_take(CLI::App& command) {
  const auto options = std::make_shared<LessonTakeOptions>();
  command.add_option("lesson", options->lesson, kWhich)->required();
  command.add_option("--from", options->from, "step to begin at, from 1; default: where you were");
  command.add_flag("--again", options->again, "from the beginning, what was answered forgotten");
  return [options] { return take_lesson(*options); };
}

Action add_check(CLI::App& command) {
  const auto options = std::make_shared<LessonCheckOptions>();
  command.add_option("lesson", options->lessons,
                     "numbers, names or files; default: the whole course");
  command.add_flag("--json", options->json, "machine-readable output");
  return [options] { return check_lessons(*options); };
}

Action add_export(CLI::App& command) {
  const auto options = std::make_shared<LessonExportOptions>();
  command.add_option("lesson", options->lesson, kWhich);
  command.add_flag("--all", options->all, "the whole course, with an index");
  command.add_flag("--teacher", options->teacher, "with the notes for the teacher");
  command.add_option("--out", options->out, "file to write, or folder with --all");
  return [options] { return export_lessons(*options); };
}

constexpr Subcommand kVerbs[] = {
    {"list", "the lessons, and how far you are", add_list},
    {"take", "read a lesson step by step, answer, try things out", add_take},
    {"show", "a whole lesson as text", add_show},
    {"check", "whether all numbers, answers and tasks hold", add_check},
    {"export", "a lesson as one HTML page with a player", add_export},
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
    return run_program(
        {"flashscope lesson",
         "A course in FlashAttention that runs; its numbers are computed as one reads.", kVerbs},
        static_cast<int>(argv.size()), argv.data());
  };
}

}  // namespace flashscope::terminal
