// `flashscope-viz` as a command: what it refuses, in one line; a picture without a window; and a
// machine without a display.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/io/io_test_support.h"
#include "tests/terminal/command.h"

namespace flashscope::window_tests {
namespace {

using namespace flashscope::terminal_tests;

Surroundings only(const Arguments& environment) {
  Surroundings s;
  s.environment = environment;
  return s;
}

Surroundings with_display(const std::string& config) {
  Surroundings s;
  s.environment = {"LIBGL_ALWAYS_SOFTWARE=1", "XDG_CONFIG_HOME=" + config};
  for (const char* const name : {"DISPLAY", "XAUTHORITY", "HOME", "LD_LIBRARY_PATH"}) {
    if (const char* const value = std::getenv(name)) {
      s.environment.push_back(std::string(name) + "=" + value);
    }
  }
  return s;
}

// Exit code 2, and one line on stderr that mentions this (a caret may point into the option's
// value).
void check_viz_refuses(const Arguments& arguments, const std::string& mention,
                       const Surroundings& surroundings) {
  const Result result = run_command(arguments, surroundings);
  CAPTURE(typed(arguments));
  CAPTURE(result.err);
  CHECK_FALSE(result.timed_out);
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.err.starts_with("flashscope-viz: "));
  const std::size_t lines = lines_of(result.err).size();
  CHECK((lines == 1 || (lines == 3 && result.err.ends_with("^\n"))));
  CHECK(result.err.find(mention) != std::string::npos);
}

// Width and height, from the picture's header.
std::pair<int, int> size_of_png(const std::string& path) {
  const std::string bytes = io::file_content(path);
  if (bytes.size() < 24 || bytes.substr(1, 3) != "PNG") return {0, 0};
  const auto number = [&](std::size_t at) {
    int value = 0;
    for (std::size_t n = 0; n < 4; ++n)
      value = value * 256 + static_cast<unsigned char>(bytes[at + n]);
    return value;
  };
  return {number(16), number(20)};
}

}  // namespace

TEST_CASE("command: without a display it names the terminal, in one line") {
  const Surroundings nowhere = only({"HOME=/tmp"});
  check_viz_refuses({}, "flashscope walk", nowhere);
  check_viz_refuses(words("--screenshot x.png"), "flashscope walk", nowhere);
  CHECK_FALSE(std::filesystem::exists("x.png"));
  const Surroundings wrong = only({"HOME=/tmp", "DISPLAY=:4321"});
  check_viz_refuses({}, "flashscope walk", wrong);
}

TEST_CASE("command: bad options are refused before a window opens") {
  const Surroundings nowhere = only({"HOME=/tmp"});
  for (const auto& [line, mention] : std::initializer_list<std::pair<const char*, const char*>>{
           {"--nonsense", "--help"},
           {"--size 10x10", "--size"},
           {"--size 1280", "--size"},
           {"--size 1280x800x3", "--size"},
           {"--ui-scale 9", "--ui-scale"},
           {"--ui-scale nan", "--ui-scale"},
           {"--theme blue", "--theme"},
           {"--layout lean", "learn"},
           {"--json", "--json"},
           {"--algorithm all", "count"},
       }) {
    check_viz_refuses(words(line), mention, nowhere);
  }
}

TEST_CASE("command: what can't be shown is refused") {
  const io::TemporaryFolder folder;
  const Surroundings here = with_display(folder / "config");
  std::ofstream(folder / "broken.md") << "Words, but no title.\n";
  std::ofstream(folder / "half.json") << "{\"version\": 1,";
  for (const auto& [line, mention] : std::vector<std::pair<std::string, std::string>>{
           {"--q-len 0 --screenshot x.png", "no ops"},
           {"--algorithm fa9 --screenshot x.png", "fa9"},
           {"--mask q>= --screenshot x.png", "--mask"},
           {"--at 100000 --screenshot x.png", "--at"},
           {"--at -1 --screenshot x.png", "--at"},
           {"--panel Tiles --screenshot x.png", "Tile"},
           {"--lesson nonesuch --screenshot x.png", "nonesuch"},
           {"--lesson " + (folder / "broken.md") + " --screenshot x.png", "broken.md:1: "},
           {"--session " + (folder / "half.json") + " --screenshot x.png", "half.json"},
           {"--session " + (folder / "none.json") + " --screenshot x.png", "none.json"},
           {"--screenshot " + (folder / "no/such/x.png"), "x.png"},
           {"--screenshot /dev/null/x.png", "x.png"},
       }) {
    check_viz_refuses(words(line), mention, here);
  }
  CHECK_FALSE(std::filesystem::exists("x.png"));
}

TEST_CASE("command: a picture has the size that was asked for, and remembers nothing") {
  const io::TemporaryFolder folder;
  const Surroundings here = with_display(folder / "config");
  const auto shoot = [&](const std::string& options, int width, int height) {
    CAPTURE(options);
    const std::string path = folder / "x.png";
    CHECK(output_of(words(options + " --screenshot " + path), here).empty());
    CHECK(size_of_png(path) == std::pair{width, height});
    std::filesystem::remove(path);
  };
  shoot("", 1280, 800);
  shoot("--size 400x300 --theme light --layout debug", 400, 300);
  shoot("--size 900x500 --ui-scale 2 --problem whisper-decoder --at 100 --panel Traffic", 900, 500);
  CHECK_FALSE(std::filesystem::exists(folder / "config"));
  CHECK(folder.file_count() == 0);
}

TEST_CASE("command: --help lists the window's options and the problem's") {
  const std::string help = output_of({"--help"});
  for (const char* const word : {"--screenshot", "--layout", "--q-len", "--session", "--panel"}) {
    CHECK(help.find(word) != std::string::npos);
  }
}

}  // namespace flashscope::window_tests
