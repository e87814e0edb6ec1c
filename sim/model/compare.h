// Simulated beside measured: for each row of a record, what the simulator counts for the same
// problem, algorithm and tiles, and what the device's counters read.
//
// The simulated bytes are the two-level model's, HBM<->SRAM without a cache: what a GPU moves from
// L2 to its SMs when loads bypass L1. DRAM traffic has no simulated value here; beside it stands
// what no schedule can go below, every input once. Left out: time, which needs a model of the
// device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/record.h"

namespace flashscope {

struct SimulatedBytes {
  std::int64_t l2_to_sm_bytes = 0;         // all tile loads, initialising ones included
  std::int64_t sm_to_l2_bytes = 0;         // all tile stores, likewise
  std::int64_t compulsory_load_bytes = 0;  // Q, K and V once
};

struct MeasuredBytes {  // sums over a row's kernels; nothing where one of them was not counted
  std::optional<std::int64_t> l2_to_sm_bytes, dram_load_bytes, dram_store_bytes, shared_bytes;
};

struct ComparedRow {
  RecordRow measured_row;
  SimulatedBytes simulated;
  MeasuredBytes measured;

  // measured / simulated; nothing where either is missing or 0.
  std::optional<double> l2_to_sm_ratio() const;
  // measured DRAM reads / compulsory loads.
  std::optional<double> dram_load_ratio() const;
};

// In the record's order. Throws Error "NAME: rows[2], fa2: …" when the simulator cannot count one.
std::vector<ComparedRow> compare(const Record& record, const std::string& name);

}  // namespace flashscope
