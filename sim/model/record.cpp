// Records from and to JSON; see record.h.
#include "sim/model/record.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "sim/attention/algorithm.h"
#include "sim/error.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/file_bytes.h"
#include "sim/io/parse_json.h"
#include "sim/model/json_fields.h"
#include "sim/scenario/problem_json.h"

namespace flashscope {
namespace {

constexpr const char* kSchema = "flashscope.record/1";
constexpr std::int64_t kMostInteger = std::numeric_limits<std::int64_t>::max();
constexpr double kMostNumber = 1e300;
// Beyond these no GPU ran anything, and the simulator would walk the rows for minutes.
constexpr std::int64_t kMostHeads = 1 << 20, kMostLength = 1 << 22;
constexpr std::int64_t kFewestTileRows = 16, kMostTileRows = 4096, kMostSplits = 4096;

Format read_format(const JsonField& field) {
  const std::string name = field.text();
  for (const Format format : {Format::fp32, Format::fp16, Format::bf16, Format::e4m3}) {
    if (name == name_of(format)) return format;
  }
  field.fail("it must be fp32, fp16, bf16 or e4m3");
}

// The shape that to_json(Problem) writes.
Problem read_problem(const JsonField& field) {
  Problem problem;
  problem.batch = field["batch"].integer(0, kMostHeads);
  problem.q_heads = field["q_heads"].integer(1, kMostHeads);
  problem.kv_heads = field["kv_heads"].integer(1, kMostHeads);
  problem.q_len = field["q_len"].integer(0, kMostLength);
  problem.kv_len = field["kv_len"].integer(0, kMostLength);
  problem.head_dim = field["head_dim"].integer(1, kMostLength);
  problem.scale = field["scale"].number(-kMostNumber, kMostNumber);
  problem.dtype = read_format(field["dtype"]);
  const JsonField mask = field["mask"];
  problem.mask.causal = mask["causal"].boolean();
  const std::vector<JsonField> window = mask["window"].elements();
  if (window.size() != 2) mask["window"].fail("it must be [left, right]");
  problem.mask.window_left = window[0].integer(kUnbounded, kMostLength);
  problem.mask.window_right = window[1].integer(kUnbounded, kMostLength);
  if (!mask["expression"].is_null()) {
    mask["expression"].fail("it must be null: kernels have no mask expressions");
  }
  try {
    validate(problem);
  } catch (const Error& error) {
    field.fail(error.what());
  }
  return problem;
}

Tiling read_tiling(const JsonField& field) {
  Tiling tiling;
  tiling.q_tile_rows = field["q_tile"].integer(kFewestTileRows, kMostTileRows);
  tiling.kv_tile_rows = field["kv_tile"].integer(kFewestTileRows, kMostTileRows);
  tiling.splits = field["splits"].integer(1, kMostSplits);
  tiling.pack_gqa = field["pack_gqa"].boolean();
  return tiling;
}

std::string read_algorithm(const JsonField& field) {
  const std::string name = field.text();
  const std::vector<std::string> names = built_in_algorithm_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    field.fail("there is no such algorithm: " + nearest_name(name, names));
  }
  return name;
}

KernelCounters read_kernel(const JsonField& field) {
  KernelCounters kernel;
  kernel.name = field["name"].text();
  kernel.l2_to_sm_bytes = field["l2_to_sm_bytes"].optional_integer(0, kMostInteger);
  kernel.dram_load_bytes = field["dram_load_bytes"].optional_integer(0, kMostInteger);
  kernel.dram_store_bytes = field["dram_store_bytes"].optional_integer(0, kMostInteger);
  kernel.shared_bytes = field["shared_bytes"].optional_integer(0, kMostInteger);
  return kernel;
}

RecordRow read_row(const JsonField& field) {
  RecordRow row;
  row.algorithm = read_algorithm(field["algorithm"]);
  row.problem = read_problem(field["problem"]);
  row.tiling = read_tiling(field["tiling"]);
  row.warps = field["warps"].integer(0, kMostTileRows);
  row.stages = field["stages"].integer(0, kMostTileRows);
  if (const JsonField us = field["us"]; !us.is_null()) {
    row.us = {us["median"].number(0, kMostNumber), us["min"].number(0, kMostNumber),
              us["max"].number(0, kMostNumber), us["count"].integer(1, kMostInteger)};
    if (row.us->min > row.us->median || row.us->median > row.us->max) {
      us.fail("the median must lie between min and max");
    }
  }
  row.max_abs_error = field["max_abs_error"].optional_number(0, kMostNumber);
  row.tolerance = field["tolerance"].optional_number(0, kMostNumber);
  for (const JsonField& kernel : field["kernels"].elements()) {
    row.kernels.push_back(read_kernel(kernel));
  }
  return row;
}

RecordedTrace read_trace(const JsonField& field) {
  RecordedTrace trace{read_algorithm(field["algorithm"]),
                      read_problem(field["problem"]),
                      read_tiling(field["tiling"]),
                      {}};
  for (const JsonField& line : field["lines"].elements()) {
    if (!line.json().is_object()) line.fail("it must be an object, a line of a trace");
    trace.lines.push_back(line.json());
  }
  return trace;
}

RecordedDevice read_device(const JsonField& field) {
  RecordedDevice device;
  device.name = field["name"].text();
  device.compute_capability = field["compute_capability"].text();
  device.driver = field["driver"].text();
  device.runtime = field["runtime"].text();
  device.sm_count = field["sm_count"].integer(0, kMostInteger);
  device.l2_bytes = field["l2_bytes"].integer(0, kMostInteger);
  device.memory_bytes = field["memory_bytes"].integer(0, kMostInteger);
  device.copy_bytes_per_s = field["copy_bytes_per_s"].optional_number(0, kMostNumber);
  device.sm_clock_mhz = field["sm_clock_mhz"].optional_number(0, kMostNumber);
  device.temperature_c = field["temperature_c"].optional_number(-kMostNumber, kMostNumber);
  return device;
}

template <typename T>
Json nullable(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json tiling_json(const Tiling& tiling) {
  return {{"q_tile", tiling.q_tile_rows},
          {"kv_tile", tiling.kv_tile_rows},
          {"splits", tiling.splits},
          {"pack_gqa", tiling.pack_gqa}};
}

}  // namespace

Record parse_record(std::string_view text, const std::string& name) {
  const Json json = io::parse_json(text);
  if (json.is_discarded()) {
    throw Error(fmt::format("{}: not a record: the JSON is broken or cut off", name));
  }
  if (!json.is_object() || json.value("schema", Json()) != kSchema) {
    throw Error(fmt::format("{}: not a record: \"schema\" is not \"{}\"", name, kSchema));
  }
  const JsonField root(json, name);
  Record record;
  record.date = root["date"].text();
  record.command = root["command"].text();
  record.device = read_device(root["device"]);
  if (!root["counters"].is_null()) record.counters = root["counters"].text();
  for (const JsonField& row : root["rows"].elements()) record.rows.push_back(read_row(row));
  for (const JsonField& trace : root["traces"].elements()) {
    record.traces.push_back(read_trace(trace));
  }
  return record;
}

Record read_record(const std::string& path) {
  const io::FileBytes file = io::map_file(path);
  return parse_record({reinterpret_cast<const char*>(file.data.get()), file.size_bytes}, file.name);
}

Json to_json(const RecordRow& row) {
  Json kernels = Json::array();
  for (const KernelCounters& kernel : row.kernels) {
    kernels.push_back({{"name", kernel.name},
                       {"l2_to_sm_bytes", nullable(kernel.l2_to_sm_bytes)},
                       {"dram_load_bytes", nullable(kernel.dram_load_bytes)},
                       {"dram_store_bytes", nullable(kernel.dram_store_bytes)},
                       {"shared_bytes", nullable(kernel.shared_bytes)}});
  }
  Json us;
  if (row.us) {
    us = {{"median", row.us->median},
          {"min", row.us->min},
          {"max", row.us->max},
          {"count", row.us->count}};
  }
  return {{"algorithm", row.algorithm},
          {"problem", to_json(row.problem)},
          {"tiling", tiling_json(row.tiling)},
          {"warps", row.warps},
          {"stages", row.stages},
          {"us", us},
          {"max_abs_error", nullable(row.max_abs_error)},
          {"tolerance", nullable(row.tolerance)},
          {"kernels", kernels}};
}

Json to_json(const Record& record) {
  const RecordedDevice& device = record.device;
  Json rows = Json::array(), traces = Json::array();
  for (const RecordRow& row : record.rows) rows.push_back(to_json(row));
  for (const RecordedTrace& trace : record.traces) {
    traces.push_back({{"algorithm", trace.algorithm},
                      {"problem", to_json(trace.problem)},
                      {"tiling", tiling_json(trace.tiling)},
                      {"lines", trace.lines}});
  }
  return {{"schema", kSchema},
          {"date", record.date},
          {"command", record.command},
          {"device",
           {{"name", device.name},
            {"compute_capability", device.compute_capability},
            {"sm_count", device.sm_count},
            {"l2_bytes", device.l2_bytes},
            {"memory_bytes", device.memory_bytes},
            {"driver", device.driver},
            {"runtime", device.runtime},
            {"copy_bytes_per_s", nullable(device.copy_bytes_per_s)},
            {"sm_clock_mhz", nullable(device.sm_clock_mhz)},
            {"temperature_c", nullable(device.temperature_c)}}},
          {"counters", nullable(record.counters)},
          {"rows", rows},
          {"traces", traces}};
}

}  // namespace flashscope
