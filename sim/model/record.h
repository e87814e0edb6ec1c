// A record: what kernels measured on one device, kept as a JSON file so that it can be held against
// the simulator anywhere, without that device. The format, flashscope.record/1 (null where nothing
// was measured; more fields are welcome):
//
//   {"schema": "flashscope.record/1", "date": "2026-01-31", "command": "flashscope-gpu record …",
//    "device": {"name", "compute_capability", "sm_count", "l2_bytes", "memory_bytes", "driver",
//               "runtime", "copy_bytes_per_s", "sm_clock_mhz", "temperature_c"},
//    "counters": "cupti" | "ncu" | null,
//    "rows": [{"algorithm", "problem": {…}, "tiling": {"q_tile", "kv_tile", "splits", "pack_gqa"},
//              "warps", "stages", "us": {"median", "min", "max", "count"},
//              "max_abs_error", "tolerance",
//              "kernels": [{"name", "l2_to_sm_bytes", "dram_load_bytes", "dram_store_bytes",
//                           "shared_bytes"}]}],
//    "traces": [{"algorithm", "problem", "tiling", "lines": [flashscope.trace/1 objects]}]}
//
// A row's kernels are those of one call, in launch order. Left out: how anything was measured
// (gpu/measure), and what it means (compare.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/attention/problem.h"
#include "sim/attention/tiling.h"

namespace flashscope {

// Of repeated measurements.
struct Spread {
  double median = 0, min = 0, max = 0;
  std::int64_t count = 0;
};

// What the device's counters read during one kernel.
struct KernelCounters {
  std::string name;
  std::optional<std::int64_t> l2_to_sm_bytes;  // l1tex__m_xbar2l1tex_read_bytes.sum
  std::optional<std::int64_t> dram_load_bytes, dram_store_bytes;
  std::optional<std::int64_t> shared_bytes;  // read from and written to shared memory
};

struct RecordRow {
  std::string algorithm;  // a built-in table's name
  Problem problem;        // no mask expression: kernels have none
  Tiling tiling;          // tiles, splits and pack_gqa; the rest is as the kernels have it
  std::int64_t warps = 0, stages = 0;
  std::optional<Spread> us;
  std::optional<double> max_abs_error, tolerance;  // on sampled rows, against fp64
  std::vector<KernelCounters> kernels;
};

struct RecordedTrace {
  std::string algorithm;
  Problem problem;
  Tiling tiling;
  std::vector<nlohmann::ordered_json> lines;
};

struct RecordedDevice {
  std::string name, compute_capability, driver, runtime;
  std::int64_t sm_count = 0, l2_bytes = 0, memory_bytes = 0;
  std::optional<double> copy_bytes_per_s;             // read and written both counted
  std::optional<double> sm_clock_mhz, temperature_c;  // behind the measurements
};

struct Record {
  std::string date, command;
  RecordedDevice device;
  std::optional<std::string> counters;  // where the counters come from
  std::vector<RecordRow> rows;
  std::vector<RecordedTrace> traces;
};

// Throws Error "NAME: rows[2].us.median: …" in one line for text that is no record: broken or cut
// JSON, a field missing or of the wrong type, an algorithm there is no table for, or a problem so
// large that no kernel ran it.
Record parse_record(std::string_view text, const std::string& name);
// The same from a file.
Record read_record(const std::string& path);

nlohmann::ordered_json to_json(const Record& record);
nlohmann::ordered_json to_json(const RecordRow& row);

}  // namespace flashscope
