// Parses the command line, runs one subcommand, and turns every failure into one line and an exit
// code: 2 for a user's mistake.
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
#include "viz/terminal/commands.h"
#include "viz/terminal/problem_options.h"

namespace flashscope::terminal {
namespace {

constexpr int kUsageError = 2;

struct Subcommand {
  const char* name;
  const char* summary;
  Action (*add)(CLI::App&);
};

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
};

int fail(const std::string& message) {
  fmt::print(stderr, "flashscope: {}\n", message);
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
int finish(int code) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    return fail("standard output could not be written: is the disk full?");
  }
  return code;
}

// The parser's own messages, in one line, with a hint where to look.
std::string explain(const CLI::ParseError& error, const CLI::App& app) {
  std::string text = error.what();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  const CLI::App* chosen = &app;
  for (const CLI::App* sub : app.get_subcommands()) chosen = sub;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    std::string bad = extras.empty() ? "" : extras.front();
    std::vector<std::string> names;
    if (chosen == &app) {
      for (const Subcommand& sub : kSubcommands) names.emplace_back(sub.name);
      text = fmt::format("there is no subcommand '{}': {}", bad, nearest_name(bad, names));
    } else {
      for (const CLI::Option* option : chosen->get_options()) names.push_back(option->get_name());
      text = fmt::format("{}: unknown option or argument '{}': {}", chosen->get_name(), bad,
                         nearest_name(bad, names));
    }
  }
  return fmt::format("{} (see flashscope {}--help)", text,
                     chosen == &app ? "" : chosen->get_name() + " ");
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
  CLI::App app("FlashScope: see FlashAttention tile by tile, with every byte counted.",
               "flashscope");
  app.set_version_flag("--version", std::string("flashscope ") + FLASHSCOPE_VERSION);
  app.require_subcommand(0, 1);
  std::map<const CLI::App*, Action> actions;
  for (const Subcommand& sub : kSubcommands) {
    CLI::App* command = app.add_subcommand(sub.name, sub.summary);
    actions[command] = sub.add(*command);
    be_strict(*command);
  }
  try {
    app.parse(argc, argv);
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) throw CLI::CallForHelp();
    return finish(actions.at(chosen.front())());
  } catch (const CLI::Success& success) {  // --help, --version
    const int code = app.exit(success);
    std::cout.flush();
    return finish(code);
  } catch (const CLI::ParseError& error) {
    return fail(explain(error, app));
  } catch (const Error& error) {
    return fail(error.what());
  } catch (const std::bad_alloc&) {
    return fail("out of memory: make the problem smaller");
  } catch (const std::system_error& error) {
    // fmt reports a failed write of stdout this way.
    return fail(fmt::format("output could not be written: {}", error.what()));
  }
}

}  // namespace flashscope::terminal
