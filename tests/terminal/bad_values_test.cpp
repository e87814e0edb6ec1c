// Values of options that are well-formed but cannot be meant: ranges, masks, names, tiles and parts
// of a walk that do not exist, options that exclude each other. Each is refused with exit code 2
// and one line that names it. (bad_options_test.cpp has the options and integers themselves.)
#include <doctest/doctest.h>

#include "tests/terminal/command.h"

namespace flashscope::terminal_tests {

TEST_CASE("numbers, windows and thresholds out of their range are refused") {
  for (const char* value : {"nan", "inf", "-inf", "1e999", "x", "", "1,5"}) {
    check_refused({"count", "--scale", value}, "--scale");
  }
  for (const char* value : {"1", "1,2,3", "-2,0", "0,-2", "x,y", "", ",", "1,", "1, 2", "1;2",
                            "99999999999999999999,0"}) {
    check_refused({"run", std::string("--window=") + value}, "--window");
  }
  for (const char* value : {"-1", "nan", "x", ""}) {
    check_refused({"count", std::string("--rescale-threshold=") + value}, "--rescale-threshold");
  }
}

TEST_CASE("mask expressions that are wrong are refused with the place") {
  for (const char* mask : {"",
                           " ",
                           "q >=",
                           "q = k",
                           "x > 1",
                           "q k",
                           "(q",
                           "q)",
                           "1 <",
                           "&& q",
                           "q > 99999999999999999999",
                           "q > 1.5",
                           "'",
                           "q\n>k",
                           "q>\xff",
                           "max(q)",
                           "q > k\x1b[31m",
                           "$(ls)",
                           "q ? k",
                           "q>k;"}) {
    check_refused({"run", "--q-len", "4", "--mask", mask}, "--mask");
  }
  check_refused({"run", "--q-len", "4", "--mask", std::string(20000, '(')}, "--mask");
  check_refused({"run", "--q-len", "4", "--mask", std::string(20000, '!') + "q"}, "--mask");
}

TEST_CASE("a mask that divides by zero, or overflows, is refused when it is evaluated") {
  for (const char* command : {"count", "run", "walk", "fit"}) {
    for (const char* mask :
         {"k / 0 > 1", "k / (q - q) > 1", "k % (q - 3) == 0", "q / (k - 5) == 1"}) {
      check_refused({command, "--q-len", "8", "--mask", mask}, "zero");
    }
  }
}

TEST_CASE(
    "a mask over heads that needs a tile map for each of a million heads is refused at once") {
  for (const char* command : {"count", "walk", "fit"}) {
    check_refused(words(command) + words("--q-heads 1000000 --mask h>k"), "--mask");
    check_refused(words(command) + words("--batch 1000000000000 --q-len 4 --mask b>k"), "--mask");
  }
  output_of(words("count --q-heads 1000000 --mask q>k"));
  output_of(words("count --q-heads 100 --mask h>k"));
}

TEST_CASE("a huge batch or many heads cost count nothing, and many threads are no danger") {
  output_of(words("count --batch 1000000000000 --q-len 4 --head-dim 1 --algorithm all"));
  output_of(words("count --q-heads 1000000 --algorithm all --causal"));
  output_of(words("run --threads 256 --q-len 600 --q-tile 2 --kv-tile 16"));
}

TEST_CASE("names of algorithms, devices, formats and problems that do not exist are refused") {
  check_all_refused({{words("count --algorithm fa9"), "fa9"},
                     {{"count", "--algorithm", ""}, "--algorithm"},
                     {words("count --algorithm missing.alg"), "missing.alg"},
                     {words("run --algorithm all"), "--algorithm all"},
                     {words("walk --algorithm all"), "--algorithm all"},
                     {words("count --device tpu"), "tpu"},
                     {{"count", "--device", ""}, "--device"},
                     {words("device tpu"), "tpu"},
                     {words("count --dtype fp64"), "fp64"},
                     {{"count", "--dtype", ""}, "--dtype"},
                     {words("count --dtype FP16"), "FP16"},
                     {words("count --problem penicl"), "did you mean 'pencil'"},
                     {words("count --kv-order sideways"), "--kv-order"},
                     {{"count", "--kv-order", ""}, "--kv-order"},
                     {words("count --fa1-workspace fp16"), "--fa1-workspace"},
                     {words("fit --placement moon"), "--placement"},
                     {words("count --placement moon"), "--placement"},
                     {words("run --verify some"), "--verify"},
                     {{"run", "--verify", ""}, "--verify"},
                     {words("run --reference-input x"), "--reference-input"},
                     {words("run --distribution zipf"), "zipf"},
                     {{"run", "--distribution", ""}, "--distribution"},
                     {words("run --distribution constant:"), "constant:"},
                     {words("run --distribution constant:nan"), "constant:nan"},
                     {words("run --distribution constant:1e99"), "constant:1e99"},
                     {words("count --splits 3"), "--splits"},
                     {words("count --splits -3 --algorithm split_kv"), "--splits"},
                     {words("count --rescale-threshold 1 --algorithm fa1"), "--rescale-threshold"},
                     {words("count --causal=false"), "causal"},
                     {words("count --json=7"), "json"}});
  for (const char* value : {"junk", "", ",", "score", "score=", "=fp16", "score=fp64", "x=fp16",
                            "score=fp16,", "score=fp16;output=fp16"}) {
    check_refused({"run", "--precision", value}, "--precision");
  }
}

TEST_CASE("an empty text is refused by every option, not taken for a default") {
  for (const char* option : {"--problem",
                             "--dtype",
                             "--window",
                             "--mask",
                             "--algorithm",
                             "--q",
                             "--k",
                             "--v",
                             "--tensors",
                             "--prefix",
                             "--layout",
                             "--distribution",
                             "--kv-order",
                             "--fa1-workspace",
                             "--precision",
                             "--device",
                             "--placement",
                             "--verify",
                             "--reference-input",
                             "--out",
                             "--lse"}) {
    check_refused({"run", option, ""}, option);
    check_refused({"run", std::string(option) + "="}, option);
  }
  check_refused({"walk", "--rows", ""}, "--rows");
  check_refused({"device", ""}, "empty");
}

TEST_CASE("tiles larger than the named device's SRAM are refused") {
  check_all_refused({{words("count --q-tile 4096 --device a100-80"), "a100-80"},
                     {words("walk --q-tile 65536 --kv-tile 65536 --device h100 --q-len 4"), "h100"},
                     {words("count --head-dim 512 --device toy"), "toy"}});
}

TEST_CASE("ops that are not shown cost a walk next to nothing") {
  Surroundings brief;
  brief.seconds = 10;
  output_of(words("walk --kv-len 100000 --q-len 16 --to 3"), brief);
}

TEST_CASE("parts of a walk that do not exist are refused") {
  check_all_refused({{words("walk --rows junk"), "--rows"},
                     {{"walk", "--rows", ""}, "--rows"},
                     {words("walk --rows 4"), "--rows 4"},
                     {words("walk --rows 100"), "--rows 100"},
                     {words("walk --rows 3-1"), "--rows"},
                     {words("walk --rows=-1"), "--rows"},
                     {words("walk --rows 0,"), "--rows"},
                     {words("walk --rows 0-9999999999"), "--rows"},
                     {words("walk --rows 9223372036854775807"), "--rows"},
                     {words("walk --rows 0-9223372036854775807"), "--rows"},
                     {words("walk --rows 0,3"), "--rows"},
                     {words("walk --work-item 2"), "--work-item"},
                     {words("walk --work-item=-1"), "--work-item"},
                     {words("walk --work-item 9223372036854775807"), "--work-item"},
                     {words("walk --head 1"), "--head"},
                     {words("walk --head=-1"), "--head"},
                     {words("walk --from 5 --to 3"), "--from"},
                     {words("walk --from=-1"), "--from"},
                     {words("walk --to=-1"), "--to"},
                     {words("walk --from 100000"), "--from"}});
}

TEST_CASE("options about input exclude each other and the made-up problems") {
  check_all_refused({{words("count --problem pencil --q-len 5"), "--q-len"},
                     {words("walk --problem pencil --seed 3"), "--seed"},
                     {words("run --problem whisper-encoder --head-dim 32"), "--head-dim"},
                     {words("run --layout bshd"), "--layout"},
                     {words("run --problem pencil --q a.npy"), "--problem"},
                     {words("run --q a.npy"), "--k"},
                     {words("run --tensors a.safetensors"), "--prefix"},
                     {words("run --prefix x"), "--tensors"},
                     {words("run --tensors a.safetensors --prefix x --q a.npy"), "--tensors"},
                     {{"run", "--q", "", "--k", "", "--v", ""}, "--q"},
                     {{"run", "--tensors", "", "--prefix", ""}, "--"},
                     {{"run", "--q-len", "4", "--layout", ""}, "--layout"}});
}

}  // namespace flashscope::terminal_tests
