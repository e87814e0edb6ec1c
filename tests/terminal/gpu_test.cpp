// `flashscope gpu` hands over to another program, which may not be built, on a machine that may
// have no GPU: there are always the verbs, and a mistake is one line and exit code 2.
#include <doctest/doctest.h>

#include "command.h"

using namespace flashscope::terminal_tests;

TEST_CASE("gpu alone, or with --help, lists its verbs") {
  for (const char* line : {"gpu", "gpu --help", "gpu -h"}) {
    CAPTURE(line);
    const std::string output = output_of(words(line));
    for (const char* verb : {"verify", "bench", "trace", "tune", "record"}) {
      CHECK(output.find(std::string("\n  ") + verb) != std::string::npos);
    }
    for (const std::string& text : lines_of(output)) CHECK(columns_of(text) <= 80);
  }
}

TEST_CASE("options behind the verb are the other program's to read, and to refuse") {
  for (const char* line : {"gpu verify --cases --sweep 3", "gpu nothing --json", "gpu trace --q",
                           "gpu verify --seed -1"}) {
    CAPTURE(line);
    const Result result = run_command(words(line));
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(lines_of(result.err).size() == 1);
    CHECK(result.err.starts_with("flashscope"));
  }
}
