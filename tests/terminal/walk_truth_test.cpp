// What a walk says of the numbers: the prefix truth agrees with the state after every step,
// whatever the algorithm and the mask, and the last O of a walk is the O that run writes.
#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include "sim/io/npy.h"
#include "tests/io/io_test_support.h"
#include "tests/terminal/command.h"

namespace flashscope::terminal_tests {
namespace {

using nlohmann::json;

double number(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "nan") return NAN;
  return value == "inf" ? INFINITY : -INFINITY;
}

bool close(const json& here, const json& want) {
  const double a = number(here), b = number(want);
  return a == b || std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(b));
}

// The number of rows that were compared.
int check_prefix_truth(const std::vector<json>& objects) {
  int compared = 0;
  for (const json& object : objects) {
    if (!object.contains("prefix_truth")) continue;
    for (const json& row : object["prefix_truth"]) {
      CAPTURE(object["op"]);
      CAPTURE(row);
      ++compared;
      CHECK(close(row["lse"], row["lse_true"]));
      REQUIRE(row["o"].size() == row["o_true"].size());
      for (std::size_t d = 0; d < row["o"].size(); ++d) CHECK(close(row["o"][d], row["o_true"][d]));
    }
  }
  return compared;
}

const std::vector<Arguments> kMasks = {
    {},
    {"--causal"},
    {"--window", "3,0"},
    {"--window", "-1,2"},
    {"--causal", "--window", "5,5"},
    {"--mask", "q >= k && q-k < 4 || k < 2"},
    {"--mask", "(q + k + h) % 3 == 0"},
    {"--mask", "k > 100"},
    {"--kv-order", "descending"},
    {"--scale", "-0.5"},
    {"--kv-len", "7", "--causal"},
    {"--kv-len", "0"},
};

}  // namespace

TEST_CASE("the prefix truth agrees in fp32 after every step, for every algorithm and mask") {
  const Arguments problem = words(
      "walk --q-len 13 --head-dim 3 --dtype fp32 --q-tile 4 --kv-tile 4 "
      "--q-heads 2 --kv-heads 1 --head 1");
  for (const char* algorithm : {"standard", "fa1", "fa2", "split_kv"}) {
    for (const Arguments& mask : kMasks) {
      const Arguments all = problem + Arguments{"--algorithm", algorithm} + mask;
      const std::string command = typed(all);
      CAPTURE(command);
      const Result result = run_command(all + Arguments{"--json"});
      // fa1's outer loop has one order only.
      REQUIRE((result.exit_code == 0 || result.err.find("--kv-order") != std::string::npos));
      if (result.exit_code != 0) continue;
      std::vector<json> objects;
      for (const std::string& line : lines_of(result.out)) objects.push_back(json::parse(line));
      const int compared = check_prefix_truth(objects);
      const bool steps = mask != Arguments{"--mask", "k > 100"} &&
                         mask != Arguments{"--kv-len", "0"} &&
                         std::string_view(algorithm) != "standard";
      // Rows 0 to 3 of 13 see none of 7 keys when causal: nothing to compare is right there.
      const bool blind = mask == Arguments{"--kv-len", "7", "--causal"};
      CHECK((compared > 0) == (steps && !blind));
      CHECK_FALSE(output_of(all).empty());
    }
  }
}

TEST_CASE("packed query heads keep their prefix truth") {
  const std::vector<json> objects = json_lines_of(
      words("walk --q-len 5 --head-dim 4 --q-heads 4 --kv-heads 2 --pack-gqa --causal "
            "--dtype fp32 --q-tile 8 --kv-tile 2 --rows 0-7"));
  CHECK(check_prefix_truth(objects) > 0);
}

TEST_CASE("the last O of a walk is the O that run writes, bit for bit") {
  const io::TemporaryFolder folder;
  for (const char* options :
       {"--problem pencil", "--problem pencil --causal", "--q-len 10 --head-dim 8 --dtype fp32",
        "--q-len 10 --kv-len 6 --head-dim 8 --dtype fp16 --causal"}) {
    for (const char* algorithm : {"fa1", "fa2", "split_kv", "standard"}) {
      const Arguments all =
          words(options) + words("--q-tile 2 --kv-tile 2 --algorithm") + Arguments{algorithm};
      const std::string command = typed(all);
      CAPTURE(command);
      output_of(words("run --out") + Arguments{folder / "o.npy"} + all);
      const io::Array o = io::read_npy(folder / "o.npy");
      const std::int64_t rows = o.shape.at(2), columns = o.shape.at(3);
      std::map<std::int64_t, json> walked;
      for (std::int64_t row = 0; row < rows; ++row) {
        for (const json& object :
             json_lines_of(words("walk --rows") + Arguments{std::to_string(row)} + all)) {
          if (object["changed"].contains("O") && object["rows"] == json{row}) {
            walked[row] = object["changed"]["O"].at(0);
          }
        }
      }
      REQUIRE(walked.size() == static_cast<std::size_t>(rows));
      if (o.type != io::ElementType::f32) continue;
      const std::vector<double> written = io::elements_of(o);
      for (std::int64_t n = 0; n < rows * columns; ++n) {
        CHECK(number(walked[n / columns][static_cast<std::size_t>(n % columns)]) ==
              written[static_cast<std::size_t>(n)]);
      }
    }
  }
}

}  // namespace flashscope::terminal_tests
