// What people see: the whole text of one walk against a golden file, lines of at most 80 columns,
// no colour codes where there is no terminal, and the help. FLASHSCOPE_UPDATE_GOLDEN=1 in the
// environment of this test rewrites the golden file.
#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>

#include "tests/io/io_test_support.h"
#include "tests/terminal/command.h"

namespace flashscope::terminal_tests {
namespace {

const std::string kGoldenFile = FLASHSCOPE_SOURCE_DIR "/tests/data/walk_pencil_row_0.txt";

const char* const kSubcommands[] = {"tour", "walk", "count", "run", "fit", "device"};

void check_fits(const std::string& text, int columns) {
  for (const std::string& line : lines_of(text)) {
    CAPTURE(line);
    CHECK(columns_of(line) <= columns);
    CHECK(line.find('\x1b') == std::string::npos);
    CHECK((line.empty() || line.back() != ' '));
  }
}

}  // namespace

TEST_CASE("the walk of the pencil problem's row 0 reads as the golden text") {
  const std::string text = output_of(words("walk --rows 0"));
  if (std::getenv("FLASHSCOPE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(kGoldenFile, std::ios::binary) << text;
  }
  const std::vector<std::string> want = lines_of(io::file_content(kGoldenFile));
  const std::vector<std::string> have = lines_of(text);
  for (std::size_t n = 0; n < std::min(want.size(), have.size()); ++n) {
    CAPTURE(n);
    REQUIRE(have[n] == want[n]);
  }
  CHECK(have.size() == want.size());
}

TEST_CASE("no line is wider than 80 columns, and none has colour codes without a terminal") {
  const std::vector<Arguments> commands = {
      words("walk"),
      words("walk --causal --algorithm fa1"),
      words("walk --algorithm standard"),
      words("walk --algorithm split_kv --splits 2"),
      words("walk --problem whisper-encoder --to 300"),
      words("walk --problem whisper-decoder"),
      words("walk --q-heads 8 --kv-heads 2 --causal --q-len 70000 --to 200 --head-dim 16"),
      words("walk --q-heads 8 --kv-heads 2 --causal --pack-gqa --q-len 64"),
      {"walk", "--q-len", "24", "--mask",
       "q >= k && q - k < 128 || k < 4 && q % 2 == 0 || k == 13"},
      {"walk", "--q-len", "24", "--rows", "0-23", "--kv-tile", "2", "--q-tile", "32"},
      {"walk", "--distribution", "constant:-1e30", "--q-len", "9", "--dtype", "fp32"},
      words("count --algorithm all"),
      words("count --algorithm all --q-heads 64 --kv-heads 8 --batch 128 --q-len 131072 --causal"),
      {"count", "--mask", "q >= k && q - k < 128 || k < 4 && q % 2 == 0 || k == 13"},
      words("count --problem whisper-encoder --algorithm fa1"),
      words("run --problem pencil"),
      words("run --problem whisper-decoder"),
      words("run --q-heads 8 --kv-heads 2 --causal --q-len 100 --kv-len 120 --rescale-threshold 8"),
      {"run", "--q-len", "64", "--mask", "q >= k && q - k < 128 || k < 4 && q % 2 == 0 || k == 13"},
      words("run --q-len 64 --algorithm standard --window 3,5"),
      words("fit"),
      words("fit --algorithm all --device h100 --head-dim 256"),
      words("fit --problem whisper-encoder --q-tile 512 --kv-tile 512"),
      words("device"),
      words("device h200"),
      words("tour"),
  };
  for (const Arguments& arguments : commands) {
    const std::string command = typed(arguments);
    CAPTURE(command);
    check_fits(output_of(arguments), 80);
    // COLUMNS that is no number, and NO_COLOR, change nothing.
    Surroundings odd;
    odd.environment = {"COLUMNS=wide", "NO_COLOR=1", "TERM=xterm-256color"};
    if (arguments.front() != "tour" && arguments.front() != "run") {
      CHECK(output_of(arguments, odd) == output_of(arguments));
    }
  }
}

TEST_CASE("without a subcommand, and with --help, every subcommand is listed") {
  const std::string help = output_of({"--help"});
  CHECK(output_of({}) == help);
  for (const char* name : kSubcommands) CHECK(help.find(name) != std::string::npos);
  CHECK(output_of({"--version"}).starts_with("flashscope "));
}

TEST_CASE("every subcommand's help shows its options, and those with a problem show the defaults") {
  for (const std::string name : kSubcommands) {
    CAPTURE(name);
    const std::string help = output_of({name, "--help"});
    const bool has_json = help.find("--json") != std::string::npos;
    CHECK((has_json || name == "tour"));
    if (name == "tour" || name == "device") continue;
    for (const char* part : {"--q-len", "--mask", "--algorithm", "Defaults:", "a100-80"}) {
      CAPTURE(part);
      CHECK(help.find(part) != std::string::npos);
    }
    for (const std::string& line : lines_of(help)) {
      CAPTURE(line);
      CHECK(columns_of(line) <= 100);
    }
  }
}

}  // namespace flashscope::terminal_tests
