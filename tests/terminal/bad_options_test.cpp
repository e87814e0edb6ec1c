// Options that cannot be meant: each is refused with exit code 2 and one line that names it, before
// anything is computed, written or allocated.
#include <doctest/doctest.h>

#include "tests/terminal/command.h"

namespace flashscope::terminal_tests {
namespace {

// Integers no option takes, whatever its range.
const char* const kNoIntegers[] = {
    "",    " ",  "x",  "1e3", "1.5", "--1", "0x10",  "010x",
    "1,2", "+4", " 4", "4 ",  "nan", "inf", "1_000", "1000000000000000000000000000000"};

}  // namespace

TEST_CASE("an unknown subcommand or option is refused, and the nearest one suggested") {
  check_all_refused({{{"wlak"}, "did you mean 'walk'"},
                     {{"cuont", "--q-len", "4"}, "did you mean 'count'"},
                     {{"walk", "--q-length", "5"}, "did you mean '--q-len'"},
                     {{"count", "--devise", "h100"}, "did you mean '--device'"},
                     {{"count", "extra"}, "'extra'"},
                     {{""}, "subcommand"},
                     {{"--json"}, "--json"},
                     {{"walk", "--out", "x.npy"}, "--out"},
                     {{"count", "--rows", "1"}, "--rows"},
                     {{"walk", "count"}, "count"}});
}

TEST_CASE("an option without its value, or given twice, is refused") {
  for (const char* option :
       {"--q-len", "--mask", "--scale", "--out", "--rows", "--device", "--q"}) {
    check_refused({option == std::string("--rows") ? "walk" : "run", option}, option);
  }
  for (const char* option : {"--q-len", "--scale", "--mask", "--algorithm", "--threads"}) {
    check_refused({"count", option, "2", option, "2"}, option);
  }
}

TEST_CASE("what is no integer of 64 bits is refused by every integer option") {
  for (const char* option :
       {"--batch", "--q-heads", "--kv-heads", "--q-len", "--kv-len", "--head-dim", "--q-tile",
        "--kv-tile", "--splits", "--threads", "--seed"}) {
    for (const char* value : kNoIntegers) {
      check_refused({"count", std::string(option) + "=" + value}, option);
    }
  }
  for (const char* option : {"--work-item", "--from", "--to", "--head"}) {
    check_refused({"walk", std::string(option) + "=1e3"}, option);
    check_refused({"walk", std::string(option) + "=99999999999999999999"}, option);
    check_refused({"walk", std::string(option) + "=-1"}, option);
  }
}

TEST_CASE("a leading zero does not make a number octal") {
  const nlohmann::json problem = json_of(words("count --q-len 010")).at("problem");
  CHECK(problem.at("q_len") == 10);
}

TEST_CASE(
    "sizes that are negative, zero where that means nothing, or beyond all counting are refused") {
  for (const char* option : {"--batch", "--q-len", "--kv-len", "--q-heads", "--kv-heads",
                             "--head-dim", "--q-tile", "--kv-tile"}) {
    for (const char* value : {"-1", "-5", "-9223372036854775808"}) {
      for (const char* command : {"count", "run", "walk", "fit"}) {
        check_refused({command, option, value}, option);
      }
    }
  }
  for (const char* option :
       {"--q-heads", "--kv-heads", "--head-dim", "--q-tile", "--kv-tile", "--splits"}) {
    check_refused({"count", "--algorithm", "split_kv", option, "0"}, option);
  }
  for (const char* option : {"--batch", "--q-heads", "--q-len", "--kv-len"}) {
    for (const char* value : {"1000000000000000", "1000000000000000000", "9223372036854775807"}) {
      check_refused({"count", "--q-len", "100000",
                     option == std::string("--q-len") ? "--kv-len" : option, value},
                    "");
    }
  }
  check_all_refused({{words("count --head-dim 513"), "--head-dim"},
                     {words("count --q-tile 1000000000000"), "--q-tile"},
                     {words("count --kv-tile 1048577"), "--kv-tile"},
                     {words("count --q-len 4000000000 --kv-len 4000000000"), "too large"},
                     {words("count --batch 3037000500 --q-heads 3037000500"), "too large"},
                     {words("count --q-heads 6 --kv-heads 4"), "--kv-heads 4"},
                     {words("count --q-heads 2 --kv-heads 4"), "--kv-heads 4"},
                     {words("run --threads -1"), "--threads"},
                     {words("count --threads -1"), "--threads"},
                     {words("run --threads 257 --q-len 4"), "--threads"},
                     {words("run --threads 99999999999"), "--threads"}});
}

TEST_CASE("zero queries, keys or batches are legal everywhere") {
  for (const char* command : {"count", "run", "fit"}) {
    for (const char* option : {"--batch", "--q-len", "--kv-len"}) {
      output_of(
          {command, option, "0", "--algorithm", command == std::string("run") ? "fa2" : "all"});
    }
  }
  output_of(words("walk --kv-len 0 --q-len 3"));
  check_refused(words("walk --q-len 0"), "nothing to walk");
  check_refused(words("walk --batch 0"), "nothing to walk");
}

}  // namespace flashscope::terminal_tests
