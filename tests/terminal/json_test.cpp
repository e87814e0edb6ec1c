// The JSON that other programs may rely on: the fields of flashscope.count/1, run/1 and walk/1,
// their types, and the sums that hold between them. More fields are welcome; these stay.
#include <algorithm>

#include <doctest/doctest.h>

#include "tests/terminal/command.h"

namespace flashscope::terminal_tests {
namespace {

using nlohmann::json;

const Arguments kGolden = words(
    "count --batch 4 --q-heads 16 --q-len 4096 --head-dim 64 --q-tile "
    "128 --kv-tile 64");

// Numbers are finite, or one of three strings.
void check_number(const json& value) {
  CAPTURE(value);
  CHECK((value.is_number() || value == "inf" || value == "-inf" || value == "nan"));
}

void check_integers(const json& object, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    CAPTURE(name);
    REQUIRE(object.contains(name));
    CHECK(object[name].is_number_integer());
  }
}

void check_problem(const json& problem) {
  check_integers(problem, {"batch", "q_heads", "kv_heads", "q_len", "kv_len", "head_dim"});
  CHECK(problem.at("scale").is_number());
  CHECK(problem.at("dtype").is_string());
  const json& mask = problem.at("mask");
  CHECK(mask.at("causal").is_boolean());
  CHECK(mask.at("window").size() == 2);
  CHECK((mask.at("expression").is_null() || mask.at("expression").is_string()));
}

void check_counts(const json& counts) {
  CHECK(counts.at("name").is_string());
  check_integers(counts,
                 {"q_tile", "kv_tile", "work_items", "load_bytes", "store_bytes", "init_bytes",
                  "total_bytes", "matmul_flops", "useful_flops", "exponentials", "rescales"});
  check_integers(counts.at("steps"), {"full", "partial", "empty"});
  CHECK((counts.at("closed_form_bytes").is_null() ||
         counts.at("closed_form_bytes").is_number_integer()));
  std::int64_t loads = 0, stores = 0;
  for (const json& row : counts.at("traffic")) {
    CHECK(row.at("phase").is_string());
    CHECK(row.at("tensor").is_string());
    const std::int64_t bytes = row.at("bytes").get<std::int64_t>();
    REQUIRE((row.at("direction") == "load" || row.at("direction") == "store"));
    (row["direction"] == "load" ? loads : stores) += bytes;
  }
  const std::int64_t load_bytes = counts["load_bytes"], store_bytes = counts["store_bytes"];
  const std::int64_t init_bytes = counts["init_bytes"];
  CHECK(loads == load_bytes);
  // The initialising stores are a row of their own, and stand apart in the totals.
  CHECK(stores == store_bytes + init_bytes);
  CHECK(load_bytes + store_bytes == counts["total_bytes"].get<std::int64_t>());
}

struct Golden {
  Arguments arguments;
  std::int64_t load_bytes, store_bytes, init_bytes;
};

}  // namespace

TEST_CASE("count prints the golden traffic of B4 H16 N4096 D64 fp16 in tiles of 128 x 64") {
  const Golden goldens[] = {
      {{"--algorithm", "fa2"}, 2181038080, 34603008, 0},
      {{"--algorithm", "fa2", "--causal"}, 1140850688, 34603008, 0},
      {{"--algorithm", "standard"}, 8589934592, 4329570304, 0},
      {{"--algorithm", "fa1"}, 6643777536, 4394582016, 69206016},
  };
  for (const Golden& golden : goldens) {
    const json counts = json_of(kGolden + golden.arguments).at("algorithms").at(0);
    CAPTURE(counts);
    CHECK(counts["load_bytes"] == golden.load_bytes);
    CHECK(counts["store_bytes"] == golden.store_bytes);
    CHECK(counts["init_bytes"] == golden.init_bytes);
    CHECK(counts["closed_form_bytes"] == counts["total_bytes"]);
  }
}

TEST_CASE("flashscope.count/1 has every field that design promises, for all algorithms and masks") {
  for (const char* mask : {"", "--causal", "--window 100,0", "--mask q>=k||k<4", "--mask k>q+h"}) {
    const json output =
        json_of(words("count --algorithm all --q-len 300 --kv-len 333 --q-heads 4 --kv-heads 2") +
                words(mask));
    CHECK(output.at("schema") == "flashscope.count/1");
    check_problem(output.at("problem"));
    REQUIRE(output.at("algorithms").size() >= 4);
    for (const json& counts : output["algorithms"]) {
      CAPTURE(mask);
      CAPTURE(counts["name"]);
      check_counts(counts);
      CHECK(counts["closed_form_bytes"].is_null() == std::string_view(mask).starts_with("--mask"));
    }
  }
}

TEST_CASE("flashscope.run/1 has every field that design promises, and its counts are count's") {
  const Arguments problem = words("--q-len 200 --q-heads 2 --causal --q-tile 64 --kv-tile 32");
  const json output = json_of(words("run") + problem);
  CHECK(output.at("schema") == "flashscope.run/1");
  check_problem(output.at("problem"));
  CHECK(output.at("algorithm") == "fa2");
  CHECK(output.at("max_abs_error").is_number());
  CHECK(output.at("rmse").is_number());
  CHECK(output.at("lse_max_abs_error").is_number());
  CHECK(output.at("verified_rows") == 400);
  check_integers(output, {"rescales_applied"});
  CHECK(output.at("seconds").is_number());
  check_counts(output.at("counts"));
  CHECK(output["counts"] == json_of(words("count") + problem).at("algorithms").at(0));
}

