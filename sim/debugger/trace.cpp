// Reading kernel traces; see trace.h.
#include "sim/debugger/trace.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/parse_json.h"
#include "sim/scenario/problem_json.h"

namespace flashscope {
namespace {

constexpr int kRecordsToRecognise = 64;

class LineReader {
 public:
  LineReader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}: {}", where_, what));
  }
  const Json& field(const char* name) const {
    if (!json_.contains(name)) fail(fmt::format("a record needs \"{}\"", name));
    return json_.at(name);
  }
  std::int64_t index(const char* name, std::int64_t end) const {
    const Json& value = field(name);
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0 ||
        value.get<std::int64_t>() >= end) {
      fail(fmt::format("\"{}\" is {}: it must be an integer from 0 to {}", name, value.dump(),
                       end - 1));
    }
    return value.get<std::int64_t>();
  }
  double number(const Json& value, const char* name) const {
    if (value.is_number()) return value.get<double>();
    if (value == "inf") return INFINITY;
    if (value == "-inf") return -INFINITY;
    if (value == "nan") return NAN;
    fail(fmt::format("\"{}\" is no number", name));
  }
  double number(const char* name) const { return number(field(name), name); }

 private:
  const Json& json_;
  std::string where_;
};

KeySet with_keys(const KeySet& before, std::int64_t begin, std::int64_t end) {
  std::vector<IndexRange> ranges = {{begin, end}};
  for (const auto& [b, e] : before) ranges.push_back({b, e});
  std::sort(ranges.begin(), ranges.end(),
            [](const IndexRange& x, const IndexRange& y) { return x.begin < y.begin; });
  KeySet keys;
  for (const IndexRange& range : ranges) {
    if (!keys.empty() && range.begin <= keys.back().second) {
      keys.back().second = std::max(keys.back().second, range.end);
    } else {
      keys.emplace_back(range.begin, range.end);
    }
  }
  return keys;
}

}  // namespace

TraceSide::TraceSide(const Scenario& scenario, const std::string& path)
    : scale_(scenario.problem.scale), kv_len_(scenario.problem.kv_len) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("--trace {}: no trace can be read there", path));
  const Problem& problem = scenario.problem;
  std::string line;
  bool base_known = false, scaled_known = false;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    const Json json = io::parse_json(line);
    if (json.is_discarded() || !json.is_object()) {
      throw Error(fmt::format("{}: not a JSON object: a trace holds one a line", where));
    }
    const LineReader reader(json, where);
    if (json.contains("schema")) {
      if (json["schema"] != "flashscope.trace/1")
        reader.fail("\"schema\" is not flashscope.trace/1");
      if (json.contains("base")) {
        base_known = true;
        read_as_.base2 = json["base"] == 2;
        if (!read_as_.base2 && json["base"] != "e") reader.fail("\"base\" is neither \"e\" nor 2");
      }
      if (json.contains("scaled")) {
        if (!json["scaled"].is_boolean()) reader.fail("\"scaled\" is neither true nor false");
        scaled_known = true;
        read_as_.scaled = json["scaled"].get<bool>();
      }
      if (json.contains("o")) o_normalised_ = json["o"] == "normalised";
      continue;
    }
    const std::array<std::int64_t, 3> row = {reader.index("batch", problem.batch),
                                             reader.index("head", problem.q_heads),
                                             reader.index("row", problem.q_len)};
    const std::int64_t begin = reader.index("kv_begin", kv_len_ + 1);
    const std::int64_t end = reader.index("kv_end", kv_len_ + 1);
    if (end < begin) reader.fail("\"kv_end\" is before \"kv_begin\"");
    std::vector<Record>& records = rows_[row];
    Record record;
    record.keys = with_keys(records.empty() ? KeySet{} : records.back().keys, begin, end);
    record.m = reader.number("m");
    record.l = reader.number("l");
    if (std::isnan(record.m) || std::isnan(record.l)) {
      reader.fail(
          fmt::format("batch {}, head {}, row {}: {} is NaN behind keys {} to {}: the "
                      "kernel's state was lost there or before",
                      row[0], row[1], row[2], std::isnan(record.m) ? "m" : "l", begin, end - 1));
    }
    if (json.contains("O")) {
      if (!json["O"].is_array() ||
          static_cast<std::int64_t>(json["O"].size()) != problem.head_dim) {
        reader.fail(fmt::format("\"O\" must be a list of head_dim = {} numbers", problem.head_dim));
      }
      for (const Json& value : json["O"]) record.o.push_back(reader.number(value, "O"));
    }
    records.push_back(std::move(record));
    ++records_;
  }
  if (records_ == 0) throw Error(fmt::format("--trace {}: the trace holds no record", path));
  require_whole_heads(problem, path);
  recognise(scenario, base_known, scaled_known);
}

