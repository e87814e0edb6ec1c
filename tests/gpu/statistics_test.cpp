// Medians, sweeps and what is said about throughput.
#include "gpu/measure/statistics.h"

#include <cmath>
#include <set>

#include <doctest/doctest.h>

#include "gpu/measure/bench_report.h"
#include "sim/error.h"

namespace flashscope::gpu {
namespace {

TEST_CASE("the median is the middle one, or the mean of the middle two") {
  CHECK(spread_of({3}).median == 3);
  CHECK(spread_of({5, 1, 3}).median == 3);
  CHECK(spread_of({4, 1, 3, 1000}).median == 3.5);
  const Spread spread = spread_of({5, 1, 3});
  CHECK(spread.min == 1);
  CHECK(spread.max == 5);
  CHECK(spread.count == 3);
}

RecordRow row(std::int64_t q_len, std::int64_t kv_len, bool causal) {
  RecordRow result;
  result.algorithm = "fa2";
  result.problem.batch = 2;
  result.problem.q_heads = 8;
  result.problem.kv_heads = 4;
  result.problem.q_len = q_len;
  result.problem.kv_len = kv_len;
  result.problem.head_dim = 64;
  result.problem.mask.causal = causal;
  result.us = Spread{100, 90, 120, 30};
  return result;
}

TEST_CASE("useful work is that of the visible scores, and every tensor once") {
  const UsefulWork full = useful_work(row(100, 300, false).problem);
  CHECK(full.flops == 4.0 * 2 * 8 * 100 * 300 * 64);
  CHECK(full.bytes == 2.0 * (2 * (2 * 8 * 100 * 64) + 2 * (2 * 4 * 300 * 64)) + 2 * 8 * 100 * 4);
  // Row r sees 201 + r keys.
  const UsefulWork causal = useful_work(row(100, 300, true).problem);
  CHECK(causal.flops == 4.0 * 2 * 8 * 64 * (201 * 100 + 99 * 100 / 2));
}

TEST_CASE("throughput is useful work over the median time") {
  const BenchRow result = bench_row(row(100, 300, false));
  CHECK(result.failed.empty());
  CHECK(result.tflop_per_s == doctest::Approx(4.0 * 2 * 8 * 100 * 300 * 64 / 100e-6 / 1e12));
  CHECK(result.gb_per_s ==
        doctest::Approx(useful_work(row(100, 300, false).problem).bytes / 100e-6 / 1e9));
}

TEST_CASE("a wrong result has no throughput but a reason") {
  RecordRow wrong = row(100, 300, false);
  wrong.us.reset();
  wrong.max_abs_error = INFINITY;
  wrong.tolerance = 0.001;
  CHECK(bench_row(wrong).failed == "wrong: off by inf where 0.001 is tolerated");
}

TEST_CASE("the sweeps are the papers': 16k tokens, 2048 wide, and one query against long caches") {
  const std::vector<Problem> paper = sweep("paper", Format::bf16);
  CHECK(paper.size() == 2 * 2 * 5);
  for (const Problem& p : paper) {
    CHECK(p.batch * p.q_len == 16384);
    CHECK(p.q_heads * p.head_dim == 2048);
    CHECK(p.dtype == Format::bf16);
  }
  for (const Problem& p : sweep("decode", Format::fp16)) {
    CHECK(p.q_len == 1);
    CHECK(p.q_heads / p.kv_heads == 8);
  }
  CHECK_THROWS_AS(sweep("papers", Format::fp16), Error);
}

TEST_CASE("each kind of problem has a plot, lengths are its groups and algorithms its series") {
  std::vector<BenchRow> rows;
  for (const Problem& p : sweep("paper", Format::fp16)) {
    for (const char* const name : {"standard", "fa2"}) {
      if (name == std::string("standard") && p.q_len > 4096) {
        rows.push_back(failed_row(p, name, "out of memory"));
        continue;
      }
      RecordRow r = row(1, 1, false);
      r.problem = p;
      r.algorithm = name;
      rows.push_back(bench_row(r));
    }
  }
  const std::vector<NamedPlot> plots = plots_of(rows, "device, date");
  REQUIRE(plots.size() == 4);
  std::set<std::string> files;
  for (const NamedPlot& named : plots) {
    files.insert(named.file);
    CHECK(named.plot.groups == std::vector<std::string>{"1k", "2k", "4k", "8k", "16k"});
    REQUIRE(named.plot.series.size() == 2);
    CHECK(named.plot.series[0].name == "standard");
    CHECK_FALSE(named.plot.series[0].values[4].has_value());
    CHECK(named.plot.series[1].values[4].has_value());
  }
  CHECK(files.contains("forward_fp16_d64_causal.svg"));
}

}  // namespace
}  // namespace flashscope::gpu
