// Records and their comparison with the simulator: what was written is read again, the golden
// counts stand beside what a device read, and whatever is no record is refused in one line.
#include "sim/model/compare.h"

#include <doctest/doctest.h>

#include "sim/error.h"
#include "sim/model/record.h"

namespace flashscope {
namespace {

// What an H200 read for B4 H16 N4096 D64 fp16, 128 q rows.
RecordRow fa2_row() {
  RecordRow row;
  row.algorithm = "fa2";
  row.problem.batch = 4;
  row.problem.q_heads = row.problem.kv_heads = 16;
  row.problem.q_len = row.problem.kv_len = 4096;
  row.problem.head_dim = 64;
  row.problem.scale = 0.125;
  row.tiling.q_tile_rows = 128;
  row.tiling.kv_tile_rows = 64;
  row.warps = 4;
  row.stages = 2;
  row.us = Spread{500.5, 498.0, 510.25, 30};
  row.max_abs_error = 1e-4;
  row.tolerance = 1e-3;
  row.kernels = {{"fa2_kernel", 2182000000, 100700000, 26800000, std::nullopt}};
  return row;
}

Record small_record() {
  Record record;
  record.date = "2026-01-31";
  record.command = "flashscope-gpu record";
  record.device = {.name = "NVIDIA H200",
                   .compute_capability = "9.0",
                   .driver = "580.1",
                   .runtime = "CUDA 13.0",
                   .sm_count = 132,
                   .l2_bytes = 62914560,
                   .memory_bytes = 150000000000,
                   .copy_bytes_per_s = 4.3e12,
                   .sm_clock_mhz = 1980,
                   .temperature_c = std::nullopt};
  record.counters = "ncu";
  record.rows = {fa2_row()};
  RecordRow split = fa2_row();
  split.algorithm = "split_kv";
  split.problem.q_heads = 32;
  split.problem.q_len = 1;
  split.problem.mask.causal = true;
  split.tiling.splits = 7;
  split.tiling.pack_gqa = true;
  split.us.reset();
  split.kernels = {{"split_kv_kernel", 1000, 2000, 3000, 4000},
                   {"combine_splits_kernel", std::nullopt, 20, 30, 40}};
  record.rows.push_back(split);
  record.traces = {{"fa2", fa2_row().problem, fa2_row().tiling, {{{"batch", 0}, {"m", 1.5}}}}};
  return record;
}

std::string text_of(const Record& record) { return to_json(record).dump(1); }

std::string why_refused(const std::string& text) {
  try {
    compare(parse_record(text, "r.json"), "r.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  text.replace(at, from.size(), to);
}

TEST_CASE("a record that was written is read back the same") {
  const std::string text = text_of(small_record());
  CHECK(text_of(parse_record(text, "r.json")) == text);
}

TEST_CASE("the simulated bytes of the golden problem stand beside the measured ones") {
  const std::vector<ComparedRow> rows = compare(small_record(), "r.json");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].simulated.l2_to_sm_bytes == 2181038080);
  CHECK(rows[0].simulated.sm_to_l2_bytes == 34603008);
  CHECK(rows[0].simulated.compulsory_load_bytes == 3 * 4 * 16 * 4096 * 64 * 2);
  CHECK(rows[0].measured.l2_to_sm_bytes == 2182000000);
  CHECK(*rows[0].l2_to_sm_ratio() == doctest::Approx(1.00044).epsilon(1e-5));
  CHECK(*rows[0].dram_load_ratio() == doctest::Approx(1.0003).epsilon(1e-4));
}

TEST_CASE("a call's bytes are the sum over its kernels, and missing where one was not counted") {
  const ComparedRow row = compare(small_record(), "r.json")[1];
  CHECK(row.measured.dram_load_bytes == 2020);
  CHECK(row.measured.dram_store_bytes == 3030);
  CHECK(row.measured.shared_bytes == 4040);
  CHECK_FALSE(row.measured.l2_to_sm_bytes.has_value());
  CHECK_FALSE(row.l2_to_sm_ratio().has_value());
}

TEST_CASE("a packed GQA group reads K and V once") {
  const ComparedRow row = compare(small_record(), "r.json")[1];
  const std::int64_t kv_bytes = 2LL * 4 * 16 * 4096 * 64 * 2;
  CHECK(row.simulated.compulsory_load_bytes == kv_bytes + 4 * 32 * 64 * 2);
  // The combine phase adds the partial results: small beside K and V.
  CHECK(row.simulated.l2_to_sm_bytes > kv_bytes);
  CHECK(row.simulated.l2_to_sm_bytes < kv_bytes * 1.1);
}

TEST_CASE("a row without counters, and a record without rows, are no mistakes") {
  Record record = small_record();
  record.rows[0].kernels.clear();
  record.counters.reset();
  const ComparedRow row = compare(parse_record(text_of(record), "r.json"), "r.json")[0];
  CHECK_FALSE(row.measured.dram_load_bytes.has_value());
  record.rows.clear();
  record.traces.clear();
  CHECK(compare(parse_record(text_of(record), "r.json"), "r.json").empty());
}

TEST_CASE("a record that is cut off anywhere is refused") {
  const std::string text = text_of(small_record());
  for (std::size_t size = 0; size < text.size(); size += 37) {
    CHECK(why_refused(text.substr(0, size)) ==
          "r.json: not a record: the JSON is broken or cut off");
  }
}

TEST_CASE("every field of a record is needed, and of its own type") {
  const nlohmann::ordered_json whole = to_json(small_record());
  const auto check_all = [&](const nlohmann::ordered_json::json_pointer& object) {
    for (const auto& [key, value] : whole.at(object).items()) {
      nlohmann::ordered_json broken = whole;
      broken.at(object).erase(key);
      CHECK_MESSAGE(why_refused(broken.dump()).starts_with("r.json: "), object.to_string(), key);
      // A list of lists is right nowhere, "x" only where a text may be anything.
      broken = whole;
      broken.at(object)[key] = nlohmann::ordered_json::array({{1}});
      CHECK_MESSAGE(why_refused(broken.dump()).starts_with("r.json: "), object.to_string(), key);
      if (value.is_string() && key != "algorithm" && key != "dtype") continue;
      broken = whole;
      broken.at(object)[key] = "x";
      const bool free_text = object.to_string().empty() && key == "counters";
      CHECK_MESSAGE(why_refused(broken.dump()).empty() == free_text, object.to_string(), key);
    }
  };
  using Pointer = nlohmann::ordered_json::json_pointer;
  for (const char* const object :
       {"", "/device", "/rows/0", "/rows/0/problem", "/rows/0/problem/mask", "/rows/0/tiling",
        "/rows/0/us", "/rows/1/kernels/0", "/traces/0", "/traces/0/tiling"}) {
    check_all(Pointer(object));
  }
}

TEST_CASE("a record says where its mistake is") {
  const auto refused = [](const char* from, const char* to) {
    std::string text = text_of(small_record());
    replace(text, from, to);
    return why_refused(text);
  };
  CHECK(refused("\"fa2\"", "\"fa9\"") ==
        "r.json: rows[0].algorithm: there is no such algorithm: did you mean 'fa1'?");
  CHECK(refused("\"q_len\": 4096", "\"q_len\": 4096000000000") ==
        "r.json: rows[0].problem.q_len: 4096000000000 is no integer from 0 to 4194304");
  CHECK(
      refused("\"q_len\": 4096", "\"q_len\": 1e3").starts_with("r.json: rows[0].problem.q_len: "));
  CHECK(refused("\"q_len\": 4096", "\"q_len\": -1").starts_with("r.json: rows[0].problem.q_len: "));
  CHECK(refused("\"kv_heads\": 16", "\"kv_heads\": 5").starts_with("r.json: rows[0].problem: "));
  CHECK(refused("\"head_dim\": 64", "\"head_dim\": 4096").starts_with("r.json: rows[0].problem: "));
  CHECK(refused("\"q_tile\": 128", "\"q_tile\": 0").starts_with("r.json: rows[0].tiling.q_tile: "));
  CHECK(refused("\"splits\": 1", "\"splits\": 3").starts_with("r.json: rows[0], fa2: "));
  CHECK(refused("2182000000", "-5").starts_with("r.json: rows[0].kernels[0].l2_to_sm_bytes: "));
  CHECK(refused("2182000000", "99999999999999999999")
            .starts_with("r.json: rows[0].kernels[0].l2_to_sm_bytes: "));
  CHECK(refused("500.5", "1e999") == "r.json: not a record: the JSON is broken or cut off");
  CHECK(refused("flashscope.record/1", "flashscope.count/1") ==
        "r.json: not a record: \"schema\" is not \"flashscope.record/1\"");
  CHECK(why_refused("[1]") == "r.json: not a record: \"schema\" is not \"flashscope.record/1\"");
  CHECK(why_refused(std::string(100000, '[')) ==
        "r.json: not a record: the JSON is broken or cut off");
}

TEST_CASE("nesting that no record has is refused, wherever it stands") {
  Record record = small_record();
  record.rows.resize(1);
  record.traces[0].lines = {{{"batch", "X"}}};
  const std::string text = text_of(record);
  for (const std::size_t depth : {100, 1000000}) {
    const std::string deep = std::string(depth, '[') + std::string(depth, ']');
    for (const char* const place :
         {"\"flashscope.record/1\"", "\"2026-01-31\"", "\"X\"", "500.5"}) {
      std::string broken = text;
      replace(broken, place, deep);
      CHECK_MESSAGE(why_refused(broken) == "r.json: not a record: the JSON is broken or cut off",
                    place);
    }
  }
}

TEST_CASE("a median that does not lie between its extremes is refused") {
  for (const auto& [min, max] : {std::pair{501.0, 510.0}, std::pair{498.0, 500.0}}) {
    Record record = small_record();
    record.rows[0].us = Spread{500.5, min, max, 30};
    CHECK(why_refused(text_of(record)) ==
          "r.json: rows[0].us: the median must lie between min and max");
  }
}

TEST_CASE("large but possible problems are counted at once") {
  Record record = small_record();
  record.rows[0].problem.q_len = record.rows[0].problem.kv_len = 1 << 22;
  record.rows[0].problem.q_heads = record.rows[0].problem.kv_heads = 1;
  record.rows[0].problem.batch = 1;
  CHECK(compare(parse_record(text_of(record), "r.json"), "r.json")[0].simulated.l2_to_sm_bytes > 0);
}

}  // namespace
}  // namespace flashscope