TEST_CASE("errors that were not computed are null in run's JSON") {
  const json output = json_of(words("run --q-len 16 --verify none"));
  CHECK(output.at("max_abs_error").is_null());
  CHECK(output.at("rmse").is_null());
  CHECK(output.at("lse_max_abs_error").is_null());
  CHECK(output.at("verified_rows") == 0);
}

TEST_CASE("flashscope.walk/1 is one object a line with every field that design promises") {
  for (const char* algorithm : {"standard", "fa1", "fa2", "split_kv"}) {
    CAPTURE(algorithm);
    std::int64_t load_bytes = 0, store_bytes = 0, op = -1;
    const std::vector<json> objects = json_lines_of({"walk", "--algorithm", algorithm});
    REQUIRE(objects.size() > 5);
    for (const json& object : objects) {
      CAPTURE(object);
      CHECK(object.at("schema") == "flashscope.walk/1");
      check_integers(object, {"op", "work_item", "load_bytes", "store_bytes"});
      for (const char* name : {"kind", "line", "actor"}) CHECK(object.at(name).is_string());
      REQUIRE(object.contains("q_tile"));
      const json& kv_tile = object.at("kv_tile");
      const json& tile_class = object.at("tile_class");
      REQUIRE((kv_tile.is_null() || kv_tile.is_number_integer()));
      if (kv_tile.is_null()) CHECK(tile_class.is_null());
      if (!tile_class.is_null()) {
        CHECK((tile_class == "full" || tile_class == "partial" || tile_class == "empty"));
      }
      for (const auto& [name, values] : object.at("changed").items()) {
        REQUIRE(values.is_array());
        for (const json& value : values) {
          if (value.is_array()) {
            for (const json& element : value) check_number(element);
          } else {
            check_number(value);
          }
        }
      }
      CHECK(object["load_bytes"].get<std::int64_t>() >= load_bytes);
      CHECK(object["store_bytes"].get<std::int64_t>() >= store_bytes);
      CHECK(object["op"].get<std::int64_t>() > op);
      load_bytes = object["load_bytes"];
      store_bytes = object["store_bytes"];
      op = object["op"];
    }
    CHECK(load_bytes > 0);
    CHECK(store_bytes > 0);
  }
}

TEST_CASE("in fa2's walk kv_tile and tile_class are null exactly outside the inner loop") {
  const std::vector<json> objects = json_lines_of(words("walk --causal --work-item 0"));
  for (const json& object : objects) {
    const std::string line = object["line"];
    const bool outside = line == "load Q" || line == "m = -inf" || line == "l = 0" ||
                         line == "O = 0" || line == "O = O / l" || line.starts_with("LSE") ||
                         line.starts_with("store");
    CAPTURE(line);
    CHECK(object["kv_tile"].is_null() == outside);
    CHECK(object["tile_class"].is_null() == outside);
  }
}

TEST_CASE("numbers that are not finite are strings in walk's JSON") {
  bool seen = false;
  for (const json& object : json_lines_of(words("walk --causal"))) {
    if (object["changed"].contains("m") && object["changed"]["m"].at(0) == "-inf") seen = true;
  }
  CHECK(seen);
  const Result nan =
      run_command(words("walk --distribution constant:1e38 --q-len 4 --dtype fp32 "
                        "--scale 1e9 --json"));
  CHECK(nan.exit_code == 0);
  for (const std::string& line : lines_of(nan.out)) CHECK(json::accept(line));
}

TEST_CASE("the bytes of all work items' walks add up to what count says") {
  const Arguments problem = words("--q-len 40 --kv-len 50 --head-dim 4 --q-tile 16 --kv-tile 16");
  for (const char* algorithm : {"standard", "fa1", "fa2", "split_kv"}) {
    const Arguments all = problem + Arguments{"--algorithm", algorithm};
    const json counts = json_of(words("count") + all).at("algorithms").at(0);
    const std::int64_t work_items = counts["work_items"];
    std::int64_t load_bytes = 0, store_bytes = 0;
    for (std::int64_t item = 0; item < work_items; ++item) {
      const std::string text = output_of(words("walk --work-item " + std::to_string(item)) + all);
      // "19 ops shown; what was walked loaded 1,280 B and stored 320 B": rows that are not shown,
      // too.
      const Arguments footer = words(lines_of(text).back());
      const auto after = [&](const char* word) {
        std::string number = *(std::find(footer.begin(), footer.end(), word) + 1);
        std::erase(number, ',');
        return std::stoll(number);
      };
      CHECK(footer.front() != "0");
      load_bytes += after("loaded");
      store_bytes += after("stored");
    }
    CHECK(load_bytes == counts["load_bytes"].get<std::int64_t>());
    CHECK(store_bytes ==
          counts["store_bytes"].get<std::int64_t>() + counts["init_bytes"].get<std::int64_t>());
  }
}

TEST_CASE("every subcommand that computes speaks JSON that names its schema") {
  for (const char* command : {"count", "run --q-len 8", "fit", "device", "device h100",
                              "fit --algorithm all --device h100"}) {
    CAPTURE(command);
    CHECK(json_of(words(command)).at("schema").get<std::string>().starts_with("flashscope."));
  }
}

}  // namespace flashscope::terminal_tests
