// Random combinations of valid and invalid options on tiny problems: whatever is typed, the exit
// code is 0 with a silent stderr, or 2 with one line there. FLASHSCOPE_SEED in the environment of
// this test repeats a run; the seed is in every failure's message.
#include <algorithm>
#include <cstdlib>
#include <random>

#include <doctest/doctest.h>

#include "tests/terminal/command.h"

namespace flashscope::terminal_tests {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kRounds = 200;
#else
constexpr int kRounds = 2000;
#endif

struct Choice {
  const char* option;
  std::vector<const char*> good, bad;
};

const std::vector<Choice> kChoices = {
    {"--batch", {"0", "1", "2"}, {"-1", "1000000000000000000", "two"}},
    {"--q-heads", {"1", "2", "4"}, {"0", "3", "-4"}},
    {"--kv-heads", {"1", "2"}, {"0", "3", "x"}},
    {"--q-len", {"0", "1", "5", "16", "33"}, {"-5", "1e3", ""}},
    {"--kv-len", {"0", "1", "7", "16", "40"}, {"-1", "9223372036854775807"}},
    {"--head-dim", {"1", "2", "5", "16"}, {"0", "513"}},
    {"--scale", {"1", "-0.5", "0", "1e30"}, {"nan", "inf", "s"}},
    {"--dtype", {"fp32", "fp16", "bf16", "e4m3"}, {"fp64", ""}},
    {"--window", {"3,0", "-1,2", "0,0", "-1,-1"}, {"-2,0", "1", "1,2,3"}},
    {"--mask",
     {"q>=k", "k%2==0", "h>k", "b==0&&q<4", "k<0", "q-k<3||k<2"},
     {"q>=", "k/0>1", "k/(q-2)>0", "z"}},
    {"--algorithm", {"standard", "fa1", "fa2", "split_kv", "all"}, {"fa9", "x.alg", "/"}},
    {"--q-tile", {"1", "2", "16"}, {"0", "-1", "1000000000000"}},
    {"--kv-tile", {"1", "3", "16"}, {"0", "1000000"}},
    {"--splits", {"1", "2", "3", "9"}, {"0", "-1"}},
    {"--kv-order", {"ascending", "descending"}, {"up"}},
    {"--rescale-threshold", {"0", "8", "1e9"}, {"-1", "nan"}},
    {"--fa1-workspace", {"fp32", "input"}, {"x"}},
    {"--precision", {"score=fp16", "output=fp32,accumulator=bf16"}, {"x=fp16", "score="}},
    {"--device", {"toy", "a100-80", "h100"}, {"tpu"}},
    {"--placement", {"paper", "kernel"}, {"x"}},
    {"--seed", {"1", "18446744073709551615"}, {"-1", "x"}},
    {"--distribution", {"normal", "outliers", "ramp", "constant:2"}, {"zipf", "constant:inf"}},
    {"--threads", {"1", "2"}, {"-1"}},
    {"--problem", {"pencil", "whisper-decoder"}, {"nothing"}},
    {"--layout", {}, {"bshd", "x"}},
};

const std::vector<Choice> kOfWalk = {
    {"--rows", {"0", "0-1", "1,3"}, {"x", "99", "3-1"}},
    {"--head", {"0", "1"}, {"-1", "99"}},
    {"--work-item", {"0", "1", "3"}, {"-1", "9999"}},
    {"--from", {"0", "5", "40"}, {"-1", "9223372036854775807"}},
    {"--to", {"10", "60"}, {"-1"}},
};

const std::vector<Choice> kOfRun = {
    {"--verify", {"auto", "all", "sample", "none"}, {"x"}},
    {"--reference-input", {"rounded", "exact"}, {"x"}},
};

class Typist {
 public:
  explicit Typist(std::uint64_t seed) : random_(seed) {}

  Arguments command() {
    const char* const commands[] = {"count", "walk", "run", "fit"};
    const std::string name = commands[below(4)];
    Arguments arguments = {name};
    // Short by default, so that most of what runs is quick.
    if (below(8) != 0) arguments = arguments + words("--q-len 12 --head-dim 4");
    // Most commands have no mistake at all, some have a few.
    const std::size_t mistakes = below(3) == 0 ? 8 : 1000000;
    add_some(kChoices, 6, mistakes, arguments);
    if (name == "walk") add_some(kOfWalk, 3, mistakes, arguments);
    if (name == "run") add_some(kOfRun, 2, mistakes, arguments);
    for (const char* flag : {"--causal", "--pack-gqa", "--json"}) {
      if (below(4) == 0) arguments.emplace_back(flag);
    }
    return arguments;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  void add_some(const std::vector<Choice>& choices, std::size_t most, std::size_t mistakes,
                Arguments& arguments) {
    for (std::size_t n = below(most + 1); n > 0; --n) {
      const Choice& choice = choices[below(choices.size())];
      const bool bad = below(mistakes) == 0;
      const auto& values = bad ? choice.bad : choice.good;
      if (values.empty()) continue;
      const std::string value = values[below(values.size())];
      const auto same = std::find(arguments.begin(), arguments.end(), choice.option);
      if (same != arguments.end()) {
        *(same + 1) = value;  // an option given twice is a mistake of its own
      } else {
        arguments.emplace_back(choice.option);
        arguments.push_back(value);
      }
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE(
    "no combination of options ends in anything but exit code 0 or one line and exit code 2") {
  const char* const given = std::getenv("FLASHSCOPE_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 20240607;
  Typist typist(seed);
  int accepted = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Arguments arguments = typist.command();
    const Result result = run_command(arguments);
    const std::string command = typed(arguments);
    CAPTURE(seed);
    CAPTURE(command);
    if (result.exit_code == 0) {
      ++accepted;
      CHECK(result.err == "");
      CHECK((!result.out.empty() ||
             std::find(arguments.begin(), arguments.end(), "--json") != arguments.end()));
    } else {
      CHECK(fault_of_refusal(result, "") == "");
    }
  }
  // Neither half of the test may wither away unseen.
  CAPTURE(accepted);
  CHECK(accepted > kRounds / 5);
  CHECK(accepted < kRounds * 4 / 5);
}

}  // namespace flashscope::terminal_tests
