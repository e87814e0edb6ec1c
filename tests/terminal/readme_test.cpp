// What the README shows is what the command prints: every block behind `<!-- output: COMMAND -->`
// stands in that command's output, letter by letter.
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "command.h"

using namespace flashscope::terminal_tests;

TEST_CASE("every output that the README shows is what the command prints") {
  std::ifstream file(FLASHSCOPE_SOURCE_DIR "/README.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string readme = text.str();
  const std::string marker = "<!-- output: flashscope ";
  int blocks = 0;
  for (std::size_t at = readme.find(marker); at != std::string::npos;
       at = readme.find(marker, at + 1)) {
    const std::size_t begin = at + marker.size();
    const std::string command = readme.substr(begin, readme.find(" -->", begin) - begin);
    const std::size_t open = readme.find("```\n", begin) + 4;
    const std::string block = readme.substr(open, readme.find("```", open) - open);
    CAPTURE(command);
    Surroundings surroundings;
    surroundings.folder = FLASHSCOPE_SOURCE_DIR;
    const std::string output = output_of(words(command), surroundings);
    CAPTURE(output);
    CHECK(output.find(block) != std::string::npos);
    ++blocks;
  }
  CHECK(blocks >= 2);
}
