// Parses the command line, runs one subcommand, and turns every failure into one line and an exit
// code: 2 for a user's mistake.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <map>
#include <new>
#include <string>
#include <type_traits>

#include "sim/attention/alg_statement.h"
#include "sim/error.h"
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
    {"fit", "what a tiling needs on chip, and the best tilings for a device", add_fit},
    {"device", "the device presets", add_device},
};

int fail(const std::string& message) {
  fmt::print(stderr, "flashscope: {}\n", message);
  return kUsageError;
}

// The parser itself reads 010 as octal, 10^30 as 2^63 - 1 and --seed -1 as 2^64 - 1.
template <typename Integer>
CLI::Validator plain_integer() {
  return CLI::Validator(
      [](const std::string& text) {
        Integer value = 0;
        const char* const end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        if (!text.empty() && result.ec == std::errc() && result.ptr == end) return std::string();
        return fmt::format("'{}' is not {} integer of 64 bits", text,
                           std::is_signed_v<Integer> ? "an" : "a non-negative");
      },
      "");
}

void be_strict(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_type_name() == "INT") option->check(plain_integer<std::int64_t>());
    if (option->get_type_name() == "UINT") option->check(plain_integer<std::uint64_t>());
    if (option->get_items_expected_max() == 0) option->disable_flag_override();
  }
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
  CLI::App app("FlashScope: see FlashAttention tile by tile, with every byte counted.", "flashscope");
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
    if (chosen.empty()) {
      fmt::print("{}", app.help());
      return 0;
    }
    const int code = actions.at(chosen.front())();
    // Output that could not be written (a full disk, a closed pipe) is a failure too.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return fail("standard output could not be written: is the disk full?");
    }
    return code;
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
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
