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

TEST_CASE("options that contradict each other, or whose file cannot be, are told at once") {
  // Where flashscope-gpu is not built, another line says so.
  const bool built = run_command(words("gpu verify --help")).exit_code == 0;
  const auto refused = [&](const char* line, const char* text) {
    const Result result = run_command(words(line));
    CAPTURE(line);
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(lines_of(result.err).size() == 1);
    CHECK(result.err.find(built ? text : "flashscope-gpu") != std::string::npos);
  };
  refused("gpu verify --algorithm auto", "--algorithm auto");
  refused("gpu verify --cases --only 0", "--only is 0");
  refused("gpu verify --sweep 5 --only -1", "--only is -1");
  refused("gpu verify --sweep 5 --only 5", "0 to 4");
  refused("gpu trace --all --causal", "leave out --causal");
  refused("gpu trace --all --out x.jsonl", "leave out --out");
  refused("gpu trace --all --algorithm fa9", "fa9");
  refused("gpu trace --out /no/such/folder/x", "/no/such/folder");
  refused("gpu trace --out /dev/full", "/dev/full");
  refused("gpu bench --sweep paper --causal", "leave out --causal");
  refused("gpu bench --sweep paper --window 5,0", "leave out --window");
  refused("gpu bench --sweep decode --scale 2", "leave out --scale");
  refused("gpu bench --cache x", "--tuned");
  refused("gpu bench --tuned --cache /no/such/file", "/no/such/file");
  refused("gpu bench --tuned --q-tile 64", "--q-tile");
  refused("gpu bench --tuned --algorithm auto", "--algorithm auto");
  refused("gpu bench --once --json", "leave out --json");
  refused("gpu bench --dtype fp32", "--dtype fp32");
  refused("gpu bench --svg /dev/null/x", "/dev/null/x");
  refused("gpu tune --dtype e4m3", "--dtype e4m3");
  refused("gpu record --once --repeat 3", "leave out --repeat");
  refused("gpu record --out /no/such/folder/x", "/no/such/folder");
  refused("gpu record --out /dev/full", "/dev/full");
}

TEST_CASE("options that are not in --help are not offered either") {
  for (const char* line : {"gpu bench --bogus", "gpu tune extra", "gpu --bogus"}) {
    const Result result = run_command(words(line));
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(": , ") == std::string::npos);
    CHECK(result.err.find(":  ") == std::string::npos);
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