void TraceSide::require_whole_heads(const Problem& problem, const std::string& path) const {
  const Band band = make_band(problem.q_len, problem.kv_len, problem.mask.causal,
                              problem.mask.window_left, problem.mask.window_right);
  for (const auto& [key, records] : rows_) {
    const auto [batch, head, row] = key;
    // The next row of this head, or the first one; kernels need not log rows without keys.
    const bool first = rows_.lower_bound({batch, head, 0})->first == key;
    for (std::int64_t r = first ? 0 : row + 1; r < problem.q_len; ++r) {
      if (r == row) continue;
      if (rows_.contains({batch, head, r})) break;
      if (problem.mask.expression || visible_keys(band, r).empty()) continue;
      throw Error(fmt::format("{}: row {} of batch {}, head {} is missing: trace whole heads", path,
                              r, batch, head));
    }
  }
}

double TraceSide::lse(const Record& record, const Convention& convention) const {
  if (record.l == 0) return -INFINITY;
  double m = record.m;
  if (convention.base2) m *= std::numbers::ln2;
  if (!convention.scaled) m *= scale_;
  return m + std::log(record.l);
}

// Of the conventions that no header rules out, the one under which most of the first records say
// what fp64 says; ties go to the plain one.
void TraceSide::recognise(const Scenario& scenario, bool base_known, bool scaled_known) {
  const reference::Inputs inputs =
      reference_inputs(scenario, scenario.problem.dtype, ReferenceInput::rounded);
  const Convention declared = read_as_;
  int best = -1;
  for (const bool base2 : {false, true}) {
    for (const bool scaled : {true, false}) {
      if (base_known && base2 != declared.base2) continue;
      if (scaled_known && scaled != declared.scaled) continue;
      int agreeing = 0, seen = 0;
      for (const auto& [row, records] : rows_) {
        if (++seen > kRecordsToRecognise) break;
        const Record& record = records.front();
        std::vector<IndexRange> keys;
        for (const auto& [b, e] : record.keys) keys.push_back({b, e});
        const std::vector<std::int64_t> query = {row[2]};
        const double truth =
            reference::attention_over(scenario.problem, inputs, row[0], row[1], query, keys).lse[0];
        const double here = lse(record, {base2, scaled});
        if (here == truth || std::abs(here - truth) < 0.02 * std::max(1.0, std::abs(truth))) {
          ++agreeing;
        }
      }
      if (agreeing > best) {
        best = agreeing;
        read_as_ = {base2, scaled};
      }
    }
  }
  const int seen = static_cast<int>(std::min<std::size_t>(rows_.size(), kRecordsToRecognise));
  const bool fits = 2 * best >= seen;
  if (!fits) read_as_ = declared;  // wrong from the first tile on: nothing can be told
  name_convention(base_known && scaled_known ? "declared" : (fits ? "recognised" : "assumed"));
}

void TraceSide::name_convention(const std::string& how) {
  convention_ = fmt::format("{}, {} ({})", read_as_.base2 ? "base 2" : "natural logarithm",
                            read_as_.scaled ? "scaled" : "before the scale", how);
}

RowStates TraceSide::states(std::int64_t batch, std::int64_t head, IndexRange rows) const {
  RowStates result;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const auto found = rows_.find({batch, head, row});
    if (found == rows_.end()) continue;
    for (const Record& record : found->second) {
      PrefixState state;
      state.op = static_cast<std::int64_t>(&record - found->second.data());
      state.keys = record.keys;
      state.lse = lse(record, read_as_);
      for (const double value : record.o) {
        state.o.push_back(o_normalised_ ? value : (record.l == 0 ? 0 : value / record.l));
      }
      result[row].push_back(std::move(state));
    }
  }
  return result;
}

}  // namespace flashscope
