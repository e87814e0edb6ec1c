// What a benchmark measures and how it is told: the sweeps of the papers, throughput from times,
// and plots over the length. Needs no GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/measure/svg.h"
#include "sim/model/record.h"

namespace flashscope::gpu {

// Floating-point operations of the visible scores (4 * head_dim each: what every algorithm has to
// do, however much more its tiles do), and the bytes that no schedule can go below: Q, K, V read
// and O, LSE written once.
struct UsefulWork {
  double flops = 0, bytes = 0;
};
UsefulWork useful_work(const Problem& problem);

struct BenchRow {
  RecordRow row;
  std::string failed;                    // why there is no time; empty: there is
  double tflop_per_s = 0, gb_per_s = 0;  // of the useful work, by the median time
};

BenchRow bench_row(const RecordRow& row);
// Of a problem that could not be run.
BenchRow failed_row(const Problem& problem, std::string_view algorithm, std::string why);

// paper    batch * length = 16384 tokens, heads * head_dim = 2048, length 1k…16k, head_dim 64 and
//          128, full and causal, as in FlashAttention-2 and -3
// decode   one query, 32 q heads on 4 kv heads, head_dim 128, 8k…128k keys, batch 1…64
// Throws Error for another name.
std::vector<Problem> sweep(std::string_view name, Format dtype);

struct NamedPlot {
  std::string file;  // "forward_fp16_d64_causal.svg"
  BarPlot plot;
};

// One plot for each kind of problem among the rows: TFLOP/s over q_len, or, for a single query,
// GB/s over kv_len. `where` (device, date) becomes the subtitle.
std::vector<NamedPlot> plots_of(const std::vector<BenchRow>& rows, const std::string& where);

}  // namespace flashscope::gpu
