// Parsing a command line, running one subcommand, and turning every failure into one line and an
// exit code; see command_program.h.
#include "viz/terminal/command_program.h"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <new>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/message_text.h"

namespace flashscope::terminal {
namespace {

constexpr int kUsageError = 2;

// Messages begin with the program's name alone: `flashscope lesson` is flashscope too.
int fail(const CommandProgram& program, const std::string& message) {
  const std::string_view name = program.name;
  fmt::print(stderr, "{}: {}\n", name.substr(0, name.find(' ')), message);
  return kUsageError;
}

// The whole text as a plain decimal number, and back in a form that the parser can't misread: it
// takes 010 for octal, 10^30 for 2^63 - 1, --seed -1 for 2^64 - 1 and nothing for 0.
template <typename Number>
CLI::Validator plain_number(const char* what) {
  return CLI::Validator(
      [what](std::string& text) {
        Number value = 0;
        const char* const end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        if (text.empty() || result.ec != std::errc() || result.ptr != end) {
          return fmt::format("'{}' is not {}", io::printable(text), what);
        }
        text = fmt::format("{}", value);
        return std::string();
      },
      "");
}

void be_strict(CLI::App& command) {
  const CLI::Validator not_empty(
      [](const std::string& text) { return text.empty() ? "the value is empty" : ""; }, "");
  for (CLI::Option* option : command.get_options()) {
    const std::string type = option->get_type_name();
    if (type == "INT") option->transform(plain_number<std::int64_t>("an integer of 64 bits"));
    if (type == "UINT") {
      option->transform(plain_number<std::uint64_t>("an integer of 64 bits from 0 up"));
    }
    if (type == "FLOAT") option->transform(plain_number<double>("a number"));
    if (type == "TEXT") option->check(not_empty);
    if (option->get_items_expected_max() == 0) option->disable_flag_override();
  }
}

// Output that could not be written (a full disk, a closed pipe) is a failure too.
int finish(const CommandProgram& program, int code) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    return fail(program, "standard output could not be written: is the disk full?");
  }
  return code;
}

// The parser's own messages, in one line, with a hint where to look.
std::string explain(const CommandProgram& program, const CLI::ParseError& error,
                    const CLI::App& app) {
  std::string text = error.what();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  const CLI::App* chosen = &app;
  for (const CLI::App* sub : app.get_subcommands()) chosen = sub;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    const std::string bad = io::printable(extras.empty() ? "" : extras.front());
    std::vector<std::string> names;
    if (chosen == &app) {
      for (const Subcommand& sub : program.subcommands) names.emplace_back(sub.name);
      text = fmt::format("there is no subcommand '{}': {}", bad, nearest_name(bad, names));
    } else {
      for (const CLI::Option* option : chosen->get_options()) {
        // Options that are not in --help have no name here.
        if (!option->get_name().empty()) names.push_back(option->get_name());
      }
      text = fmt::format("{}: unknown option or argument '{}'{}{}", chosen->get_name(), bad,
                         names.empty() ? "" : ": ", names.empty() ? "" : nearest_name(bad, names));
    }
  }
  return fmt::format("{} (see {} {}--help)", text, program.name,
                     chosen == &app ? "" : chosen->get_name() + " ");
}

}  // namespace

int run_program(const CommandProgram& program, int argc, const char* const* argv) {
  CLI::App app(program.title, program.name);
  app.set_version_flag("--version", fmt::format("{} {}", program.name, FLASHSCOPE_VERSION));
  app.require_subcommand(0, 1);
  std::map<const CLI::App*, Action> actions;
  for (const Subcommand& sub : program.subcommands) {
    CLI::App* command = app.add_subcommand(sub.name, sub.summary);
    actions[command] = sub.add(*command);
    be_strict(*command);
  }
  try {
    app.parse(argc, argv);
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) throw CLI::CallForHelp();
    return finish(program, actions.at(chosen.front())());
  } catch (const CLI::Success& success) {  // --help, --version
    const int code = app.exit(success);
    std::cout.flush();
    return finish(program, code);
  } catch (const CLI::ParseError& error) {
    return fail(program, explain(program, error, app));
  } catch (const Error& error) {
    return fail(program, error.what());
  } catch (const std::bad_alloc&) {
    return fail(program, "out of memory: make the problem smaller");
  } catch (const std::system_error& error) {
    // fmt reports a failed write of stdout this way.
    return fail(program, fmt::format("output could not be written: {}", error.what()));
  }
}

}  // namespace flashscope::terminal
