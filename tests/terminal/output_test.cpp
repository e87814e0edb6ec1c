// Where results go: --out and --lse into places that can't be written, full disks, a closed stdout.
// A result is either whole where it was asked for, or the command says so and leaves nothing
// behind.
#include <filesystem>
#include <unistd.h>

#include <doctest/doctest.h>

#include "sim/io/npy.h"
#include "tests/io/io_test_support.h"
#include "tests/terminal/command.h"

namespace flashscope::terminal_tests {
namespace {

namespace fs = std::filesystem;

const Arguments kRun = words("run --q-len 100 --head-dim 16 --dtype fp32");

}  // namespace

TEST_CASE("O and LSE are written where they were asked for, and nothing else is") {
  const io::TemporaryFolder folder;
  output_of(kRun + Arguments{"--out", folder / "o.npy", "--lse", folder / "lse.npy"});
  CHECK(io::read_npy(folder / "o.npy").shape == std::vector<std::int64_t>{1, 1, 100, 16});
  CHECK(io::read_npy(folder / "lse.npy").shape == std::vector<std::int64_t>{1, 1, 100});
  CHECK(folder.file_count() == 2);
}

TEST_CASE("places that can't be written are refused, and nothing is left there") {
  const io::TemporaryFolder folder;
  for (const char* option : {"--out", "--lse"}) {
    check_refused(kRun + Arguments{option, folder / "missing/o.npy"}, "missing");
    check_refused(kRun + Arguments{option, folder.path()}, folder.path());
    check_refused(kRun + Arguments{option, folder.path() + "/"}, folder.path());
    check_refused(kRun + Arguments{option, "/dev/null"}, "/dev/null");
    check_refused(kRun + Arguments{option, "/proc/self/o.npy"}, "/proc/self/o.npy");
    check_refused(kRun + Arguments{option, ""}, option);
    check_refused(kRun + Arguments{option, folder / std::string(300, 'x')}, "xxx");
  }
  if (::geteuid() != 0) {  // root may write anywhere
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    check_refused(kRun + Arguments{"--out", folder / "o.npy"}, "o.npy");
    fs::permissions(folder.path(), fs::perms::owner_all);
  }
  CHECK(folder.file_count() == 0);
}

TEST_CASE("a bad problem leaves no output file behind") {
  const io::TemporaryFolder folder;
  check_refused(words("run --q-len 8 --mask k/(q-3)>1 --out") + Arguments{folder / "o.npy"},
                "zero");
  check_refused(words("run --q-len 8 --verify x --out") + Arguments{folder / "o.npy"}, "--verify");
  CHECK(folder.file_count() == 0);
}

TEST_CASE("a disk that fills up ends in one line, and the file that was there stays") {
  const io::TemporaryFolder folder;
  output_of(words("run --problem pencil --out") + Arguments{folder / "o.npy"});
  const std::string before = io::file_content(folder / "o.npy");
  Surroundings full;
  full.largest_file_bytes = 1000;
  check_refused(kRun + Arguments{"--out", folder / "o.npy"}, "o.npy", full);
  CHECK(io::file_content(folder / "o.npy") == before);
  CHECK(folder.file_count() == 1);
}

TEST_CASE("O may be written over an input file, and is right") {
  const io::TemporaryFolder folder;
  // The input of the second run is the output of the first, three times.
  output_of(kRun + Arguments{"--out", folder / "x.npy"});
  const std::string x = folder / "x.npy";
  output_of({"run", "--q", x, "--k", x, "--v", x, "--out", folder / "apart.npy"});
  output_of({"run", "--q", x, "--k", x, "--v", x, "--out", x});
  CHECK(io::file_content(x) == io::file_content(folder / "apart.npy"));
  CHECK(folder.file_count() == 2);
}

TEST_CASE("O and LSE in one file would lose one of them") {
  const io::TemporaryFolder folder;
  check_refused(kRun + Arguments{"--out", folder / "o.npy", "--lse", folder / "o.npy"}, "--lse");
}

TEST_CASE("a name with spaces, quotes and umlauts is a name like any other") {
  const io::TemporaryFolder folder;
  const std::string name = folder / "it's ä \"file\" $(x).npy";
  output_of(kRun + Arguments{"--out", name});
  CHECK(fs::exists(name));
}

TEST_CASE("a stdout that can't be written is a failure with one line") {
  for (const char* command : {"", "walk", "count", "run --q-len 8", "fit", "device", "--help",
                              "tour", "walk --json", "count --json", "--version", "walk --help"}) {
    CAPTURE(command);
    Surroundings full;
    full.stdout_path = "/dev/full";
    check_refused(words(command), "output", full);
    Surroundings closed;
    closed.close_stdout = true;
    check_refused(words(command), "output", closed);
  }
}

TEST_CASE("with stdout closed, text does not end up in the file of O") {
  const io::TemporaryFolder folder;
  Surroundings closed;
  closed.close_stdout = true;
  check_refused(kRun + Arguments{"--out", folder / "o.npy"}, "output", closed);
  if (fs::exists(folder / "o.npy")) {
    CHECK(io::read_npy(folder / "o.npy").shape == std::vector<std::int64_t>{1, 1, 100, 16});
  }
}

}  // namespace flashscope::terminal_tests
