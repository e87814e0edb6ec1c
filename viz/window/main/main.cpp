// `flashscope-viz`: reads the options, opens the window, and draws when something happens.
#include <cstdio>
#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/error.h"
#include "viz/window/loop.h"

namespace {

using namespace flashscope;
using namespace flashscope::window;

struct Options {
  App::Start start;
  std::string screenshot, size = "1280x800", theme;
  double scale = 0;
};

void add_options(CLI::App& command, Options& options) {
  terminal::add_problem_options(command, options.start.options);
  // One word for two things that are never mistaken for each other: the arrangement of the panels,
  // and the order of a tensor's dimensions.
  command.get_option("--layout")
      ->description("of the window: learn, debug or measure; of files: bhsd or bshd");
  const char* group = "Window";
  const auto add = [&](const char* name, auto& value, const char* help) {
    command.add_option(name, value, help)->group(group);
  };
  add("--session", options.start.session, "a session file that `save` wrote");
  add("--lesson", options.start.lesson, "a lesson beside it: its number, name or file");
  add("--at", options.start.position, "go to this op");
  add("--panel", options.start.panel, "beamer mode: this panel alone, large");
  add("--theme", options.theme, "dark or light");
  add("--size", options.size, "WIDTHxHEIGHT of the window in pixels");
  add("--ui-scale", options.scale, "size of text and all else; default: the screen's");
  add("--screenshot", options.screenshot, "write a picture to this PNG file and leave");
  command.footer(defaults_help());
}

// "1280x800".
void read_size(const std::string& text, int& width, int& height) {
  char end = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &end) != 2 || width < 320 ||
      height < 240 || width > 8192 || height > 8192) {
    throw Error(fmt::format("--size '{}': write WIDTHxHEIGHT from 320x240 to 8192x8192", text));
  }
}

int run(Options& options) {
  int width = 0, height = 0;
  read_size(options.size, width, height);
  if (options.scale != 0 && !(options.scale >= 0.5 && options.scale <= 4)) {
    throw Error(fmt::format("--ui-scale {}: from 0.5 to 4", options.scale));
  }
  if (!options.theme.empty()) {
    if (options.theme != "dark" && options.theme != "light") {
      throw Error(fmt::format("--theme '{}': use dark or light", options.theme));
    }
    options.start.dark = options.theme == "dark";
  }
  std::optional<std::string>& layout = options.start.options.layout;
  if (layout && *layout != "bhsd" && *layout != "bshd") {
    options.start.layout = parse_layout(*layout);
    layout.reset();
  }
  if (options.start.options.json) throw Error("the window has no --json");
  const bool picture_only = !options.screenshot.empty();
  // A picture shows what was asked for, whatever was left from earlier.
  const std::filesystem::path storage = picture_only ? "" : preferences_folder();
  options.start.tour = !picture_only;
  if (!picture_only) options.start.progress = lessons::Progress::default_file();
  Loop loop(options.start, {.storage = storage,
                            .width = width,
                            .height = height,
                            .scale = static_cast<float>(options.scale),
                            .visible = !picture_only});
  if (picture_only) {
    loop.settle();
    write_png(loop.screen().picture(), options.screenshot);
  } else {
    loop.run();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App command("FlashScope's window: watch blocks stream through the memory hierarchy.",
                   "flashscope-viz");
  Options options;
  add_options(command, options);
  try {
    command.parse(argc, argv);
    return run(options);
  } catch (const CLI::CallForHelp& help) {
    return command.exit(help);
  } catch (const CLI::Error& error) {
    fmt::print(stderr, "flashscope-viz: {}; see --help\n", error.what());
  } catch (const Error& error) {
    fmt::print(stderr, "flashscope-viz: {}\n", error.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "flashscope-viz: out of memory: make the problem smaller\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "flashscope-viz: {}\n", error.what());
  }
  return 2;
}
